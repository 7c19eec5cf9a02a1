import type { FrozenState } from "./frozen-state.js";
import type { Change, KeptChange, Records, StateDump } from "./records.js";

/**
 * Where changes are kept. `append` comes before the change is published to memory: when it throws, nothing
 * has happened. The memory store keeps nothing.
 */
export interface Store {
  /** What was kept by an earlier run: a snapshot, and the changes after it. */
  load(): { snapshot: StateDump | undefined; changes: readonly KeptChange[] } | undefined;
  /** @param before the records the change will be applied to: what follows from them need not be kept */
  append(change: Change, before?: Records): void;
  /** Reset, restore, import: from here on the state is this one. */
  replace(state: StateDump): void;
  /**
   * To be called after each change: a store that has grown begins to shrink, beside what goes on. `state` must give the
   * state with the last appended change in it.
   *
   * @returns undefined where there is nothing to do; else why it could not in the end, if it could not: nothing is lost
   */
  compactIfLarge(state: () => FrozenState): Promise<Error | undefined> | undefined;
  /** May compact: `dump` gives the whole state when asked. Without it nothing more is written. */
  close(dump?: () => StateDump): void;
  /** No state can be made of what `load` gave: what to throw for that cause. */
  unusable(cause: unknown): unknown;
}
