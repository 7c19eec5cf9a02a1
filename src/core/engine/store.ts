import type { FrozenState } from "./frozen-state.js";
import type { Change, JournalEntry, RecordReader, StateDump } from "./records.js";

/** Persistence of changes. A change is shown outside once it is stored; one that cannot be stored has not happened. */
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
   * Stores a batch of changes, all or none: if it throws or rejects, none has happened. Not called again before its
   * promise has settled. A store without this method is in memory only.
   */
  append?(changes: readonly JournalEntry[]): void | Promise<void>;
  /** Replaces the stored state. Never called while changes are being stored. After a rejection the namespace is discarded. */
  replace(state: StateDump): void | Promise<void>;
  /**
   * Starts to compact a large store in the background; call it after each change.
   *
   * @param state returns the state as of the last stored change
   * @returns undefined if there is nothing to do, else a promise of the error, if compaction fails; no data is lost then
   */
  compactIfLarge(state: () => FrozenState): Promise<Error | undefined> | undefined;
  /** Closes the store, and compacts it if `dump`, which returns the whole state, is given. */
  close(dump?: () => StateDump): void;
  /** The error to throw if the loaded data makes no valid state. */
  loadError(cause: unknown): unknown;
}
