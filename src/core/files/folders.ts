import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder and those it lies in, where they are missing. Node's own `recursive` never returns where the system
 * denies that a folder is there which it has just been refused to make, as below /proc.
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
