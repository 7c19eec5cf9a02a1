import {
  accessSync,
  closeSync,
  constants,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { asStoreError, StoreError, systemErrorCode } from "./store-error.js";

/** @throws StoreError if the file's folder does not exist */
export function checkParentFolder(file: string): void {
  const folder = dirname(file);
  try {
    if (statSync(folder).isDirectory()) return;
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT" && systemErrorCode(error) !== "ENOTDIR")
      throw asStoreError(error, `Cannot open ${file}`);
  }
  throw new StoreError(`Cannot open ${file}: the folder ${folder} does not exist. Create it first.`);
}

/**
 * Refuses read-only files. File permissions stop neither root nor the rename that replaces a file.
 *
 * @throws StoreError if the file is read-only or not a regular file
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
export function syncParentFolder(file: string, io: StoreIo): void {
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

/** Maximum number of links in a path. No operating system follows more. */
const MAX_LINKS = 64;

/** Resolves all links of a path, so that a file has one journal and one lock. The path need not exist. */
export function resolveSymlinks(path: string): string {
  let file = resolve(path);
  for (let links = 0; links <= MAX_LINKS; links++) {
    file = join(realFolder(dirname(file)), basename(file));
    const target = linkTarget(file);
    if (target === undefined) return file;
    file = resolve(dirname(file), target);
  }
  throw new StoreError(
    `Cannot open ${path}: it is a link that leads to itself. Use the path of the actual file.`,
  );
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // The caller reports a missing folder when it opens the file.
    return folder;
  }
}

/** Target of a link; undefined for anything else. */
function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EINVAL" || code === "ENOENT" || code === "ENOTDIR" || code === "UNKNOWN") return undefined;
    throw error;
  }
}

/** System calls that may fail; tests replace them. */
export interface StoreIo {
  writeSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  ftruncateSync(fd: number, lengthBytes: number): void;
  fsyncSync(fd: number): void;
  /** Asynchronous, since syncing a large file can take long. */
  fsync(fd: number): Promise<void>;
  renameSync(from: string, to: string): void;
}

export const nodeIo: StoreIo = { writeSync, ftruncateSync, fsyncSync, fsync: promisify(fsync), renameSync };

/** Writes the whole buffer. A single system call may write only a part of it. */
export function writeAll(io: StoreIo, fd: number, buffer: Uint8Array, position: number): void {
  let done = 0;
  while (done < buffer.length) {
    const written = io.writeSync(fd, buffer, done, buffer.length - done, position + done);
    if (written <= 0) throw new Error("the file system took none of the bytes written");
    done += written;
  }
}
