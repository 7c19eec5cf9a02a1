import type { Change, FrozenState, JournalEntry, RecordReader, StateDump } from "./records.js";

export interface StoreFailure {
  readonly error: unknown;
}

export interface StoreEvents {
  /** All changes up to this number are safe. */
  onSafe(seq: number): void;
  /** An appended change may be lost. The store refuses changes until the state has been loaded again. */
  onFailed(error: unknown): void;
}

/** Persistence of changes: a change is appended, then applied, then told. */
export interface Store {
  /** State of an earlier run: a snapshot, and the changes after it. */
  load(
    events: StoreEvents,
  ): { snapshot: StateDump | undefined; changes: readonly JournalEntry[] } | undefined;
  /**
   * Takes a change. If it throws, nothing is stored and the change has not happened. `onSafe` follows, during the call or
   * later. A store without this method is in memory only.
   *
   * @param before records before the change
   */
  append?(change: Change, before: RecordReader): void;
  /** Replaces the stored state, like `append`. */
  replace(state: StateDump): void;
  /**
   * Starts to compact a large store in the background; called when all changes are safe. A failure loses no data.
   *
   * @param state returns the state as of the last change
   * @returns undefined if there is nothing to do, else a promise, which resolves to the error of a failure
   */
  compactIfLarge(state: () => FrozenState): Promise<Error | undefined> | undefined;
  /** Closes the store. If `dump` is given, compacts the store to the state that `dump` returns. */
  close(dump?: () => StateDump): void;
  /** The error to throw if the loaded data makes no valid state. */
  toLoadError(cause: unknown): unknown;
}
