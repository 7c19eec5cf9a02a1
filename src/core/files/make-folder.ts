import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a folder and its missing parents. Not `recursive: true`: Node retries forever if a call fails with ENOENT
 * although the parent exists, as below /proc.
 */
export function makeFolder(folder: string): void {
  const parent = dirname(resolve(folder));
  if (statSync(parent, { throwIfNoEntry: false }) === undefined) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST" && statSync(folder).isDirectory();
    if (!isThere) throw error;
  }
}
