import { closeSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../core/files/make-folder.js";
import { systemErrorText } from "../core/schema/system-error-text.js";
import { UserError } from "../core/schema/user-error.js";

export const OUTPUT_OPTIONS: Readonly<Record<string, "file" | "folder">> = {
  junit: "file",
  save: "folder",
  artifacts: "folder",
  record: "file",
};

/**
 * Makes the missing folders of a command's output options, and tries to write there: a long run must not end without its
 * report. @throws UserError with exit code 2
 */
export function prepareOutputs(flags: object): void {
  for (const [name, kind] of Object.entries(OUTPUT_OPTIONS)) {
    const path: unknown = Reflect.get(flags, name);
    if (typeof path !== "string") continue;
    try {
      makeFolder(kind === "folder" ? path : dirname(path));
      tryToWrite(kind === "folder" ? join(path, `.payments-sandbox-${process.pid}`) : path);
    } catch (error) {
      throw unwritableError(`--${name}`, path, error, 2);
    }
  }
}

/** Opens a file for writing, and removes a file that this made. Leaves pipes and devices alone. */
function tryToWrite(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile() && !stats.isDirectory()) return;
  closeSync(openSync(file, "a"));
  if (stats === undefined) rmSync(file);
}

/** Writes a file, in a folder that is made if it is missing. The error names `source`: the flag or command. */
export function writeOutputFile(source: string, file: string, text: string): void {
  try {
    makeFolder(dirname(file));
    writeFileSync(file, text);
  } catch (error) {
    throw unwritableError(source, file, error);
  }
}

function unwritableError(source: string, path: string, error: unknown, exitCode?: number): UserError {
  return new UserError(`${source} ${path || '""'} cannot be written: ${systemErrorText(error)}`, exitCode);
}
