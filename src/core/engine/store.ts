import type { FrozenState } from "./frozen-state.js";
import type { Change, JournalEntry, RecordReader, StateDump } from "./records.js";

/** Persistence of changes. A change is shown outside once it is stored; if it cannot be stored, it is undone. */
export interface Store {
  /** State of an earlier run: a snapshot, and the changes after it. */
  load(): { snapshot: StateDump | undefined; changes: readonly JournalEntry[] } | undefined;
  /**
   * Encodes a change for the journal; without this method changes are stored whole.
   *
   * @param before records before the change; data that follows from them is left out
   */
  encode?(change: Change, before: RecordReader): JournalEntry;
  /**
   * Stores all changes of a batch; after an error, no change of the batch is stored. Not called again before the
   * promise has settled. A store without this method is in memory only.
   */
  append?(changes: readonly JournalEntry[]): void | Promise<void>;
  /** Replaces the stored state; never called during `append`. A rejection discards the namespace. */
  replace(state: StateDump): void | Promise<void>;
  /**
   * Starts to compact a large store in the background; called after each change. A failure loses no data.
   *
   * @param state returns the state as of the last stored change
   * @returns undefined if there is nothing to do, else a promise, which resolves to the error of a failure
   */
  compactIfLarge(state: () => FrozenState): Promise<Error | undefined> | undefined;
  /** Closes the store. If `dump` is given, compacts the store to the state that `dump` returns. */
  close(dump?: () => StateDump): void;
  /** The error to throw if the loaded data makes no valid state. */
  toLoadError(cause: unknown): unknown;
}
