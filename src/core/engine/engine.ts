import type { Catalogue } from "../domain/catalogue.js";
import { type RuleRef, ruleNames } from "../domain/rule-matching.js";
import { isRefusal } from "../schema/refusals.js";
import type { Scenario } from "../schema/scenario-rules.js";
import type { Settings } from "../schema/settings.js";
import { initializeNamespace } from "./commands/namespace-setup.js";
import { Emitter } from "./emitter.js";
import { decodeChange } from "./encode-change.js";
import { Gate } from "./gate.js";
import { idScopeOf } from "./ids.js";
import { MemoryMeter } from "./memory-meter.js";
import type { Change, ClockRecord, Delivery, NamespaceRecord, RecordPut, StateDump } from "./records.js";
import { State } from "./state.js";
import type { Store, StoreFailure } from "./store.js";
import { type Command, Transaction } from "./transaction.js";

interface EngineOptions {
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
  readonly events?: Emitter<EngineEvents> | undefined;
  /** Counts the bytes of all namespaces together. */
  readonly memory?: MemoryMeter | undefined;
  /** Receives what callbacks of the gate throw. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface EngineEvents {
  readonly changed: Change;
  /** A change is safe and may be shown outside. */
  readonly stored: Change;
  /** The store has lost a change. */
  readonly failed: StoreFailure;
  /** A delivery found its receiver unreachable, and waits for it. Holds are not part of the state. */
  readonly held: Delivery;
  /** The namespace may have become idle, or an advance may go on. A namespace can become idle without a change. */
  readonly woke: undefined;
}

/**
 * Owns the state of a namespace. The service, the control API, the pages and the scheduler pass Commands to `execute`.
 * A command runs synchronously and makes one Change, which is appended to the Store, applied, then told. Replies,
 * webhooks and messages wait at the gate until the changes before them are safe.
 */
export class Engine {
  readonly catalogue: Catalogue;
  readonly settings: Settings;
  readonly appliedCounts: RuleCounts;
  readonly events: Emitter<EngineEvents>;
  readonly gate: Gate;
  readonly #options: EngineOptions;
  readonly #memory: MemoryMeter;
  #state = new State();
  #scope = "";

  constructor(options: EngineOptions) {
    this.catalogue = options.catalogue;
    this.settings = options.settings;
    this.appliedCounts = new RuleCounts(options.totalRuleCounts);
    this.#options = options;
    this.#memory = options.memory ?? new MemoryMeter();
    const { onError = () => {} } = options;
    this.events = options.events ?? new Emitter(onError);
    this.gate = new Gate(onError);
    const loaded = this.#load();
    if (loaded === undefined) {
      this.#begin(options.startMs, 0, 0);
      return;
    }
    this.#setState(loaded);
    this.gate.reopen(loaded.seq);
    this.#rescope();
  }

  #setState(state: State): void {
    this.#memory.add(state.bytes - this.#state.bytes);
    this.#state = state;
  }

  #load(): State | undefined {
    const { store, audit } = this.#options;
    const loaded = store.load({
      onSafe: (seq) => this.gate.noteSafe(seq),
      onFailed: (error) => {
        this.gate.fail(error);
        this.events.emit("failed", { error });
      },
    });
    if (loaded === undefined) return undefined;
    try {
      const state = loaded.snapshot === undefined ? new State() : State.from(loaded.snapshot);
      for (const change of loaded.changes) state.apply(decodeChange(change, state));
      audit?.(state);
      return state;
    } catch (error) {
      throw store.toLoadError(error);
    }
  }

  /** Reads the state from the store again after the store has lost a change. */
  reopen(): void {
    const loaded = this.#load();
    if (loaded === undefined) throw this.#options.store.toLoadError("there is no state");
    this.#setState(loaded);
    this.gate.reopen(loaded.seq);
    this.#rescope();
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

  /** Runs a command and commits its change. A refusal, an exception or a store that refuses changes nothing. */
  execute<Result>(command: Command<Result>, atMs: number): Result {
    const now = Math.max(atMs, this.#state.at);
    const tx = new Transaction(this.#state, this.catalogue, this.settings, this.#scope, now);
    const result = command(tx);
    if (isRefusal(result)) return result;
    const change = tx.change();
    if (change === undefined) return result;
    this.#options.store.append?.(change, this.#state);
    const { bytes } = this.#state;
    this.#state.apply(change);
    this.#memory.add(this.#state.bytes - bytes);
    this.appliedCounts.add(tx.appliedRules);
    if (this.#isDurable) this.gate.noteChange(change.seq);
    this.events.emit("changed", change);
    if (this.gate.isOpen) this.events.emit("stored", change);
    else this.gate.pass((failure) => failure ?? this.events.emit("stored", change));
    return result;
  }

  get #isDurable(): boolean {
    return this.#options.store.append !== undefined;
  }

  /** Returns the result that `execute` would return, but changes nothing. */
  preview<Result>(command: Command<Result>, atMs: number): Result {
    const now = Math.max(atMs, this.#state.at);
    return command(new Transaction(this.#state, this.catalogue, this.settings, this.#scope, now));
  }

  /**
   * Replaces the state by a new initial state. Runs `carry` in place of the option `setUp`. Without `repeatIds`, new
   * ids differ from all earlier ids. With `repeatIds`, ids begin again as in a new namespace.
   */
  reset(startMs: number, repeatIds: boolean, carry: Command<unknown>): void {
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

  #replace(state: State): void {
    this.#options.store.replace(state.dump());
    this.#setState(state);
    this.#rescope();
    if (this.#isDurable) this.gate.noteChange(state.seq);
  }

  #rescope(): void {
    this.#scope = idScopeOf(this.namespace);
  }

  close(): void {
    this.#memory.add(-this.#state.bytes);
    this.#options.store.close(() => this.#state.dump());
  }

  /** Closes a namespace that will be deleted, without compacting its store. */
  discard(): void {
    this.#memory.add(-this.#state.bytes);
    this.#options.store.close();
  }
}

/** Limit on counted rules, because users can create any number of scenarios. */
const COUNTS_MAX_RULES = 100_000;

/** Counts how often each scenario rule is applied, outside the state: rules also apply to reads, which never write. */
class RuleCounts {
  readonly #counts = new Map<string, number>();
  readonly #total: Map<string, number>;

  /** @param total counts of all namespaces together, never reset */
  constructor(total = new Map<string, number>()) {
    this.#total = total;
  }

  /** @param times -1 undoes a count */
  add(applied: readonly RuleRef[], times = 1): void {
    for (const { scenario, kind, index } of applied) {
      const key = `${scenario}#${kind}.${index}`;
      addCount(this.#counts, key, times);
      addCount(this.#total, key, times);
    }
  }

  /** How often each rule has applied: in this namespace, or in all namespaces since the server started. */
  of(scenario: Scenario, scope: "namespace" | "server" = "namespace"): Record<string, number> {
    const counts = scope === "server" ? this.#total : this.#counts;
    return Object.fromEntries(
      ruleNames(scenario).map((rule) => [rule, counts.get(`${scenario.name}#${rule}`) ?? 0]),
    );
  }

  resetCounts(scenario?: string): void {
    for (const key of this.#counts.keys())
      if (scenario === undefined || key.startsWith(`${scenario}#`)) this.#counts.delete(key);
  }
}

function addCount(counts: Map<string, number>, key: string, times: number): void {
  const count = counts.get(key);
  if (count !== undefined || counts.size < COUNTS_MAX_RULES) counts.set(key, (count ?? 0) + times);
}
