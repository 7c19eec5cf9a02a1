import type { FrozenState } from "../engine/records.js";
import { yieldToEventLoop } from "../time/wall-clock.js";
import type { DataJournal } from "./data-journal.js";
import type { SnapshotFile } from "./snapshot-file.js";

export interface CompactionFiles {
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
