import { closeSync, constants, fstatSync, openSync, readSync, rmSync, statSync } from "node:fs";
import type { JournalEntry } from "../engine/records.js";
import { checkWritable, type StoreIo, syncParentFolder, writeAll } from "./file-system.js";
import { decodeLine, encodeLine, type JournalOwner } from "./journal-line.js";
import { asStoreError, damagedFileError, StoreError, systemErrorCode } from "./store-error.js";

type SnapshotPresence = "there" | "absent" | "lost";

interface JournalOptions {
  /** Owner of the snapshot; undefined without a snapshot. */
  readonly owner: JournalOwner | undefined;
  /** The snapshot's file; the journal is beside it. */
  readonly file: string;
  /** True if files survive a power loss. `append` needs `sync` after it. */
  readonly fsync: boolean;
  readonly io: StoreIo;
}

/**
 * FILE.journal: the owner, then the changes after the snapshot, one per line. The file stays open; an append is one
 * write. Beside a snapshot it always has its first line, also after a clean close: an empty one has lost something.
 */
export class DataJournal {
  /** The fault of the file as it was found. */
  readonly loss: "missing" | "empty" | undefined;
  readonly #snapshotFile: string;
  readonly #file: string;
  #fd: number;
  readonly #fsync: boolean;
  readonly #io: StoreIo;
  #inode: number;
  /** False on file systems where a path's inode differs from its handle's. */
  readonly #hasInode: boolean;
  #bytes: number;
  /** Length of the first line, which names the owner; 0 without it. */
  #ownerBytes = 0;
  /** Owner of the snapshot, which the first line names; undefined without a snapshot. */
  #owner: JournalOwner | undefined;
  #droppedSeed: string | undefined;
  #hasOwnerLine = false;
  /** Length without a torn last line. */
  #intactBytes: number;
  /** A failed append may have left bytes that must be cut off before the next write. */
  #needsCut = false;

  constructor({ file, fsync, io, owner }: JournalOptions) {
    this.#snapshotFile = file;
    this.#file = `${file}.journal`;
    this.#fsync = fsync;
    this.#io = io;
    checkWritable(this.#file);
    this.#owner = owner;
    const foundBytes = statSync(this.#file, { throwIfNoEntry: false })?.size;
    this.loss = foundBytes === undefined ? "missing" : foundBytes === 0 ? "empty" : undefined;
    this.#fd =
      foundBytes === undefined && owner !== undefined
        ? this.#createWithOwner(owner)
        : openJournal(this.#file);
    const { size, ino } = fstatSync(this.#fd);
    this.#inode = ino;
    this.#hasInode = statSync(this.#file, { throwIfNoEntry: false })?.ino === ino;
    if (fsync) syncParentFolder(file, io);
    this.#bytes = size;
    this.#intactBytes = size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#bytes === this.#ownerBytes;
  }

  /** In one rename: a start that is killed here leaves no empty journal beside the snapshot. */
  #createWithOwner(owner: JournalOwner): number {
    try {
      return this.#createAs(encodeLine(owner));
    } catch {
      // Reads work on a full disk.
      return openJournal(this.#file);
    }
  }

  /** Replaces the file in one rename. @returns the open file */
  #createAs(content: Buffer): number {
    const temporary = `${this.#snapshotFile}.tmp`;
    rmSync(temporary, { force: true });
    const fd = openJournal(temporary);
    try {
      writeAll(this.#io, fd, content, 0);
      if (this.#fsync) this.#io.fsyncSync(fd);
      this.#io.renameSync(temporary, this.#file);
      return fd;
    } catch (error) {
      closeSync(fd);
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  #replaceBy(content: Buffer): void {
    const fd = this.#createAs(content);
    closeSync(this.#fd);
    this.#fd = fd;
    this.#inode = fstatSync(fd).ino;
    this.#bytes = content.length;
    this.#needsCut = false;
    if (this.#fsync) syncParentFolder(this.#snapshotFile, this.#io);
  }

  /**
   * Names the owner of the snapshot, which has all changes so far. Without room on the disk, the next change tries again:
   * reads work on a full disk.
   */
  begin(owner: JournalOwner): void {
    if (this.#hasOwnerLine && this.#isOwner(owner)) return;
    this.#owner = owner;
    this.#hasOwnerLine = false;
    try {
      this.#writeOwnerLine(owner);
    } catch {
      // `append` reports it.
    }
  }

  #writeOwnerLine(owner: JournalOwner): void {
    const line = encodeLine(owner);
    this.#replaceBy(line);
    this.#ownerBytes = line.length;
    this.#hasOwnerLine = true;
  }

  /**
   * Returns the changes after `afterSeq`. A journal with such changes must be that of the snapshot.
   *
   * @param snapshot "lost" if there must have been one
   * @param onLine called for each line; keeps the lock alive, because reading may take minutes
   * @throws StoreError for any damage except a torn last line
   */
  read(afterSeq: number, snapshot: SnapshotPresence, onLine: () => void): JournalEntry[] {
    const changes: JournalEntry[] = [];
    let owner: JournalOwner | undefined;
    let lastSeq = afterSeq;
    this.#intactBytes = 0;
    for (const { content, number, startByte, finished } of readLines(this.#fd)) {
      onLine();
      const line = decodeLine(content, finished);
      if (line === "torn") break;
      const damage = (what: string) =>
        damagedFileError(this.#snapshotFile, `${this.#file} line ${number}`, what, startByte);
      if ("damage" in line) throw damage(line.damage);
      if ("owner" in line) {
        if (startByte > 0) throw damage("the beginning of a journal");
        this.#intactBytes = this.#ownerBytes = content.length + 1;
        ({ owner } = line);
        continue;
      }
      const { change } = line;
      this.#intactBytes = startByte + content.length + 1;
      // After a crash between snapshot and journal cut, the journal begins with lines that the snapshot contains.
      if (changes.length === 0 && change.seq <= afterSeq) continue;
      if (changes.length === 0) this.#checkOwner(owner);
      if (change.seq !== lastSeq + 1)
        throw damage(`change ${change.seq} where change ${lastSeq + 1} belongs`);
      lastSeq = change.seq;
      changes.push(change);
    }
    this.#hasOwnerLine = owner !== undefined && this.#isOwner(owner);
    if (changes.length === 0 && owner !== undefined && !this.#hasOwnerLine) this.#dropOwner(owner, snapshot);
    return changes;
  }

  /** Cuts a journal without changes. A process that is killed in an import leaves one with the replaced seed. */
  #dropOwner(owner: JournalOwner, snapshot: SnapshotPresence): void {
    const isOfOther = this.#owner !== undefined && this.#owner.journal_of !== owner.journal_of;
    if (snapshot === "lost" || isOfOther) this.#checkOwner(owner);
    if (snapshot === "there" && this.#owner === undefined) return;
    this.#cutTo(0);
    this.#ownerBytes = 0;
    this.#intactBytes = 0;
    if (this.#owner !== undefined) this.#droppedSeed = owner.seed;
  }

  /** Seed of a journal of the same namespace that had no changes after the snapshot; known after `read`. */
  get droppedSeed(): string | undefined {
    return this.#droppedSeed;
  }

  #isOwner({ journal_of, seed }: JournalOwner): boolean {
    return this.#owner?.journal_of === journal_of && this.#owner.seed === seed;
  }

  #checkOwner(owner: JournalOwner | undefined): void {
    const file = this.#snapshotFile;
    if (owner === undefined) {
      if (this.#owner === undefined) return;
      throw new StoreError(
        `${this.#file} does not say whose changes it has. Restore it and ${file} from one backup, or move it away to go on from ${file} alone.`,
      );
    }
    if (this.#owner === undefined)
      throw new StoreError(
        `${file} is missing or empty, but ${this.#file} has the changes of its namespace "${owner.journal_of}". Restore ${file} from a backup, or move ${this.#file} away to start empty.`,
      );
    if (this.#isOwner(owner)) return;
    const { journal_of, seed } = this.#owner;
    const whose = `the namespace "${owner.journal_of}" with the seed ${JSON.stringify(owner.seed)}`;
    throw new StoreError(
      `${this.#file} belongs to another state: to ${whose}, and ${file} to "${journal_of}" with ${JSON.stringify(seed)}. Restore both files from one backup, or move the journal away to go on from ${file} alone.`,
    );
  }

  /** Cuts off a torn last line that `read` found. @returns the line's length in bytes */
  dropTornLine(): number {
    const tornBytes = this.#bytes - this.#intactBytes;
    if (tornBytes > 0) this.#cutTo(this.#intactBytes);
    return tornBytes;
  }

  /** @throws StoreError if the file was removed or replaced: writes to it would be lost */
  checkNotReplaced(): void {
    const now = statSync(this.#file, { throwIfNoEntry: false });
    if (now !== undefined && (now.ino === this.#inode || !this.#hasInode)) return;
    const what = now === undefined ? "was removed" : "has been replaced by another file";
    throw new StoreError(
      `${this.#file} ${what}, so no more changes are saved. Stop this process, restore the file from a backup if there is one, and start again.`,
    );
  }

  /** Writes a line. If it throws, the file is unchanged. */
  append(change: JournalEntry): void {
    if (this.#needsCut) {
      try {
        this.#cutTo(this.#bytes);
      } catch (error) {
        throw asStoreError(
          error,
          `${this.#file}: a failed write cannot be cut off, so no more changes are saved`,
        );
      }
    }
    if (!this.#hasOwnerLine && this.#owner !== undefined) this.#writeOwnerLine(this.#owner);
    const line = encodeLine(change);
    try {
      writeAll(this.#io, this.#fd, line, this.#bytes);
    } catch (error) {
      this.#needsCut = !this.#tryCutTo(this.#bytes);
      throw error;
    }
    this.#bytes += line.length;
  }

  sync(): void {
    this.#io.fsyncSync(this.#fd);
  }

  /** Tries to remove the changes. Lines that the snapshot contains are harmless: `read` skips them. */
  clear(): void {
    this.#tryCutTo(this.#ownerBytes);
  }

  /** Tries to drop all lines before the offset of a line. One rename replaces the file. */
  dropBefore(startByte: number): void {
    if (startByte === this.#bytes) {
      this.clear();
      return;
    }
    try {
      const rest = Buffer.allocUnsafe(this.#ownerBytes + this.#bytes - startByte);
      const changesBytes = rest.length - this.#ownerBytes;
      if (readSync(this.#fd, rest, 0, this.#ownerBytes, 0) < this.#ownerBytes) return;
      if (readSync(this.#fd, rest, this.#ownerBytes, changesBytes, startByte) < changesBytes) return;
      this.#replaceBy(rest);
    } catch {
      // Lines that the snapshot contains are harmless.
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #cutTo(lengthBytes: number): void {
    this.#io.ftruncateSync(this.#fd, lengthBytes);
    this.#bytes = lengthBytes;
    this.#needsCut = false;
  }

  /** Returns false if the disk refuses. */
  #tryCutTo(lengthBytes: number): boolean {
    try {
      this.#cutTo(lengthBytes);
      return true;
    } catch {
      return false;
    }
  }
}

/** Opens or creates the journal. Throws for a link, since this program never creates a link there. */
function openJournal(journalFile: string): number {
  // Omits O_APPEND on Windows, where the flag prevents truncation. Each write gives its position instead.
  const appending = process.platform === "win32" ? 0 : constants.O_APPEND;
  const flags = constants.O_RDWR | constants.O_CREAT | appending | (constants.O_NOFOLLOW ?? 0);
  try {
    return openSync(journalFile, flags, 0o600);
  } catch (error) {
    if (systemErrorCode(error) !== "ELOOP") throw error;
    throw new StoreError(
      `${journalFile} is a link, which a journal never is. Remove the link, or use another file.`,
    );
  }
}

const CHUNK_BYTES = 1 << 20;

/** A line of a file as bytes; an unfinished one may end inside a character. */
interface Line {
  /** Without the newline. Valid until the next line is read. */
  readonly content: Buffer;
  /** Counted from 1. */
  readonly number: number;
  readonly startByte: number;
  /** False only for a last line without a newline. */
  readonly finished: boolean;
}

/** Reads a file line by line, in chunks, since the file may be longer than the longest string. */
function* readLines(fd: number): Generator<Line> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let lineParts: Buffer[] = [];
  let number = 1;
  let startByte = 0;
  let position = 0;
  for (;;) {
    const length = readSync(fd, chunk, 0, CHUNK_BYTES, position);
    if (length === 0) break;
    let from = 0;
    for (;;) {
      const newline = chunk.subarray(0, length).indexOf(0x0a, from);
      if (newline === -1) break;
      const tail = chunk.subarray(from, newline);
      const content = lineParts.length === 0 ? tail : Buffer.concat([...lineParts, tail]);
      lineParts = [];
      yield { content, number, startByte, finished: true };
      number += 1;
      from = newline + 1;
      startByte = position + from;
    }
    // A copy, since the chunk is reused.
    if (from < length) lineParts.push(Buffer.from(chunk.subarray(from, length)));
    position += length;
  }
  if (lineParts.length > 0) yield { content: Buffer.concat(lineParts), number, startByte, finished: false };
}
