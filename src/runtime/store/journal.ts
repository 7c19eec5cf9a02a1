import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import type { Change } from "../../engine/records.js";
import { asStoreError, damaged } from "./error.js";
import { type StoreIo, writeAll } from "./io.js";
import { readLines } from "./lines.js";
import { syncFolderOf } from "./snapshot.js";

/** FILE.journal: the changes after the snapshot, a JSON line each. */
export interface Journal {
  readonly bytes: number;
  /**
   * The changes after `afterSeq`. Drops a torn last line from the file; throws StoreError for any other
   * damage, and leaves the file as it is then.
   */
  read(afterSeq: number): Change[];
  /** One line. When it throws, the file is as before. */
  append(change: Change): void;
  /** Empties it, if the disk lets it: lines a snapshot covers are ignored by `read`, so they do no harm. */
  clear(): void;
  close(): void;
}

export interface JournalOptions {
  /** The file of the snapshot; the journal is next to it. */
  readonly file: string;
  /** Whether every line is synced to the disk before `append` returns. */
  readonly fsync: boolean;
  readonly io: StoreIo;
}

/** Opens the journal, and holds it open: an append is one write, whatever the size of the data. */
export function openJournal({ file, fsync, io }: JournalOptions): Journal {
  const journalFile = `${file}.journal`;
  // Windows cannot cut a file that is open for appending, so every write names its position as well.
  const appending = process.platform === "win32" ? 0 : constants.O_APPEND;
  const fd = openSync(journalFile, constants.O_RDWR | constants.O_CREAT | appending, 0o600);
  if (fsync) syncFolderOf(file, io);
  let bytes = fstatSync(fd).size;
  /** Part of a failed append may follow `bytes`; nothing may be written behind it. */
  let needsCut = false;

  const cutTo = (lengthBytes: number): void => {
    io.ftruncateSync(fd, lengthBytes);
    bytes = lengthBytes;
    needsCut = false;
  };

  const cutPartialLine = (): void => {
    try {
      cutTo(bytes);
    } catch (error) {
      needsCut = true;
      throw error;
    }
  };

  return {
    get bytes() {
      return bytes;
    },

    read(afterSeq) {
      const { changes, goodBytes } = readChanges(fd, file, afterSeq);
      if (goodBytes < bytes) cutTo(goodBytes);
      return changes;
    },

    append(change) {
      if (needsCut) {
        try {
          cutPartialLine();
        } catch (error) {
          throw asStoreError(
            error,
            `${journalFile}: a failed write cannot be cut off, so nothing more is kept`,
          );
        }
      }
      const line = Buffer.from(`${JSON.stringify(change)}\n`, "utf8");
      try {
        writeAll(io, fd, line, bytes);
        if (fsync) io.fsyncSync(fd);
      } catch (error) {
        try {
          cutPartialLine();
        } catch {
          // Remembered: the next append cuts first. The caller is to hear why the write failed.
        }
        throw error;
      }
      bytes += line.length;
    },

    clear() {
      try {
        cutTo(0);
      } catch {
        // The snapshot that covers these lines is in place: to throw would say that it is not.
      }
    },

    close() {
      closeSync(fd);
    },
  };
}

function readChanges(fd: number, file: string, afterSeq: number): { changes: Change[]; goodBytes: number } {
  const changes: Change[] = [];
  let lastSeq = afterSeq;
  let goodBytes = 0;
  /** A line that is not JSON is torn if it is the last one, and damage if it is not. */
  let tornLine: number | undefined;
  for (const { content, number, startByte, finished } of readLines(fd)) {
    if (tornLine !== undefined) {
      throw damaged(file, `${file}.journal line ${tornLine}`, "not JSON, with more lines after it");
    }
    // Without its newline a line was never acknowledged, even if it happens to be whole.
    const value = finished ? parse(content) : undefined;
    if (value === undefined) {
      tornLine = number;
      continue;
    }
    const where = `${file}.journal line ${number}`;
    if (!isChange(value)) throw damaged(file, where, "JSON, but not a change of this program");
    goodBytes = startByte + content.length + 1;
    // After a crash between a new snapshot and the emptying of the journal, old lines come first.
    if (changes.length === 0 && value.seq <= afterSeq) continue;
    if (value.seq !== lastSeq + 1) {
      throw damaged(file, where, `change ${value.seq} where change ${lastSeq + 1} belongs`);
    }
    lastSeq = value.seq;
    changes.push(value);
  }
  return { changes, goodBytes };
}

/** Undefined when the bytes are not JSON, which JSON itself cannot say. */
function parse(content: Buffer): unknown {
  // Decoding would quietly put a replacement character in the place of a damaged byte.
  if (!isUtf8(content)) return undefined;
  try {
    return JSON.parse(content.toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isChange(value: unknown): value is Change {
  const { seq, at, puts, counters } = (value ?? {}) as Record<string, unknown>;
  return (
    Number.isSafeInteger(seq) &&
    typeof at === "number" &&
    Array.isArray(puts) &&
    typeof counters === "object" &&
    counters !== null
  );
}
