import type { Catalogue } from "../domain/catalogue.js";
import { isRefusal } from "../schema/errors.js";
import type { Settings } from "../schema/settings.js";
import { initialWorld } from "./commands/world.js";
import { wholeChange } from "./kept-change.js";
import type { Change, ClockRecord, Put, StateDump, Task, WorldRecord } from "./records.js";
import { RuleCounts } from "./rule-counts.js";
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
}

/** Whether there is memory for more. */
export interface Room {
  /** @throws NoRoom when there is none */
  check(): void;
}

/**
 * Owns all state of a namespace. Synchronous: a command is decided, checked, appended to the journal and
 * published in one go, so nobody ever sees half of one.
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
  readonly #listeners = new Set<(change: Change) => void>();
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
   * Decide → check → one Change → commit → notify. A refusal or an exception leaves everything as it was; so
   * does a journal that cannot be written.
   */
  execute<Result>(command: Command<Result>, atMs: number): Result {
    const now = Math.max(atMs, this.#state.at);
    const tx = new Transaction(this.#state, this.catalogue, this.settings, this.#scope, now);
    const result = command(tx);
    if (isRefusal(result)) return result;
    const change = tx.change();
    if (change === undefined) return result;
    this.#room?.check();
    this.#store.append(change, this.#state);
    this.#state.apply(change);
    this.rules.add(tx.applied);
    for (const listener of this.#listeners) listener(change);
    return result;
  }

  /** What `execute` would answer; nothing is kept. */
  preview<Result>(command: Command<Result>, atMs: number): Result {
    const now = Math.max(atMs, this.#state.at);
    return command(new Transaction(this.#state, this.catalogue, this.settings, this.#scope, now));
  }

  /** Calls the listener after each commit. Returns how to stop it. */
  onCommit(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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
    const kept = state.get("world", "world")!;
    const before = this.world;
    const world: WorldRecord = {
      ...kept,
      name: this.#name,
      generation: before.generation,
      highest_generation: Math.max(kept.highest_generation, before.highest_generation),
      restores: Math.max(kept.restores ?? 0, before.restores ?? 0) + 1,
    };
    const puts: Put[] = [["world", "world", world]];
    if (clock !== undefined) puts.push(["clock", "clock", clock]);
    state.apply({ seq: this.#state.seq + 1, at: state.at, puts, counters: {} });
    this.#replace(state);
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
    this.#store.close(() => this.#state.dump());
  }

  /** Closes what is about to be deleted. */
  discard(): void {
    this.#store.close();
  }
}

function scopeOf({ seed, name, generation, restores = 0 }: WorldRecord): string {
  return `${seed}\0${name}\0${restores === 0 ? generation : `${generation}.${restores}`}`;
}
