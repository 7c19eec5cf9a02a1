import { closeSync, constants, fstatSync, openSync, readSync, rmSync, statSync } from "node:fs";
import type { KeptChange } from "../engine/records.js";
import { wholeAgain } from "./again.js";
import { asStoreError, codeOf, damaged, StoreError } from "./error.js";
import { type StoreIo, writeAll } from "./io.js";
import { decodeLine, encodeLines } from "./journal-line.js";
import { readLines } from "./lines.js";
import { checkWritable, syncFolderOf } from "./places.js";

export interface JournalOptions {
  /** The file of the snapshot; the journal is next to it. */
  readonly file: string;
  /** Whether what was written is synced to the disk before `append` returns. */
  readonly fsync: boolean;
  readonly io: StoreIo;
}

/** FILE.journal: the changes after the snapshot, a line each. It is held open: an append is one write, however many lines. */
export class Journal {
  /** The file of the snapshot. */
  readonly #of: string;
  readonly #file: string;
  #fd: number;
  readonly #fsync: boolean;
  readonly #io: StoreIo;
  #inode: number;
  /** On some file systems a file has another number by its name. */
  readonly #hasInode: boolean;
  #bytes: number;
  /** Up to the line that was never finished, if there is one. */
  #goodBytes: number;
  /** In its last line; undefined where the next one is to stand by itself. */
  #last: KeptChange | undefined;
  /** Part of a failed append may follow; nothing may be written behind it. */
  #needsCut = false;

  constructor({ file, fsync, io }: JournalOptions) {
    this.#of = file;
    this.#file = `${file}.journal`;
    this.#fsync = fsync;
    this.#io = io;
    checkWritable(this.#file);
    this.#fd = openWithoutFollowing(this.#file);
    const { size, ino } = fstatSync(this.#fd);
    this.#inode = ino;
    this.#hasInode = statSync(this.#file, { throwIfNoEntry: false })?.ino === ino;
    if (fsync) syncFolderOf(file, io);
    this.#bytes = size;
    this.#goodBytes = size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The changes after `afterSeq`.
   *
   * @param meanwhile called with each line: there may be minutes of them
   * @throws StoreError for any damage but a torn last line
   */
  read(afterSeq: number, meanwhile: () => void): KeptChange[] {
    const changes: KeptChange[] = [];
    let lastSeq = afterSeq;
    let before: KeptChange | undefined;
    this.#goodBytes = 0;
    for (const { content, number, startByte, finished } of readLines(this.#fd)) {
      meanwhile();
      const line = decodeLine(content, finished);
      if (line === "torn") break;
      const damage = (what: string) => damaged(this.#of, `${this.#file} line ${number}`, what, startByte);
      if ("damage" in line) throw damage(line.damage);
      const change = "again" in line.change ? before && wholeAgain(line.change, before) : line.change;
      if (change === undefined) throw damage("the change that it goes by is not in the line before it");
      before = change;
      this.#goodBytes = startByte + content.length + 1;
      // After a crash between a new snapshot and the emptying of the journal, old lines come first.
      if (changes.length === 0 && change.seq <= afterSeq) continue;
      if (change.seq !== lastSeq + 1)
        throw damage(`change ${change.seq} where change ${lastSeq + 1} belongs`);
      lastSeq = change.seq;
      changes.push(change);
    }
    return changes;
  }

  /** Cuts off a torn last line that `read` came upon; answers how many bytes that were. */
  dropTornLine(): number {
    const tornBytes = this.#bytes - this.#goodBytes;
    if (tornBytes > 0) this.#cutTo(this.#goodBytes);
    return tornBytes;
  }

  /** @throws StoreError when the file is not there any more: what is written to it would be lost */
  checkPlace(): void {
    const now = statSync(this.#file, { throwIfNoEntry: false });
    if (now !== undefined && (now.ino === this.#inode || !this.#hasInode)) return;
    const what = now === undefined ? "is not there any more" : "has been replaced by another file";
    throw new StoreError(
      `${this.#file} ${what}, so nothing more is kept. Stop this process, restore the file from a backup if there is one, and start again.`,
    );
  }

  /** A line each, all in one write. When it throws, the file is as before. */
  append(changes: readonly KeptChange[]): void {
    if (this.#needsCut) {
      try {
        this.#cutTo(this.#bytes);
      } catch (error) {
        throw asStoreError(error, `${this.#file}: a failed write cannot be cut off, so nothing more is kept`);
      }
    }
    const lines = encodeLines(changes, this.#last);
    try {
      writeAll(this.#io, this.#fd, lines, this.#bytes);
      if (this.#fsync) this.#io.fsyncSync(this.#fd);
    } catch (error) {
      this.#needsCut = !this.#triesToCutTo(this.#bytes);
      throw error;
    }
    this.#bytes += lines.length;
    this.#last = changes.at(-1);
  }

  /** The next line stands by itself, so that what comes before it can be dropped. @returns where it begins */
  part(): number {
    this.#last = undefined;
    return this.#bytes;
  }

  /** Empties it, if the disk lets it: lines a snapshot covers are ignored by `read`, so they do no harm. */
  clear(): void {
    this.#last = undefined;
    this.#triesToCutTo(0);
  }

  /**
   * Drops what comes before that byte, where `part` was asked for it, if the disk lets it: what follows takes the place of the whole in one step.
   *
   * @param temporary a file in the same folder, for what follows
   */
  dropBefore(startByte: number, temporary: string): void {
    if (startByte === this.#bytes) {
      this.clear();
      return;
    }
    let fd: number | undefined;
    try {
      const rest = Buffer.allocUnsafe(this.#bytes - startByte);
      if (readSync(this.#fd, rest, 0, rest.length, startByte) < rest.length) return;
      rmSync(temporary, { force: true });
      fd = openWithoutFollowing(temporary);
      writeAll(this.#io, fd, rest, 0);
      if (this.#fsync) this.#io.fsyncSync(fd);
      this.#io.renameSync(temporary, this.#file);
      closeSync(this.#fd);
      this.#fd = fd;
      this.#inode = fstatSync(fd).ino;
      this.#bytes = rest.length;
      this.#needsCut = false;
    } catch {
      if (fd !== undefined && fd !== this.#fd) closeSync(fd);
      rmSync(temporary, { force: true });
      return;
    }
    if (this.#fsync) syncFolderOf(this.#of, this.#io);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #cutTo(lengthBytes: number): void {
    this.#io.ftruncateSync(this.#fd, lengthBytes);
    this.#bytes = lengthBytes;
    this.#needsCut = false;
  }

  /** Whether the disk let it be cut. What was done before is done, and there is another failure to hear of, or none. */
  #triesToCutTo(lengthBytes: number): boolean {
    try {
      this.#cutTo(lengthBytes);
      return true;
    } catch {
      return false;
    }
  }
}

/** A link in the place of the journal is nothing this program has made: what it leads to is left alone. */
function openWithoutFollowing(journalFile: string): number {
  // Windows cannot cut a file that is open for appending, so every write names its position as well.
  const appending = process.platform === "win32" ? 0 : constants.O_APPEND;
  const flags = constants.O_RDWR | constants.O_CREAT | appending | (constants.O_NOFOLLOW ?? 0);
  try {
    return openSync(journalFile, flags, 0o600);
  } catch (error) {
    if (codeOf(error) !== "ELOOP") throw error;
    throw new StoreError(
      `${journalFile} is a link, which a journal never is. Remove the link, or use another file.`,
    );
  }
}
