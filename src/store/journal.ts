import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import type { Change } from "../engine/records.js";
import { asStoreError, codeOf, damaged, StoreError } from "./error.js";
import { checkWritable, syncFolderOf } from "./files.js";
import { type StoreIo, writeAll } from "./io.js";
import { decodeLine, encodeLine } from "./journal-line.js";
import { readLines } from "./lines.js";

/** FILE.journal: the changes after the snapshot, a line each. */
export interface Journal {
  readonly bytes: number;
  /**
   * The changes after `afterSeq`. Throws StoreError for any damage but a torn last line.
   *
   * @param meanwhile called with each line: there may be minutes of them
   */
  read(afterSeq: number, meanwhile: () => void): Change[];
  /** Cuts off a torn last line that `read` came upon; answers how many bytes that were. */
  dropTornLine(): number;
  /** @throws StoreError when the file is not there any more: what is written to it would be lost */
  checkPlace(): void;
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
  checkWritable(journalFile);
  const fd = openWithoutFollowing(journalFile, constants.O_RDWR | constants.O_CREAT | appending);
  const opened = fstatSync(fd);
  // On some file systems a file has another number by its name.
  const hasNumber = statSync(journalFile, { throwIfNoEntry: false })?.ino === opened.ino;
  if (fsync) syncFolderOf(file, io);
  let bytes = opened.size;
  let goodBytes = bytes;
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

    read(afterSeq, meanwhile) {
      const read = readChanges(fd, file, afterSeq, meanwhile);
      goodBytes = read.goodBytes;
      return read.changes;
    },

    dropTornLine() {
      const tornBytes = bytes - goodBytes;
      if (tornBytes > 0) cutTo(goodBytes);
      return tornBytes;
    },

    checkPlace() {
      const now = statSync(journalFile, { throwIfNoEntry: false });
      if (now !== undefined && (now.ino === opened.ino || !hasNumber)) return;
      const what = now === undefined ? "is not there any more" : "has been replaced by another file";
      throw new StoreError(
        `${journalFile} ${what}, so nothing more is kept. Stop this process, restore the file from a backup if there is one, and start again.`,
      );
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
      const line = encodeLine(change);
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

/** A link in the place of the journal is nothing this program has made: what it leads to is left alone. */
function openWithoutFollowing(journalFile: string, flags: number): number {
  try {
    return openSync(journalFile, flags | (constants.O_NOFOLLOW ?? 0), 0o600);
  } catch (error) {
    if (codeOf(error) !== "ELOOP") throw error;
    throw new StoreError(
      `${journalFile} is a link, which a journal never is. Remove the link, or use another file.`,
    );
  }
}

function readChanges(
  fd: number,
  file: string,
  afterSeq: number,
  meanwhile: () => void,
): { changes: Change[]; goodBytes: number } {
  const changes: Change[] = [];
  let lastSeq = afterSeq;
  let goodBytes = 0;
  for (const { content, number, startByte, finished } of readLines(fd)) {
    meanwhile();
    const line = decodeLine(content, finished);
    if (line === "torn") break;
    const where = `${file}.journal line ${number}`;
    if ("damage" in line) throw damaged(file, where, line.damage, startByte);
    const { change } = line;
    goodBytes = startByte + content.length + 1;
    // After a crash between a new snapshot and the emptying of the journal, old lines come first.
    if (changes.length === 0 && change.seq <= afterSeq) continue;
    if (change.seq !== lastSeq + 1) {
      const what = `change ${change.seq} where change ${lastSeq + 1} belongs`;
      throw damaged(file, where, what, startByte);
    }
    lastSeq = change.seq;
    changes.push(change);
  }
  return { changes, goodBytes };
}
