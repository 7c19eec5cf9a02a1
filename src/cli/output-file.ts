import { writeFileSync } from "node:fs";
import { UserError } from "../core/schema/user-error.js";

/** Writes a file. The error of a file that cannot be written names `source`, the flag or command with the file's name. */
export function writeOutputFile(source: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`${source} ${file || '""'} cannot be written (${code})`);
  }
}
