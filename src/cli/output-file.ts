import { writeFileSync } from "node:fs";
import { UserError } from "../core/schema/user-error.js";

/** Writes a file. The error of an unwritable file names `source`: the flag or command that takes the file. */
export function writeOutputFile(source: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`${source} ${file || '""'} cannot be written (${code})`);
  }
}
