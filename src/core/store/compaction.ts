import type { FrozenState } from "../engine/frozen-state.js";
import { yieldToOthers } from "../time/wall.js";
import type { Journal } from "./journal.js";
import type { SnapshotFile } from "./snapshot.js";

/** What a compaction works on. */
export interface Files {
  readonly snapshot: SnapshotFile;
  readonly journal: Journal;
  /** A name in their folder for what is being written. */
  readonly temporary: string;
  /** Throws when the files must not be written to. */
  readonly check: () => void;
}

/**
 * A new snapshot, written while changes go on being appended, and then the journal without what the snapshot has. A
 * kill at any moment leaves the one snapshot or the other with a journal that goes on from it: lines it has are passed over.
 */
export class Compaction {
  readonly #files: Files;
  readonly #writing: Generator<void, void>;
  /** Where the lines begin that the snapshot does not have. */
  readonly #nextByte: number;
  #isOff = false;

  /** @param state with the last change of the journal in it */
  constructor(files: Files, state: FrozenState) {
    this.#files = files;
    this.#nextByte = files.journal.part();
    this.#writing = files.snapshot.begin(state, { check: files.check, fsync: false });
  }

  /** How much has come to the journal since this began. */
  get behindBytes(): number {
    return this.#files.journal.bytes - this.#nextByte;
  }

  /** Throws what the disk said; nothing is lost then. */
  async run(): Promise<void> {
    const { snapshot } = this.#files;
    while (!this.#writing.next().done) {
      await yieldToOthers();
      if (this.#isOff) return;
    }
    try {
      await snapshot.sync();
    } catch (error) {
      if (this.#isOff) return;
      snapshot.drop();
      throw error;
    }
    if (!this.#isOff) this.#publish();
  }

  /** Does the rest at once; throws as `run` does. */
  hurry(): void {
    const { snapshot } = this.#files;
    this.#isOff = true;
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
    const { snapshot, journal, temporary, check } = this.#files;
    snapshot.publish(check);
    journal.dropBefore(this.#nextByte, temporary);
  }

  /** Leaves everything as it was before. */
  callOff(): void {
    if (this.#isOff) return;
    this.#isOff = true;
    this.#writing.return();
    this.#files.snapshot.drop();
  }
}
