import { constants, isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import type * as z from "zod/mini";
import { safeParse } from "../schema/issues.js";
import { type StoreIo, syncParentFolder, writeAll } from "./file-system.js";
import { asStoreError, StoreError, TooLongError } from "./store-error.js";

/** Suffix of a file until `publishFile` renames it. */
export const UNPUBLISHED_SUFFIX = ".new";

export interface ChecksummedFileOptions {
  /** True to sync content to the disk before a call returns, so that it survives a power loss. */
  readonly fsync: boolean;
  readonly io: StoreIo;
  /** Longest readable content. Default: the longest string of this Node. */
  readonly maxBytes?: number | undefined;
}

/** Beginning of a file: the brace, and a member with the hash of everything that follows. */
const CHECKSUM_HEAD = /^\{"checksum":"([0-9a-f]{64})",/;

function checksumHead(hash: string): string {
  return `{"checksum":"${hash}",`;
}

const CHECKSUM_HEAD_BYTES = checksumHead("0".repeat(64)).length;

export function hasValidChecksum(content: Buffer): boolean {
  const [, hash] = CHECKSUM_HEAD.exec(content.toString("latin1", 0, CHECKSUM_HEAD_BYTES)) ?? [];
  return createHash("sha256").update(content.subarray(CHECKSUM_HEAD_BYTES)).digest("hex") === hash;
}

/**
 * Writes a new file piece by piece: a JSON object whose first member is the checksum. Yields the number of bytes
 * written so far. Removes an existing file or link first. If interrupted, leaves no file.
 *
 * @param pieces text of a non-empty object; the first piece begins with `{`
 * @param tooLong message for content above `maxBytes`
 * @throws StoreError if the disk refuses, TooLongError if the content is too long
 */
export function* writeChecksummedFile(
  file: string,
  pieces: Iterable<string>,
  { fsync, io, maxBytes = constants.MAX_STRING_LENGTH }: ChecksummedFileOptions,
  tooLong: (maxBytes: number) => string,
): Generator<number, void> {
  rmSync(file, { force: true });
  const fd = openSync(file, "wx", 0o600);
  let isWhole = false;
  try {
    try {
      const hash = createHash("sha256");
      let bytes = CHECKSUM_HEAD_BYTES;
      for (const piece of pieces) {
        const text = bytes === CHECKSUM_HEAD_BYTES ? piece.slice(1) : piece;
        const content = Buffer.from(text, "utf8");
        if (bytes + content.length > maxBytes) throw new TooLongError(tooLong(maxBytes));
        hash.update(content);
        writeAll(io, fd, content, bytes);
        bytes += content.length;
        yield bytes;
      }
      writeAll(io, fd, Buffer.from(checksumHead(hash.digest("hex")), "utf8"), 0);
      if (fsync) io.fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    isWhole = true;
  } catch (error) {
    throw asStoreError(error, `Cannot write ${file}`);
  } finally {
    if (!isWhole) rmSync(file, { force: true });
  }
}

export function writeUnpublishedFile(
  file: string,
  pieces: Iterable<string>,
  options: ChecksummedFileOptions,
): Generator<number, void> {
  const tooLong = (maxBytes: number) => `${file}: more than ${maxBytes} bytes, which could not be read back.`;
  return writeChecksummedFile(file + UNPUBLISHED_SUFFIX, pieces, options, tooLong);
}

/** Renames FILE.new to FILE atomically. */
export function publishFile(file: string, { fsync, io }: ChecksummedFileOptions): void {
  try {
    io.renameSync(file + UNPUBLISHED_SUFFIX, file);
  } catch (error) {
    throw asStoreError(error, `Cannot write ${file}`);
  }
  if (fsync) syncParentFolder(file, io);
}

/** @throws StoreError if the file is damaged; the system error if reading fails */
export function readChecksummedFile(file: string): string {
  const content = readFileSync(file);
  if (!hasValidChecksum(content)) throw unreadableError(file, "its checksum does not match");
  if (!isUtf8(content)) throw unreadableError(file, "not UTF-8");
  return content.toString("utf8");
}

/** Reads and validates a file. Returns its object without the checksum member. */
export function readChecksummedJson<T>(file: string, shape: z.ZodMiniType<T>): T {
  const text = readChecksummedFile(file);
  let value: { checksum?: unknown };
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadableError(file, "not JSON");
  }
  delete value.checksum;
  const checked = safeParse(shape, value);
  if (!checked.ok) throw unreadableError(file, "JSON, but not what this program writes there");
  return checked.data;
}

function unreadableError(file: string, what: string): StoreError {
  return new StoreError(`${file}: ${what}. Restore it from a backup, or delete it.`);
}
