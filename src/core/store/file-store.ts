import { existsSync } from "node:fs";
import { encodeChange } from "../engine/encode-change.js";
import type { Change, FrozenState, RecordReader, StateDump } from "../engine/records.js";
import type { Store, StoreEvents } from "../engine/store.js";
import { errorText } from "../schema/error-text.js";
import { afterPendingIo, monotonicMs } from "../time/timers.js";
import { DataJournal } from "./data-journal.js";
import { checkParentFolder, checkWritable, nodeIo, resolveSymlinks, type StoreIo } from "./file-system.js";
import type { JournalOwner } from "./journal-line.js";
import { type Lock, takeLock } from "./lock.js";
import { Compaction, SnapshotFile } from "./snapshot-file.js";
import { asStoreError, damagedFileError, StoreError } from "./store-error.js";

const DEFAULT_COMPACT_AT_BYTES = 64 * 1024 * 1024;

/**
 * Pause between checks that lock and journal still exist. Writes to a removed file would be lost. The pause is
 * `perMsOfCheck` times the duration of the last check, within `min` and `max`.
 */
const CHECK_MS = { min: 10, max: 1_000, perMsOfCheck: 50 };

export interface FileStoreOptions {
  /** The snapshot, a lowdb file in an existing folder. FILE.journal and FILE.lock are beside the snapshot. */
  readonly file: string;
  /** Syncs the changes of each tick to the disk, which makes them safe against power loss. */
  readonly fsync?: boolean;
  /** Below this journal size `compactIfLarge` does nothing. Default: 64 MiB. */
  readonly compactAtBytes?: number;
  /** Receives notices of a successful opening: a torn last line that was dropped. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** Replacements of system calls, for tests of failures. */
  readonly io?: Partial<StoreIo>;
}

/**
 * Stores a namespace in a readable snapshot (lowdb) and a journal of later changes. The files survive kill -9 at any
 * moment, and with `fsync` also a power loss. `load` takes the lock and must be called first.
 */
export class FileStore implements Store {
  readonly #options: FileStoreOptions;
  readonly #file: string;
  readonly #io: StoreIo;
  readonly #snapshot: SnapshotFile;
  #open: { readonly journal: DataJournal; readonly lock: Lock } | undefined;
  #compaction: Compaction | undefined;
  #lastSeq = 0;
  #events: StoreEvents | undefined;
  #isSyncPlanned = false;
  /** A sync that failed. Any of the changes before it may be missing on the disk. */
  #syncFailure: StoreError | undefined;
  #retryCompactionAtBytes = 0;
  #nextCheckMs = 0;

  constructor(options: FileStoreOptions) {
    this.#options = options;
    this.#file = resolveSymlinks(options.file);
    this.#io = { ...nodeIo, ...options.io };
    this.#snapshot = new SnapshotFile(this.#file, this.#io);
  }

  /** @throws StoreError if the folder is missing, the file is damaged, or another process uses it */
  load(events?: StoreEvents): ReturnType<Store["load"]> {
    this.#events = events;
    const file = this.#file;
    if (this.#open !== undefined) throw new StoreError(`${file}: the store is open already.`);
    checkParentFolder(file);
    const { fsync = false, onNotice = () => {} } = this.#options;
    let lock: Lock | undefined;
    let journal: DataJournal | undefined;
    try {
      lock = takeLock(file);
      checkWritable(file);
      const snapshot = this.#snapshot.read();
      const owner = ownerOf(snapshot);
      journal = new DataJournal({ file, fsync, io: this.#io, owner });
      this.#open = { journal, lock };
      // A start that is killed before its first snapshot leaves no file.
      const absence = lock.wasTakenOver && existsSync(file) ? "lost" : "absent";
      const presence = snapshot === undefined ? absence : "there";
      const changes = journal.read(snapshot?.seq ?? 0, presence, () => this.#checkIfDue());
      this.#check();
      if (journal.loss !== undefined && snapshot !== undefined && lock.wasTakenOver)
        onNotice(
          `${file}.journal is ${journal.loss}, though the process that used it did not close it: changes after the snapshot ${file} may be lost; restore both files from one backup if there is one`,
        );
      if (journal.droppedSeed !== undefined)
        onNotice(
          `${file}.journal had the seed ${JSON.stringify(journal.droppedSeed)}, unlike ${file}, and no changes after that snapshot: cut`,
        );
      const tornBytes = journal.dropTornLine();
      if (tornBytes > 0)
        onNotice(
          `${file}.journal: dropped its last ${tornBytes} bytes, a change that was never finished when the process ended`,
        );
      if (owner !== undefined) journal.begin(owner);
      this.#lastSeq = changes.at(-1)?.seq ?? snapshot?.seq ?? 0;
      return snapshot === undefined && changes.length === 0 ? undefined : { snapshot, changes };
    } catch (error) {
      this.#open = undefined;
      journal?.close();
      lock?.release();
      throw asStoreError(error, `Cannot open ${file}`);
    }
  }

  /** @throws StoreError with the disk's error. In this case nothing is written. */
  append(change: Change, before: RecordReader): void {
    const { journal } = this.#openOrThrow();
    if (this.#syncFailure !== undefined) throw this.#syncFailure;
    // Only a bug can cause this; a file with such a gap could not be loaded again.
    if (change.seq !== this.#lastSeq + 1)
      throw new StoreError(`${this.#file}: change ${change.seq} cannot follow change ${this.#lastSeq}.`);
    this.#checkIfDue();
    try {
      journal.append(encodeChange(change, before));
    } catch (error) {
      throw asStoreError(error, `Cannot write ${this.#file}.journal`);
    }
    this.#lastSeq = change.seq;
    if (this.#options.fsync !== true) this.#events?.onSafe(change.seq);
    else if (!this.#isSyncPlanned) {
      this.#isSyncPlanned = true;
      afterPendingIo(() => this.#sync());
    }
  }

  /** Syncs the changes since the last sync. After a failure the store refuses changes until a restart. */
  #sync(): void {
    this.#isSyncPlanned = false;
    if (this.#open === undefined) return;
    try {
      this.#open.journal.sync();
    } catch (error) {
      this.#syncFailure = asStoreError(
        error,
        `Cannot sync ${this.#file}.journal, so no more changes are taken: free the disk and restart`,
      );
      this.#events?.onFailed(this.#syncFailure);
      return;
    }
    this.#events?.onSafe(this.#lastSeq);
  }

  /** @throws StoreError with the disk's error. In this case the old state stays. */
  replace(state: StateDump): void {
    this.#openOrThrow();
    if (this.#syncFailure !== undefined) throw this.#syncFailure;
    // Refuses a lower number: after a crash, `load` would replay newer journal lines on the new snapshot.
    if (state.seq < this.#lastSeq)
      throw new StoreError(
        `${this.#file}: a state at change ${state.seq} cannot replace one at ${this.#lastSeq}.`,
      );
    this.#cancelCompaction();
    try {
      this.#compact(state);
    } catch (error) {
      throw asStoreError(error, `Cannot write ${this.#file}`);
    }
    this.#lastSeq = state.seq;
    this.#events?.onSafe(state.seq);
  }

  /**
   * Starts a new snapshot if the journal is larger than `compactAtBytes` and more than twice as large as the snapshot,
   * so that the average cost of a change is constant. After a failure, retries when the journal has doubled.
   */
  compactIfLarge(state: () => FrozenState): Promise<StoreError | undefined> | undefined {
    const { journal } = this.#openOrThrow();
    const { compactAtBytes = DEFAULT_COMPACT_AT_BYTES } = this.#options;
    const largeBytes = Math.max(compactAtBytes, 2 * this.#snapshot.bytes, this.#retryCompactionAtBytes);
    const running = this.#compaction;
    if (running !== undefined) {
      if (running.appendedBytes <= largeBytes) return undefined;
      // Finishes synchronously: callers that never yield would hold the compaction up while the journal grows.
      this.#compaction = undefined;
      return this.#finish(running, journal, () => running.finishNow());
    }
    if (journal.bytes <= largeBytes) return undefined;
    const files = { snapshot: this.#snapshot, journal, check: () => this.#check() };
    const compaction = new Compaction(files, this.#assertCurrent(state()));
    this.#compaction = compaction;
    return this.#finish(compaction, journal, () => compaction.run());
  }

  async #finish(
    compaction: Compaction,
    journal: DataJournal,
    work: () => Promise<void> | void,
  ): Promise<StoreError | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      return asStoreError(error, `Cannot compact ${this.#file}`);
    } finally {
      if (this.#compaction === compaction) this.#compaction = undefined;
      // After a failure, the journal must double before the next compaction. After a success, the journal is small.
      this.#retryCompactionAtBytes = 2 * journal.bytes;
    }
  }

  close(dump?: () => StateDump): void {
    if (this.#open === undefined) return;
    const { journal, lock } = this.#open;
    if (this.#isSyncPlanned) this.#sync();
    this.#cancelCompaction();
    try {
      if (dump !== undefined && !journal.isEmpty && this.#syncFailure === undefined)
        this.#compact(this.#assertCurrent(dump()));
    } finally {
      this.#open = undefined;
      try {
        journal.close();
      } finally {
        lock.release();
      }
    }
  }

  toLoadError(cause: unknown): StoreError {
    const reason = errorText(cause);
    return damagedFileError(this.#file, this.#file, `not a state of this program (${reason})`);
  }

  #openOrThrow() {
    if (this.#open === undefined) throw new StoreError(`${this.#file}: the store is not open.`);
    return this.#open;
  }

  #checkIfDue(): void {
    if (monotonicMs() >= this.#nextCheckMs) this.#check();
  }

  #check(): void {
    const { journal, lock } = this.#openOrThrow();
    const beginMs = monotonicMs();
    journal.checkNotReplaced();
    lock.check();
    const endMs = monotonicMs();
    const pauseMs = CHECK_MS.perMsOfCheck * (endMs - beginMs);
    this.#nextCheckMs = endMs + Math.min(Math.max(CHECK_MS.min, pauseMs), CHECK_MS.max);
  }

  #assertCurrent<Dump extends FrozenState>(state: Dump): Dump {
    // Compaction to a dump without the last change would lose that change.
    if (state.seq !== this.#lastSeq)
      throw new StoreError(
        `${this.#file}: the dump is at change ${state.seq}, the journal at ${this.#lastSeq}.`,
      );
    return state;
  }

  #cancelCompaction(): void {
    this.#compaction?.cancel();
    this.#compaction = undefined;
  }

  #compact(state: StateDump): void {
    const journal = this.#open?.journal;
    const owner = ownerOf(state);
    // Before the first snapshot: no process that is killed leaves an empty journal beside a snapshot.
    if (journal?.bytes === 0 && owner !== undefined) journal.begin(owner);
    this.#snapshot.write(state, () => this.#check());
    journal?.clear();
    if (owner !== undefined) journal?.begin(owner);
  }
}

/** Returns undefined for a state without the namespace's own record. */
function ownerOf(state: StateDump | undefined): JournalOwner | undefined {
  const record = state?.collections.namespace?.[0]?.[1];
  return record === undefined ? undefined : { journal_of: record.name, seed: record.seed };
}
