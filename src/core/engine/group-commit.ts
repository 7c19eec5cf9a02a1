import type { Change, JournalEntry } from "./records.js";
import type { State } from "./state.js";
import type { Store } from "./store.js";

export interface StoreFailure {
  readonly error: unknown;
}

/** Changes that are stored together, or not at all. */
interface Batch {
  readonly changes: JournalEntry[];
  /** Undo callbacks, run in reverse order. */
  readonly undo: (() => void)[];
  /** Called in order once the batch is stored or undone. */
  readonly listeners: ((failure?: StoreFailure) => void)[];
  /** True if a caller waits for the batch, and so learns of a failure. */
  isAwaited: boolean;
}

interface DurableStore extends Store {
  readonly append: NonNullable<Store["append"]>;
}

export function isDurable(store: Store): store is DurableStore {
  return store.append !== undefined;
}

export interface GroupCommitOptions {
  readonly state: () => State;
  readonly store: DurableStore;
  /** Calls back at the end of the tick; if absent, each change is stored at once. */
  readonly atEndOfTick: ((run: () => void) => void) | undefined;
  /** Called after a rollback, before the listeners; `isReported` is true if a caller learns of the failure too. */
  readonly onRollback: (failure: StoreFailure, isReported: boolean) => void;
}

/**
 * Group commit: the changes of one tick enter the state immediately, and are stored together at the end of the tick or
 * earlier on request. Only stored changes are shown outside. If storing fails, the batch and later changes are undone.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #batch = newBatch();
  /** The batch an asynchronous store is writing. */
  #pending: { readonly batch: Batch; readonly done: Promise<void> } | undefined;
  #isPlanned = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** True if all changes so far are stored. */
  get isStored(): boolean {
    return this.#pending === undefined && this.#batch.changes.length === 0;
  }

  /** True while an asynchronous store is writing. */
  get isStoring(): boolean {
    return this.#pending !== undefined;
  }

  /**
   * Applies a change and adds it to the batch. The caller must call `scheduleFlush` next.
   *
   * @param undo undoes effects outside the state
   * @param show called once the change is stored
   */
  add(change: Change, undo: () => void, show: () => void): void {
    const { state, store } = this.#options;
    const { changes, undo: undos, listeners } = this.#batch;
    changes.push(store.encode?.(change, state()) ?? change);
    const undoChange = state().applyUndoably(change);
    undos.push(() => {
      undoChange();
      undo();
    });
    listeners.push((failure) => {
      if (failure === undefined) show();
    });
  }

  /** Plans to store the batch at the end of the tick. */
  scheduleFlush(): void {
    const { atEndOfTick } = this.#options;
    if (atEndOfTick === undefined) this.flush();
    else if (!this.#isPlanned) {
      this.#isPlanned = true;
      atEndOfTick(() => {
        this.#isPlanned = false;
        void this.flushQuietly();
      });
    }
  }

  /** Calls back when all changes so far are stored or undone. */
  whenStored(callback: (failure?: StoreFailure) => void): void {
    const batch = this.#batch.changes.length > 0 ? this.#batch : this.#pending?.batch;
    if (batch === undefined) {
      callback();
      return;
    }
    batch.isAwaited = true;
    batch.listeners.push(callback);
  }

  /** Stores the batch now. Returns a promise if the store is asynchronous; throws or rejects after a rollback. */
  flush(): Promise<void> | undefined {
    const storing = this.#store(true);
    if (storing === undefined || storing instanceof Promise) return storing;
    throw storing.error;
  }

  /** As `flush`, but never throws or rejects. */
  flushQuietly(): Promise<void> | undefined {
    const storing = this.#store(false);
    return storing instanceof Promise ? storing.catch(() => {}) : undefined;
  }

  /** @param isReported true if the caller throws the returned failure */
  #store(isReported: boolean): Promise<void> | StoreFailure | undefined {
    const batch = this.#batch;
    if (this.#pending !== undefined) {
      const { done } = this.#pending;
      return batch.changes.length === 0 ? done : withHandler(done.then(() => this.flush()));
    }
    if (batch.changes.length === 0) return undefined;
    this.#batch = newBatch();
    let pending: void | Promise<void>;
    try {
      pending = this.#options.store.append(batch.changes);
    } catch (error) {
      this.#rollBack([batch], { error }, isReported);
      return { error };
    }
    if (pending === undefined) {
      this.#confirm(batch);
      return undefined;
    }
    return this.waitFor(pending, batch);
  }

  /** Holds later changes back until an asynchronous store has written a batch or a replacement of the state. */
  waitFor(pending: Promise<void>, batch = newBatch()): Promise<void> {
    const onStored = (): void => {
      this.#pending = undefined;
      this.#confirm(batch);
    };
    const onFailed = (error: unknown): never => {
      const later = this.#batch;
      this.#batch = newBatch();
      this.#pending = undefined;
      // `false`: a caller may ignore the promise, so the error may still have to be reported.
      this.#rollBack([batch, later], { error }, false);
      throw error;
    };
    const done = withHandler(pending.then(onStored, onFailed));
    this.#pending = { batch, done };
    return done;
  }

  #confirm({ listeners }: Batch): void {
    // While later changes may still be undone, all undo data stays.
    if (this.isStored) this.#options.state().confirm();
    notifyAll(listeners);
  }

  #rollBack(batches: readonly Batch[], failure: StoreFailure, isReported: boolean): void {
    for (const { undo } of batches.toReversed()) for (const undoChange of undo.toReversed()) undoChange();
    const state = this.#options.state();
    state.tasks.restoreDropped();
    state.confirm();
    this.#options.onRollback(failure, isReported || batches.some(({ isAwaited }) => isAwaited));
    for (const { listeners } of batches) notifyAll(listeners, failure);
  }
}

/** Throws the first error of a listener after all have been called. */
function notifyAll(listeners: Batch["listeners"], failure?: StoreFailure): void {
  let first: StoreFailure | undefined;
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

/** Marks a rejection as handled, because callers need not wait for the promise. */
function withHandler(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}
