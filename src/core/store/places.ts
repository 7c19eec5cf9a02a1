import { accessSync, closeSync, constants, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { asStoreError, codeOf, StoreError } from "./error.js";
import type { StoreIo } from "./io.js";

/** @throws StoreError if the file's folder does not exist */
export function checkFolder(file: string): void {
  const folder = dirname(file);
  try {
    if (statSync(folder).isDirectory()) return;
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR")
      throw asStoreError(error, `Cannot open ${file}`);
  }
  throw new StoreError(`Cannot open ${file}: the folder ${folder} does not exist. Create it first.`);
}

/**
 * Respects a read-only mode: a rename would replace the file, and root could write to it.
 *
 * @throws StoreError also if it is not a regular file
 */
export function checkWritable(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isFile()) throw new StoreError(`${file} is not a file. Move it away, or use another name.`);
  if ((stats.mode & 0o222) === 0 || !isWritable(file)) {
    throw new StoreError(`${file} is read-only. Make it writable (chmod u+w), or use a copy of it.`);
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Makes a rename or new file in the folder survive a power loss. */
export function syncFolderOf(file: string, io: StoreIo): void {
  try {
    const fd = openSync(dirname(file), "r");
    try {
      io.fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Windows and some network file systems cannot sync a folder. The rename is visible already, so reporting a
    // failure would be wrong.
  }
}
