import { isUtf8 } from "node:buffer";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { LowSync } from "lowdb";
import type { FrozenState, StateDump } from "../engine/records.js";
import { isJsonObject } from "../schema/json-objects.js";
import { yieldToEventLoop } from "../time/wall-clock.js";
import { hasValidChecksum, writeChecksummedFile } from "./checksummed-file.js";
import type { DataJournal } from "./data-journal.js";
import { checkWritable, type StoreIo, syncParentFolder } from "./file-system.js";
import { encodeState, isStateDump } from "./state-format.js";
import { damagedFileError, readIfExists, StoreError } from "./store-error.js";

/**
 * The readable snapshot, a lowdb file. lowdb's own adapters rewrite the file without fsync, so a power loss could
 * destroy both the old and the new state. This adapter syncs a copy, then renames the copy over the file.
 */
export class SnapshotFile {
  readonly #file: string;
  readonly #io: StoreIo;
  readonly #maxBytes: number | undefined;
  readonly #db: LowSync<StateDump | null>;
  #check = (): void => {};
  #bytes = 0;
  #writtenBytes = 0;

  /** @param maxBytes longest readable content; default: the longest string of this Node */
  constructor(file: string, io: StoreIo, maxBytes?: number) {
    this.#file = file;
    this.#io = io;
    this.#maxBytes = maxBytes;
    const adapter = {
      read: () => this.#parse(),
      write: (state: StateDump | null) => this.#replaceWith(state),
    };
    this.#db = new LowSync<StateDump | null>(adapter, null);
  }

  /** Size of the snapshot last read or written; 0 if there is none. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns undefined for a missing or empty file. */
  read(): StateDump | undefined {
    this.#db.read();
    const state = this.#db.data ?? undefined;
    this.#db.data = null;
    return state;
  }

  /** Atomic: if `check` throws before, during or after writing, the previous snapshot is intact. */
  write(state: StateDump, check: () => void): void {
    this.#db.data = state;
    this.#check = check;
    try {
      this.#db.write();
    } finally {
      // The engine owns the state; a second reference would keep its dead records alive.
      this.#db.data = null;
    }
  }

  #parse(): StateDump | null {
    const content = readIfExists(() => readFileSync(this.#file)) ?? Buffer.alloc(0);
    this.#bytes = content.length;
    return content.length === 0 ? null : parse(this.#file, content);
  }

  #replaceWith(state: StateDump | null): void {
    if (state === null) return;
    for (const _ of this.begin(state, { check: this.#check, fsync: true }));
    this.publish(this.#check);
  }

  /**
   * Writes the next snapshot to a temporary file, piece by piece. If interrupted, removes the file.
   *
   * @param fsync true to sync the file at the end; otherwise call `sync` before `publish`
   */
  *begin(
    state: FrozenState,
    { check, fsync }: { readonly check: () => void; readonly fsync: boolean },
  ): Generator<void, void> {
    const file = this.#file;
    check();
    checkWritable(file);
    const tooLong = (maxBytes: number) =>
      `${file}: the state is larger than ${maxBytes} bytes, which a snapshot cannot hold; nothing is lost, the changes stay in ${file}.journal.`;
    const options = { fsync, io: this.#io, maxBytes: this.#maxBytes };
    for (this.#writtenBytes of writeChecksummedFile(this.#temporary, encodeState(state), options, tooLong)) {
      check();
      yield;
    }
  }

  async sync(): Promise<void> {
    const fd = openSync(this.#temporary, "r+");
    try {
      await this.#io.fsync(fd);
    } finally {
      closeSync(fd);
    }
  }

  syncNow(): void {
    const fd = openSync(this.#temporary, "r+");
    try {
      this.#io.fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  publish(check: () => void): void {
    try {
      check();
      this.#io.renameSync(this.#temporary, this.#file);
    } catch (error) {
      this.drop();
      throw error;
    }
    syncParentFolder(this.#file, this.#io);
    this.#bytes = this.#writtenBytes;
  }

  drop(): void {
    rmSync(this.#temporary, { force: true });
  }

  get #temporary(): string {
    return `${this.#file}.tmp`;
  }
}

function parse(file: string, content: Buffer): StateDump {
  let value: unknown;
  try {
    if (!isUtf8(content)) throw new SyntaxError("not UTF-8");
    value = JSON.parse(content.toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw damagedFileError(file, file, "not JSON, so it is damaged or not a snapshot of this program");
  }
  // Users who edit the file remove the checksum, as `checksumError` tells them.
  const { checksum, ...state } = isJsonObject(value) ? value : {};
  if (checksum !== undefined && !hasValidChecksum(content)) throw checksumError(file);
  if (Number.isSafeInteger(state.version) && state.version !== 1) {
    throw damagedFileError(file, file, `has version ${state.version}, and this program reads version 1`);
  }
  if (!isStateDump(state)) throw damagedFileError(file, file, "JSON, but not a snapshot of this program");
  return state;
}

function checksumError(file: string): StoreError {
  return new StoreError(
    `${file}: its checksum does not match: it is damaged or was edited. Restore ${file} and ${file}.journal from a backup, or keep the edit by removing "checksum" from the file.`,
  );
}

interface CompactionFiles {
  readonly snapshot: SnapshotFile;
  readonly journal: DataJournal;
  /** Throws if the lock is lost or the journal was removed or replaced. */
  readonly check: () => void;
}

/**
 * Writes a new snapshot while changes are appended, then drops the journal lines that the snapshot contains. A kill at
 * any moment leaves a usable pair of files, because `read` skips these lines.
 */
export class Compaction {
  readonly #files: CompactionFiles;
  readonly #writing: Generator<void, void>;
  /** Start of the journal lines that the snapshot does not contain. */
  readonly #nextByte: number;
  #isCancelled = false;

  /** @param state includes the last change of the journal */
  constructor(files: CompactionFiles, state: FrozenState) {
    this.#files = files;
    this.#nextByte = files.journal.bytes;
    this.#writing = files.snapshot.begin(state, { check: files.check, fsync: false });
  }

  /** Bytes appended to the journal since the start of the compaction. */
  get appendedBytes(): number {
    return this.#files.journal.bytes - this.#nextByte;
  }

  /** Writes and publishes the snapshot. If it throws, the previous snapshot and the journal are intact. */
  async run(): Promise<void> {
    const { snapshot } = this.#files;
    while (!this.#writing.next().done) {
      await yieldToEventLoop();
      if (this.#isCancelled) return;
    }
    try {
      await snapshot.sync();
    } catch (error) {
      if (this.#isCancelled) return;
      snapshot.drop();
      throw error;
    }
    if (!this.#isCancelled) this.#publish();
  }

  /** Finishes synchronously; throws as `run` does. */
  finishNow(): void {
    const { snapshot } = this.#files;
    this.#isCancelled = true;
    try {
      while (!this.#writing.next().done);
      snapshot.syncNow();
    } catch (error) {
      snapshot.drop();
      throw error;
    }
    this.#publish();
  }

  #publish(): void {
    const { snapshot, journal, check } = this.#files;
    snapshot.publish(check);
    journal.dropBefore(this.#nextByte);
  }

  /** Cancels; the published snapshot and the journal stay as they are. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#writing.return();
    this.#files.snapshot.drop();
  }
}
