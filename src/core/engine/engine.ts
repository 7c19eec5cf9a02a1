import type { Catalogue } from "../domain/catalogue.js";
import { isRefusal } from "../schema/errors.js";
import type { Settings } from "../schema/settings.js";
import { initialWorld } from "./commands/world.js";
import { Keeper, keepsChanges, type NotKept } from "./keeper.js";
import { wholeChange } from "./kept-change.js";
import type { Change, ClockRecord, Put, StateDump, Task, WorldRecord } from "./records.js";
import { RuleCounts } from "./rule-counts.js";
import { scopeOf } from "./scope.js";
import { State } from "./state.js";
import type { Store } from "./store.js";
import { type Command, Transaction } from "./transaction.js";

export interface EngineOptions {
  readonly name: string;
  readonly seed: string;
  readonly startMs: number;
  /** Whether `startMs` was asked for, or is only the time it happens to be. */
  readonly startIsAsked: boolean;
  readonly catalogue: Catalogue;
  readonly settings: Settings;
  readonly store: Store;
  /** Throws when the state that the store had cannot be gone on from. */
  readonly audit?: ((state: State) => void) | undefined;
  /** What every new world begins with, besides what the fixtures say: endpoints, scenarios. */
  readonly furnish: Command<unknown>;
  /** How often each rule is applied, in all namespaces together. */
  readonly rulesInAll?: Map<string, number> | undefined;
  /** Asked before each change. */
  readonly room?: Room | undefined;
  /** Calls back at the end of this turn of the event loop; without it, each change is kept by itself and at once. */
  readonly atTurnsEnd?: (run: () => void) => void;
}

/** Whether there is memory for more. */
export interface Room {
  /** @throws NoRoom when there is none */
  check(): void;
}

/**
 * Owns all state of a namespace. Synchronous: a command is decided, checked and applied in one go, so nobody ever sees
 * half of one; nobody outside sees it before it is kept.
 */
export class Engine {
  readonly catalogue: Catalogue;
  readonly settings: Settings;
  readonly rules: RuleCounts;
  readonly #store: Store;
  readonly #room: Room | undefined;
  readonly #furnish: Command<unknown>;
  readonly #name: string;
  readonly #seed: string;
  readonly #askedStartMs: number | null;
  /** Where there is a store that keeps something. */
  readonly #keeper: Keeper | undefined;
  readonly #commitListeners = new Set<(change: Change) => void>();
  readonly #keptListeners = new Set<(change: Change) => void>();
  readonly #undoneListeners = new Set<(failure: NotKept, isHeard: boolean) => void>();
  #state = new State();
  #scope = "";

  constructor(options: EngineOptions) {
    this.catalogue = options.catalogue;
    this.settings = options.settings;
    this.rules = new RuleCounts(options.rulesInAll);
    this.#store = options.store;
    this.#room = options.room;
    this.#furnish = options.furnish;
    this.#name = options.name;
    this.#seed = options.seed;
    this.#askedStartMs = options.startIsAsked ? options.startMs : null;
    const { store } = options;
    if (keepsChanges(store))
      this.#keeper = new Keeper({
        state: () => this.#state,
        store,
        atTurnsEnd: options.atTurnsEnd,
        onUndone: (failure, isHeard) => {
          for (const listener of this.#undoneListeners) listener(failure, isHeard);
        },
      });
    const kept = options.store.load();
    if (kept === undefined) {
      this.#begin(options.startMs, 0, 0);
      return;
    }
    try {
      if (kept.snapshot !== undefined) this.#state = State.from(kept.snapshot);
      for (const change of kept.changes) this.#state.apply(wholeChange(change, this.#state));
      options.audit?.(this.#state);
      this.#rescope();
    } catch (error) {
      throw options.store.unusable(error);
    }
  }

  /** The state, for reading. */
  get state(): State {
    return this.#state;
  }

  get world(): WorldRecord {
    return this.#state.get("world", "world")!;
  }

  /** What every id of this world is derived from besides its counter. */
  get scope(): string {
    return this.#scope;
  }

  /**
   * Decide → check → one Change → apply → notify, and keep it with the others of this turn (`keep`, `whenKept`). A refusal or
   * an exception leaves everything as it was; so does a store that cannot keep the turn.
   *
   * @param undo takes back what its caller has done besides, should it not be kept
   */
  execute<Result>(command: Command<Result>, atMs: number, undo?: () => void): Result {
    const now = Math.max(atMs, this.#state.at);
    const tx = new Transaction(this.#state, this.catalogue, this.settings, this.#scope, now);
    const result = command(tx);
    if (isRefusal(result)) return result;
    const change = tx.change();
    if (change === undefined) return result;
    this.#room?.check();
    if (this.#keeper === undefined) {
      this.#state.apply(change);
      this.rules.add(tx.applied);
      for (const listener of this.#commitListeners) listener(change);
      for (const listener of this.#keptListeners) listener(change);
      return result;
    }
    this.#keepLater(this.#keeper, change, tx, undo);
    return result;
  }

  #keepLater(keeper: Keeper, change: Change, { applied }: Transaction, undo: (() => void) | undefined): void {
    keeper.add(
      change,
      () => {
        this.rules.add(applied, -1);
        undo?.();
      },
      () => {
        for (const listener of this.#keptListeners) listener(change);
      },
    );
    this.rules.add(applied);
    for (const listener of this.#commitListeners) listener(change);
    keeper.plan();
  }

  /** Whether all that has happened is kept, so that it may be seen. */
  get isKept(): boolean {
    return this.#keeper?.isKept ?? true;
  }

  /** Whether a store that answers later is keeping something at the moment. */
  get isKeeping(): boolean {
    return this.#keeper?.isKeeping ?? false;
  }

  /**
   * Keeps now what there is to keep. Undefined when all is kept by then, a promise with a store that answers later.
   * Throws, or rejects, when it cannot be kept: nothing of that turn has happened then.
   */
  keep(): Promise<void> | undefined {
    return this.#keeper?.keep();
  }

  /** As `keep`, for somebody whom it does not concern whether that can be done; never throws or rejects. */
  calm(): Promise<void> | undefined {
    return this.#keeper?.calm();
  }

  /** Calls back when all that has happened so far is kept, at once when it is; or with why it has not happened. */
  whenKept(then: (failure?: NotKept) => void): void {
    if (this.#keeper === undefined) then();
    else this.#keeper.whenKept(then);
  }

  /** What `execute` would answer; nothing is kept. */
  preview<Result>(command: Command<Result>, atMs: number): Result {
    const now = Math.max(atMs, this.#state.at);
    return command(new Transaction(this.#state, this.catalogue, this.settings, this.#scope, now));
  }

  /** Calls the listener after each commit, before it is kept: for what later commands hang on. Returns how to stop it. */
  onCommit(listener: (change: Change) => void): () => void {
    return listening(this.#commitListeners, listener);
  }

  /** Calls the listener with each change once it is kept: for what shows it. Returns how to stop it. */
  onKept(listener: (change: Change) => void): () => void {
    return listening(this.#keptListeners, listener);
  }

  /** Calls the listener when commits could not be kept and have been taken back; `isHeard` when somebody else hears why. */
  onUndone(listener: (failure: NotKept, isHeard: boolean) => void): () => void {
    return listening(this.#undoneListeners, listener);
  }

  nextTask(): Task | undefined {
    return this.#state.tasks.peek();
  }

  takeDue(atMs: number): Task | undefined {
    return this.#state.tasks.takeDue(atMs);
  }

  /**
   * Back to the initial state. Ids go on in a new generation unless they shall repeat; `carry` brings along
   * what survives of the old world.
   */
  reset(startMs: number, repeatIds: boolean, carry: Command<unknown>): void {
    this.#keepAll();
    const { highest_generation: highest } = this.world;
    const generation = repeatIds ? 0 : highest + 1;
    this.#begin(startMs, generation, Math.max(highest, generation), carry);
  }

  #begin(startMs: number, generation: number, highest: number, carry?: Command<unknown>): void {
    const before = this.#state;
    // A world that goes on keeps its seed, whatever this run's default would be.
    const kept = before.get("world", "world");
    const state = new State();
    state.seq = before.seq + 1;
    state.at = startMs;
    const world: WorldRecord = {
      name: this.#name,
      seed: kept?.seed ?? this.#seed,
      start_ms: startMs,
      asked_start_ms: kept === undefined ? this.#askedStartMs : kept.asked_start_ms,
      generation,
      highest_generation: highest,
      restores: 0,
    };
    state.apply({ seq: state.seq, at: startMs, puts: [["world", "world", world]], counters: {} });
    const scope = scopeOf(world);
    const tx = new Transaction(state, this.catalogue, this.settings, scope, startMs);
    initialWorld(tx);
    (carry ?? this.#furnish)(tx);
    const change = tx.change();
    if (change !== undefined) state.apply(change);
    this.#replace(state);
  }

  dump(): StateDump {
    return this.#state.dump();
  }

  /**
   * Import or restore: that is the state from here on, under a sequence number of its own. What is made from
   * now on gets ids that were not given out before, in this generation or in one that state knows of.
   *
   * @param clock in the place of the state's
   */
  load(state: State, clock?: ClockRecord): void {
    this.#keepAll();
    const kept = state.get("world", "world")!;
    const before = this.world;
    const world: WorldRecord = {
      ...kept,
      name: this.#name,
      generation: before.generation,
      highest_generation: Math.max(kept.highest_generation, before.highest_generation),
      restores: Math.max(kept.restores, before.restores) + 1,
    };
    const puts: Put[] = [["world", "world", world]];
    if (clock !== undefined) puts.push(["clock", "clock", clock]);
    state.apply({ seq: this.#state.seq + 1, at: state.at, puts, counters: {} });
    this.#replace(state);
  }

  /** What replaces the state is no part of any turn. */
  #keepAll(): void {
    void this.keep();
    if (!this.isKept) throw new Error("the state cannot be replaced while changes of it are being kept");
  }

  #replace(state: State): void {
    this.#store.replace(state.dump());
    this.#state = state;
    this.#rescope();
  }

  #rescope(): void {
    this.#scope = scopeOf(this.world);
  }

  close(): void {
    void this.calm();
    this.#store.close(() => this.#state.dump());
  }

  /** Closes what is about to be deleted. */
  discard(): void {
    void this.calm();
    this.#store.close();
  }
}

function listening<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
