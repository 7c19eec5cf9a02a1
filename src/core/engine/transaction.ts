import type { Catalogue } from "../domain/catalogue.js";
import { assertBalanced } from "../domain/ledger-postings.js";
import type { RuleRef } from "../domain/rule-matching.js";
import type { Mode } from "../schema/common.js";
import type { OrganizationFixture } from "../schema/fixtures-file.js";
import { isRefusal } from "../schema/refusals.js";
import type { Settings } from "../schema/settings.js";
import { clampInstant, iso } from "../schema/time.js";
import { type IdKind, idOf, numberedDigest } from "./ids.js";
import type { Change, CollectionName, Collections, RecordKey, RecordPut, Task } from "./records.js";
import type { State } from "./state.js";

/** Maximum number of puts that a lookup scans; above it, a map finds the record. */
const SCAN_MAX_PUTS = 24;

/** State, fixtures and settings, as commands and reads get them from a Transaction or an Engine. */
export type ReadContext = Pick<Transaction, "state" | "catalogue" | "settings">;

/** Reads and pending writes of a command. Reads see earlier writes; the commit applies the writes to the state. */
export class Transaction {
  readonly state: State;
  readonly catalogue: Catalogue;
  readonly settings: Settings;
  /** Sandbox time of this command. */
  readonly atMs: number;
  #at: string | undefined;
  readonly #scope: string;
  /** Pending writes: each record once, in order of its first write. */
  #puts: RecordPut[] = [];
  /** Index of each record in `#puts`; undefined until a lookup finds more than SCAN_MAX_PUTS puts. */
  #indexes: PutIndexes | undefined;
  #counters: Record<string, number> = {};
  #applied: RuleRef[] = [];

  constructor(state: State, catalogue: Catalogue, settings: Settings, scope: string, atMs: number) {
    this.state = state;
    this.catalogue = catalogue;
    this.settings = settings;
    this.#scope = scope;
    this.atMs = atMs;
  }

  get at(): string {
    return (this.#at ??= iso(this.atMs));
  }

  get<Name extends CollectionName>(name: Name, key: RecordKey): Collections[Name] | undefined {
    const index = this.#indexOf(name, key);
    if (index === -1) return this.state.get(name, key);
    return (this.#puts[index]![2] as Collections[Name] | null) ?? undefined;
  }

  put<Name extends CollectionName>(name: Name, key: RecordKey, record: Collections[Name]): void {
    this.#write(name, key, record);
  }

  remove(name: CollectionName, key: RecordKey): void {
    this.#write(name, key, null);
  }

  #write(name: CollectionName, key: RecordKey, record: unknown): void {
    const index = this.#indexOf(name, key);
    if (index !== -1) {
      this.#puts[index] = [name, key, record];
      return;
    }
    this.#puts.push([name, key, record]);
    if (this.#indexes !== undefined) addIndex(this.#indexes, name, key, this.#puts.length - 1);
  }

  /** Index of the record in `#puts`, or -1. */
  #indexOf(name: CollectionName, key: RecordKey): number {
    const puts = this.#puts;
    if (puts.length > SCAN_MAX_PUTS) return (this.#indexes ??= indexPuts(puts)).get(name)?.get(key) ?? -1;
    for (let index = 0; index < puts.length; index++) {
      const put = puts[index]!;
      if (put[1] === key && put[0] === name) return index;
    }
    return -1;
  }

  /** Increments the counter; its first number is 1. */
  next(counter: string): number {
    const value = this.last(counter) + 1;
    this.#counters[counter] = value;
    return value;
  }

  /** Last number of the counter; 0 before the first. */
  last(counter: string): number {
    return this.#counters[counter] ?? this.state.counters[counter] ?? 0;
  }

  /** Digest of the scope and the next number of the kind, in hexadecimal. */
  digest(kind: IdKind): string {
    return numberedDigest(this.#scope, kind, this.next(kind));
  }

  id(kind: IdKind): string {
    return idOf(kind, this.digest(kind));
  }

  /** Runs a part of a command; if it refuses, its writes are undone and the command goes on. */
  tryPart<Result>(part: () => Result): Result {
    const puts = this.#puts.slice();
    const counters = { ...this.#counters };
    const applied = this.#applied.slice();
    const result = part();
    if (isRefusal(result)) {
      this.#puts = puts;
      this.#indexes = undefined;
      this.#counters = counters;
      this.#applied = applied;
    }
    return result;
  }

  /** A transaction on the same state at another time, with its own ids; its writes are discarded. */
  createScratch(name: string, atMs: number): Transaction {
    return new Transaction(this.state, this.catalogue, this.settings, `${this.#scope}\0${name}`, atMs);
  }

  /** Adds a task, due now at the earliest and in the year 9999 at the latest; returns its id. */
  schedule({ due_ms: requestedMs, rank, kind, ref, step }: Omit<Task, "task_id">): number {
    const task_id = this.next("task");
    const due_ms = clampInstant(Math.max(requestedMs, this.atMs));
    // Two literals, because an object made by spreading takes a third more memory.
    const task = { task_id, due_ms, rank, kind, ref };
    this.put("tasks", task_id, step === undefined ? task : { task_id, due_ms, rank, kind, ref, step });
    return task_id;
  }

  cancel(taskId: number | null | undefined): void {
    if (taskId !== null && taskId !== undefined && this.get("tasks", taskId) !== undefined)
      this.remove("tasks", taskId);
  }

  /** Adds a rule to `appliedRules`. The rule is counted if the command succeeds. */
  noteRule(rule: RuleRef): void {
    this.#applied.push(rule);
  }

  get appliedRules(): readonly RuleRef[] {
    return this.#applied;
  }

  /** Returns the command's change after checking its balances; undefined if the command wrote nothing. */
  change(): Change | undefined {
    const puts = this.#puts;
    if (puts.length === 0) return undefined;
    for (const [name, , record] of puts)
      if (name === "holdings") assertBalanced(record as Collections["holdings"]);
    return { seq: this.state.seq + 1, at: this.atMs, puts, counters: this.#counters };
  }
}

type PutIndexes = Map<CollectionName, Map<RecordKey, number>>;

function indexPuts(puts: readonly RecordPut[]): PutIndexes {
  const indexes: PutIndexes = new Map();
  for (const [index, [name, key]] of puts.entries()) addIndex(indexes, name, key, index);
  return indexes;
}

function addIndex(indexes: PutIndexes, name: CollectionName, key: RecordKey, index: number): void {
  let byKey = indexes.get(name);
  if (byKey === undefined) indexes.set(name, (byKey = new Map()));
  byKey.set(key, index);
}

/** Function that reads and writes state in a transaction. A function that returns a Refusal writes nothing. */
export type Command<Result> = (tx: Transaction) => Result;

/** Sender of an API call: the organization of its API key, in the key's mode. */
export interface Caller {
  /** API key. Idempotency keys are unique per API key. */
  readonly key: string;
  readonly mode: Mode;
  readonly organization: OrganizationFixture;
}
