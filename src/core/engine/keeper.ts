import type { Change, KeptChange } from "./records.js";
import type { State } from "./state.js";
import type { Store } from "./store.js";

export interface NotKept {
  readonly error: unknown;
}

/** Changes that are stored together, or not at all. */
interface Batch {
  readonly changes: KeptChange[];
  /** Undo callbacks, the last to run first. */
  readonly undo: (() => void)[];
  /** Called in order once the batch is stored or undone. */
  readonly listeners: ((failure?: NotKept) => void)[];
  /** True if a caller waits for the batch, and so learns of a failure. */
  isAwaited: boolean;
}

interface DurableStore extends Store {
  readonly keep: NonNullable<Store["keep"]>;
}

export function keepsChanges(store: Store): store is DurableStore {
  return store.keep !== undefined;
}

export interface KeeperOptions {
  readonly state: () => State;
  readonly store: DurableStore;
  /** Calls back at the end of this event-loop tick; without it, each change is stored at once. */
  readonly atTurnsEnd: ((run: () => void) => void) | undefined;
  /** Called after a rollback, before the listeners; `isHeard` is true if a caller learns of the failure too. */
  readonly onUndone: (failure: NotKept, isHeard: boolean) => void;
}

/**
 * Group commit: the changes of one event-loop tick are in the state at once and are stored together at its end, or
 * earlier on request. They are shown outside after that. If storing fails, the batch and all later changes are undone.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  #batch = newBatch();
  /** The batch an asynchronous store is writing. */
  #pending: { readonly batch: Batch; readonly done: Promise<void> } | undefined;
  #isPlanned = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** True if all changes so far are stored. */
  get isKept(): boolean {
    return this.#pending === undefined && this.#batch.changes.length === 0;
  }

  /** True while an asynchronous store is writing. */
  get isKeeping(): boolean {
    return this.#pending !== undefined;
  }

  /**
   * Applies a change and adds it to the batch, which the caller schedules next.
   *
   * @param undo undoes effects outside the state
   * @param show called once the change is stored
   */
  add(change: Change, undo: () => void, show: () => void): void {
    const { state, store } = this.#options;
    const { changes, undo: undos, listeners } = this.#batch;
    changes.push(store.keptOf?.(change, state()) ?? change);
    const undoChange = state().tryOut(change);
    undos.push(() => {
      undoChange();
      undo();
    });
    listeners.push((failure) => {
      if (failure === undefined) show();
    });
  }

  /** Plans to store the batch at the end of the tick. */
  plan(): void {
    const { atTurnsEnd } = this.#options;
    if (atTurnsEnd === undefined) this.keep();
    else if (!this.#isPlanned) {
      this.#isPlanned = true;
      atTurnsEnd(() => {
        this.#isPlanned = false;
        void this.calm();
      });
    }
  }

  /** Calls back when all changes so far are stored or undone. */
  whenKept(callback: (failure?: NotKept) => void): void {
    const batch = this.#batch.changes.length > 0 ? this.#batch : this.#pending?.batch;
    if (batch === undefined) {
      callback();
      return;
    }
    batch.isAwaited = true;
    batch.listeners.push(callback);
  }

  /** Stores the batch now. Returns a promise if the store is asynchronous; throws or rejects after a rollback. */
  keep(): Promise<void> | undefined {
    const keeping = this.#keep(true);
    if (keeping === undefined || keeping instanceof Promise) return keeping;
    throw keeping.error;
  }

  /** The same, but never throws or rejects. */
  calm(): Promise<void> | undefined {
    const keeping = this.#keep(false);
    return keeping instanceof Promise ? keeping.catch(() => {}) : undefined;
  }

  #keep(isHeard: boolean): Promise<void> | NotKept | undefined {
    const batch = this.#batch;
    if (this.#pending !== undefined) {
      const { done } = this.#pending;
      return batch.changes.length === 0 ? done : withHandler(done.then(() => this.keep()));
    }
    if (batch.changes.length === 0) return undefined;
    this.#batch = newBatch();
    let pending: void | Promise<void>;
    try {
      pending = this.#options.store.keep(batch.changes);
    } catch (error) {
      this.#rollBack([batch], { error }, isHeard);
      return { error };
    }
    if (pending === undefined) {
      this.#confirm(batch);
      return undefined;
    }
    const onStored = (): void => {
      this.#pending = undefined;
      this.#confirm(batch);
    };
    const onFailed = (error: unknown): never => {
      const later = this.#batch;
      this.#batch = newBatch();
      this.#pending = undefined;
      this.#rollBack([batch, later], { error }, false);
      throw error;
    };
    const done = withHandler(pending.then(onStored, onFailed));
    this.#pending = { batch, done };
    return done;
  }

  #confirm({ listeners }: Batch): void {
    // Later changes may still be undone.
    if (this.isKept) this.#options.state().confirm();
    notifyAll(listeners);
  }

  #rollBack(batches: readonly Batch[], failure: NotKept, isHeard: boolean): void {
    for (const { undo } of batches.toReversed()) for (const undoChange of undo.toReversed()) undoChange();
    const state = this.#options.state();
    state.tasks.restoreDropped();
    state.confirm();
    this.#options.onUndone(failure, isHeard || batches.some(({ isAwaited }) => isAwaited));
    for (const { listeners } of batches) notifyAll(listeners, failure);
  }
}

/** Throws the first error of a listener after all have been called. */
function notifyAll(listeners: Batch["listeners"], failure?: NotKept): void {
  let first: NotKept | undefined;
  for (const listener of listeners) {
    try {
      listener(failure);
    } catch (error) {
      first ??= { error };
    }
  }
  if (first !== undefined) throw first.error;
}

function newBatch(): Batch {
  return { changes: [], undo: [], listeners: [], isAwaited: false };
}

/** Marks a rejection as handled: callers need not wait. */
function withHandler(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}
