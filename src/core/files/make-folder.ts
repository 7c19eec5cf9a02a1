import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Not `recursive: true`: below /proc, Node would retry a failing call forever. */
export function makeFolder(folder: string): void {
  const parent = dirname(resolve(folder));
  if (statSync(parent, { throwIfNoEntry: false }) === undefined) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
