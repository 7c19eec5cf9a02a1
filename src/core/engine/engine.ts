import type { Catalogue } from "../domain/catalogue.js";
import { isRefusal } from "../schema/refusals.js";
import type { Settings } from "../schema/settings.js";
import { initializeNamespace } from "./commands/namespace-setup.js";
import { decodeChange } from "./encode-change.js";
import { GroupCommit, isDurable, type StoreFailure } from "./group-commit.js";
import { idScopeOf } from "./ids.js";
import type { Change, ClockRecord, NamespaceRecord, RecordPut, StateDump, Task } from "./records.js";
import { RuleCounts } from "./rule-counts.js";
import { State } from "./state.js";
import type { Store } from "./store.js";
import { type Command, Transaction } from "./transaction.js";

export interface EngineOptions {
  readonly name: string;
  readonly seed: string;
  readonly startMs: number;
  /** True if the user chose `startMs`; false if it is the current time. */
  readonly isStartExplicit: boolean;
  readonly catalogue: Catalogue;
  readonly settings: Settings;
  readonly store: Store;
  /** Throws if the loaded state is invalid. */
  readonly audit?: ((state: State) => void) | undefined;
  /** Adds endpoints and scenarios to a new namespace, after its fixtures. */
  readonly setUp: Command<unknown>;
  /** Rule counts of all namespaces together. */
  readonly totalRuleCounts?: Map<string, number> | undefined;
  readonly memoryGuard?: MemoryGuard | undefined;
  /** Calls back at the end of the tick; if absent, each change is stored at once. */
  readonly atEndOfTick?: (run: () => void) => void;
}

/** Checks for free memory before each change. */
export interface MemoryGuard {
  /** @throws InsufficientSpace if memory is short */
  check(): void;
}

/**
 * Owns the state of a namespace. The service, the control API, the pages and the scheduler pass Commands to `execute`.
 * A command runs synchronously and makes one Change, which is checked and applied. The Store gets changes in batches.
 * A command never waits, no caller sees it half applied, and no change is shown outside before it is stored.
 */
export class Engine {
  readonly catalogue: Catalogue;
  readonly settings: Settings;
  readonly appliedCounts: RuleCounts;
  readonly #options: EngineOptions;
  readonly #memoryGuard: MemoryGuard | undefined;
  /** Undefined if the store is in memory only. */
  readonly #groupCommit: GroupCommit | undefined;
  readonly #commitListeners = new Set<(change: Change) => void>();
  readonly #storedListeners = new Set<(change: Change) => void>();
  readonly #rollbackListeners = new Set<(failure: StoreFailure, isReported: boolean) => void>();
  #state = new State();
  #scope = "";

  constructor(options: EngineOptions) {
    this.catalogue = options.catalogue;
    this.settings = options.settings;
    this.appliedCounts = new RuleCounts(options.totalRuleCounts);
    this.#options = options;
    this.#memoryGuard = options.memoryGuard;
    const { store } = options;
    if (isDurable(store))
      this.#groupCommit = new GroupCommit({
        state: () => this.#state,
        store,
        atEndOfTick: options.atEndOfTick,
        onRollback: (failure, isReported) => {
          for (const listener of this.#rollbackListeners) listener(failure, isReported);
        },
      });
    const loaded = options.store.load();
    if (loaded === undefined) {
      this.#begin(options.startMs, 0, 0);
      return;
    }
    try {
      if (loaded.snapshot !== undefined) this.#state = State.from(loaded.snapshot);
      for (const change of loaded.changes) this.#state.apply(decodeChange(change, this.#state));
      options.audit?.(this.#state);
      this.#rescope();
    } catch (error) {
      throw options.store.toLoadError(error);
    }
  }

  /** Read-only for callers. */
  get state(): State {
    return this.#state;
  }

  /** The one record of the collection `namespace`: the namespace itself. */
  get namespace(): NamespaceRecord {
    return this.#state.get("namespace", "namespace")!;
  }

  /** Prefix hashed into new ids: seed, namespace name, generation (changed by resets) and number of restores. */
  get scope(): string {
    return this.#scope;
  }

  /**
   * Runs a command, applies its Change and notifies listeners; the change is stored with its batch. A refusal, an
   * exception or a store error changes nothing.
   *
   * @param undo undoes the caller's other effects if the change cannot be stored
   */
  execute<Result>(command: Command<Result>, atMs: number, undo?: () => void): Result {
    const now = Math.max(atMs, this.#state.at);
    const tx = new Transaction(this.#state, this.catalogue, this.settings, this.#scope, now);
    const result = command(tx);
    if (isRefusal(result)) return result;
    const change = tx.change();
    if (change === undefined) return result;
    this.#memoryGuard?.check();
    if (this.#groupCommit === undefined) {
      this.#state.apply(change);
      this.appliedCounts.add(tx.appliedRules);
      for (const listener of this.#commitListeners) listener(change);
      for (const listener of this.#storedListeners) listener(change);
      return result;
    }
    this.#addToBatch(this.#groupCommit, change, tx, undo);
    return result;
  }

  #addToBatch(
    groupCommit: GroupCommit,
    change: Change,
    { appliedRules: applied }: Transaction,
    undo?: () => void,
  ): void {
    groupCommit.add(
      change,
      () => {
        this.appliedCounts.add(applied, -1);
        undo?.();
      },
      () => {
        for (const listener of this.#storedListeners) listener(change);
      },
    );
    this.appliedCounts.add(applied);
    for (const listener of this.#commitListeners) listener(change);
    groupCommit.scheduleFlush();
  }

  /** True if all changes so far are stored and may be shown. */
  get isStored(): boolean {
    return this.#groupCommit?.isStored ?? true;
  }

  /** True while an asynchronous store is writing. */
  get isStoring(): boolean {
    return this.#groupCommit?.isStoring ?? false;
  }

  /** Stores the batch now. Returns a promise if the store is asynchronous; throws or rejects after a rollback. */
  flush(): Promise<void> | undefined {
    return this.#groupCommit?.flush();
  }

  /** As `flush`, but never throws or rejects. */
  flushQuietly(): Promise<void> | undefined {
    return this.#groupCommit?.flushQuietly();
  }

  /** Calls back once all changes so far are stored or undone. After a rollback the callback gets the failure. */
  whenStored(callback: (failure?: StoreFailure) => void): void {
    if (this.#groupCommit === undefined) callback();
    else this.#groupCommit.whenStored(callback);
  }

  /** Returns the result that `execute` would return, but changes nothing. */
  preview<Result>(command: Command<Result>, atMs: number): Result {
    const now = Math.max(atMs, this.#state.at);
    return command(new Transaction(this.#state, this.catalogue, this.settings, this.#scope, now));
  }

  /** Calls the listener after each commit, before it is stored. Returns a function that unsubscribes. */
  onCommit(listener: (change: Change) => void): () => void {
    return subscribe(this.#commitListeners, listener);
  }

  /** Calls the listener with each change once it is stored. Returns a function that unsubscribes. */
  onStored(listener: (change: Change) => void): () => void {
    return subscribe(this.#storedListeners, listener);
  }

  /** Calls the listener after a rollback; `isReported` is true if a caller learns of the failure too. */
  onRollback(listener: (failure: StoreFailure, isReported: boolean) => void): () => void {
    return subscribe(this.#rollbackListeners, listener);
  }

  nextTask(): Task | undefined {
    return this.#state.tasks.peek();
  }

  takeDue(atMs: number): Task | undefined {
    return this.#state.tasks.takeDue(atMs);
  }

  /**
   * Replaces the state by a new initial state. Runs `carry` in place of the option `setUp`. Without `repeatIds`, new
   * ids differ from all earlier ids. With `repeatIds`, ids begin again as in a new namespace.
   */
  reset(startMs: number, repeatIds: boolean, carry: Command<unknown>): void {
    this.#storePending();
    const { highest_generation: highest } = this.namespace;
    const generation = repeatIds ? 0 : highest + 1;
    this.#begin(startMs, generation, Math.max(highest, generation), carry);
  }

  #begin(startMs: number, generation: number, highest: number, carry?: Command<unknown>): void {
    const oldState = this.#state;
    const oldRecord = oldState.get("namespace", "namespace");
    const state = new State();
    state.seq = oldState.seq + 1;
    state.at = startMs;
    const { name, seed, isStartExplicit, setUp } = this.#options;
    const record: NamespaceRecord = {
      name,
      // A reset keeps the seed, even if this process has another default.
      seed: oldRecord?.seed ?? seed,
      start_ms: startMs,
      asked_start_ms: oldRecord === undefined ? (isStartExplicit ? startMs : null) : oldRecord.asked_start_ms,
      generation,
      highest_generation: highest,
      restores: 0,
    };
    state.apply({ seq: state.seq, at: startMs, puts: [["namespace", "namespace", record]], counters: {} });
    const scope = idScopeOf(record);
    const tx = new Transaction(state, this.catalogue, this.settings, scope, startMs);
    initializeNamespace(tx);
    (carry ?? setUp)(tx);
    const change = tx.change();
    if (change !== undefined) state.apply(change);
    this.#replace(state);
  }

  dump(): StateDump {
    return this.#state.dump();
  }

  /**
   * Replaces the state by an imported or restored state. Sequence numbers continue from the replaced state.
   * New ids differ from all earlier ids of both states.
   *
   * @param clock replaces the state's clock
   */
  load(state: State, clock?: ClockRecord): void {
    this.#storePending();
    const loaded = state.get("namespace", "namespace")!;
    const current = this.namespace;
    const record: NamespaceRecord = {
      ...loaded,
      name: this.#options.name,
      generation: current.generation,
      highest_generation: Math.max(loaded.highest_generation, current.highest_generation),
      restores: Math.max(loaded.restores, current.restores) + 1,
    };
    const puts: RecordPut[] = [["namespace", "namespace", record]];
    if (clock !== undefined) puts.push(["clock", "clock", clock]);
    state.apply({ seq: this.#state.seq + 1, at: state.at, puts, counters: {} });
    this.#replace(state);
  }

  /** Stores pending changes before the state is replaced. */
  #storePending(): void {
    void this.flush();
    if (!this.isStored) throw new Error("the state cannot be replaced while its changes are being stored");
  }

  #replace(state: State): void {
    const storing = this.#options.store.replace(state.dump());
    this.#state = state;
    this.#rescope();
    if (storing !== undefined) this.#groupCommit?.waitFor(storing);
  }

  #rescope(): void {
    this.#scope = idScopeOf(this.namespace);
  }

  close(): void {
    void this.flushQuietly();
    this.#options.store.close(() => this.#state.dump());
  }

  /** Closes a namespace that will be deleted, without compacting its store. */
  discard(): void {
    void this.flushQuietly();
    this.#options.store.close();
  }
}

function subscribe<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
