import { constants, isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import type * as z from "zod/mini";
import { check } from "../schema/issues.js";
import { inTurns } from "../time/wall.js";
import { asStoreError, StoreError, TooLongError } from "./error.js";
import { syncFolderOf } from "./files.js";
import { type StoreIo, writeAll } from "./io.js";

/** Ends the name of a file that is not published yet. */
export const UNPUBLISHED = ".new";

export interface SideFileOptions {
  /** Whether what is written is on the disk before a call returns: safe against power loss too. */
  readonly fsync: boolean;
  readonly io: StoreIo;
  /** What can be read back: a longer text does not fit a string of this Node. */
  readonly maxBytes?: number;
}

/** How a file begins: an object's opening brace, and the hash of all that follows this. */
const SEAL = /^\{"checksum":"([0-9a-f]{64})",/;

function sealOf(hash: string): string {
  return `{"checksum":"${hash}",`;
}

const SEAL_BYTES = sealOf("0".repeat(64)).length;

/** Whether a file is as it was written. Files of earlier versions say nothing about that. */
export function sealIn(content: Buffer): "none" | "right" | "broken" {
  const [, hash] = SEAL.exec(content.toString("latin1", 0, SEAL_BYTES)) ?? [];
  if (hash === undefined) return "none";
  return createHash("sha256").update(content.subarray(SEAL_BYTES)).digest("hex") === hash
    ? "right"
    : "broken";
}

/** Writes FILE.new, as `writeSealed` does. */
export function stageSideFile(file: string, pieces: Iterable<string>, options: SideFileOptions): void {
  writeSealed(file + UNPUBLISHED, pieces, staging(file, options));
}

/** The same; other work has its turn between two pieces. */
export async function stageSideFileInTurns(
  file: string,
  pieces: Iterable<string>,
  options: SideFileOptions,
): Promise<void> {
  for await (const _ of inTurns(sealedWriting(file + UNPUBLISHED, pieces, staging(file, options))));
}

function staging(
  file: string,
  { maxBytes = constants.MAX_STRING_LENGTH, ...options }: SideFileOptions,
): SealedOptions {
  const tooLong = `${file}: more than ${maxBytes} bytes, which could not be read back.`;
  return { ...options, maxBytes, tooLong };
}

export interface SealedOptions extends SideFileOptions {
  /** What can be read back, and what to say of more. */
  readonly maxBytes: number;
  readonly tooLong: string;
}

/**
 * Writes a new file, an object in JSON with a checksum in front. What lies there already is neither followed nor
 * written over: it goes. When it throws, there is no file.
 *
 * @param pieces the text of the object, with at least one member; the first piece begins with its brace
 * @returns how many bytes it has
 */
export function writeSealed(file: string, pieces: Iterable<string>, options: SealedOptions): number {
  let bytes = 0;
  for (bytes of sealedWriting(file, pieces, options));
  return bytes;
}

/** The work of `writeSealed`, a piece at a time; each time how many bytes there are. */
function* sealedWriting(
  file: string,
  pieces: Iterable<string>,
  { fsync, io, maxBytes, tooLong }: SealedOptions,
): Generator<number> {
  rmSync(file, { force: true });
  const fd = openSync(file, "wx", 0o600);
  try {
    try {
      const hash = createHash("sha256");
      let bytes = SEAL_BYTES;
      for (const piece of pieces) {
        const text = bytes === SEAL_BYTES ? piece.slice(1) : piece;
        const content = Buffer.from(text, "utf8");
        if (bytes + content.length > maxBytes) throw new TooLongError(tooLong);
        hash.update(content);
        writeAll(io, fd, content, bytes);
        bytes += content.length;
        yield bytes;
      }
      writeAll(io, fd, Buffer.from(sealOf(hash.digest("hex")), "utf8"), 0);
      if (fsync) io.fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    rmSync(file, { force: true });
    throw asStoreError(error, `Cannot write ${file}`);
  }
}

/** Puts FILE.new in the place of FILE, in one step. */
export function publishSideFile(file: string, { fsync, io }: SideFileOptions): void {
  try {
    io.renameSync(file + UNPUBLISHED, file);
  } catch (error) {
    throw asStoreError(error, `Cannot write ${file}`);
  }
  if (fsync) syncFolderOf(file, io);
}

export interface SideFile {
  readonly text: string;
  /** Whether it has a checksum, which is right then. Files of earlier versions have none. */
  readonly isSealed: boolean;
}

/**
 * Reads a side file, its checksum included in the text.
 *
 * @throws StoreError when it is not as it was written; what the disk said when it cannot be read
 */
export function readSideFile(file: string): SideFile {
  const content = readFileSync(file);
  const seal = sealIn(content);
  if (seal === "broken") throw damagedSideFile(file, "its checksum is another");
  if (!isUtf8(content)) throw damagedSideFile(file, "not UTF-8");
  return { text: content.toString("utf8"), isSealed: seal === "right" };
}

/** The object of a side file without its checksum, if it has the shape. */
export function parseSideFile<T>(file: string, { text, isSealed }: SideFile, shape: z.ZodMiniType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damagedSideFile(file, "not JSON");
  }
  if (isSealed) delete (value as { checksum?: unknown }).checksum;
  const checked = check(shape, value);
  if (!checked.ok) throw damagedSideFile(file, "JSON, but not what this program writes there");
  return checked.data;
}

function damagedSideFile(file: string, what: string): StoreError {
  return new StoreError(`${file}: ${what}. Restore it from a backup, or delete it.`);
}
