import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a folder and its missing parents. Avoids `recursive: true`: below /proc, Node would retry a failing call
 * forever.
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
