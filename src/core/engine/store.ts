import type { FrozenState } from "./frozen-state.js";
import type { Change, KeptChange, Records, StateDump } from "./records.js";

/**
 * Where changes are kept. Nobody outside sees a change before it is; when it cannot be, it has not happened. The memory
 * store keeps nothing.
 */
export interface Store {
  /** What was kept by an earlier run: a snapshot, and the changes after it. */
  load(): { snapshot: StateDump | undefined; changes: readonly KeptChange[] } | undefined;
  /**
   * What is to be kept of a change; without this method, all of it.
   *
   * @param before the records the change is about to be applied to: what follows from them need not be kept
   */
  keptOf?(change: Change, before: Records): KeptChange;
  /**
   * Keeps the changes of a turn, all or none: when it throws or rejects, nothing has happened. Before a promise it gave
   * has settled it is not asked for the next. A store without this method keeps nothing.
   */
  keep?(changes: readonly KeptChange[]): void | Promise<void>;
  /** Reset, restore, import: from here on the state is this one. No change is being kept meanwhile. */
  replace(state: StateDump): void;
  /**
   * To be called after each change: a store that has grown begins to shrink, beside what goes on. `state` must give the
   * state with the last change that was kept in it, and no later one.
   *
   * @returns undefined where there is nothing to do; else why it could not in the end, if it could not: nothing is lost
   */
  compactIfLarge(state: () => FrozenState): Promise<Error | undefined> | undefined;
  /** May compact: `dump` gives the whole state when asked. Without it nothing more is written. */
  close(dump?: () => StateDump): void;
  /** No state can be made of what `load` gave: what to throw for that cause. */
  unusable(cause: unknown): unknown;
}
