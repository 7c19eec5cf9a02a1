import type { Catalogue } from "../domain/catalogue.js";
import { assertBalanced } from "../domain/ledger-postings.js";
import type { RuleRef } from "../domain/rule-matching.js";
import type { Mode } from "../schema/common.js";
import type { OrganizationFixture } from "../schema/fixtures-file.js";
import { isRefusal } from "../schema/refusals.js";
import type { Settings } from "../schema/settings.js";
import { clampInstant, iso } from "../schema/time.js";
import { type IdKind, idOf, numberedDigest } from "./ids.js";
import { sizeOfRecord } from "./record-sizes.js";
import type { Change, CollectionName, Collections, RecordKey, RecordPut, Task } from "./records.js";
import type { State } from "./state.js";

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
  /** Pending writes by collection and key: each record once, in order of its first write. */
  #puts = new Map<string, RecordPut>();
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
    const put = this.#puts.get(`${name} ${key}`);
    if (put === undefined) return this.state.get(name, key);
    return (put[2] as Collections[Name] | null) ?? undefined;
  }

  put<Name extends CollectionName>(name: Name, key: RecordKey, record: Collections[Name]): void {
    this.#puts.set(`${name} ${key}`, [name, key, record]);
  }

  remove(name: CollectionName, key: RecordKey): void {
    this.#puts.set(`${name} ${key}`, [name, key, null]);
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
    const puts = new Map(this.#puts);
    const counters = { ...this.#counters };
    const applied = this.#applied.slice();
    const result = part();
    if (isRefusal(result)) {
      this.#puts = puts;
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

  /** Estimated bytes by which the pending writes make the state larger. */
  addedBytes(): number {
    let bytes = 0;
    for (const [name, key, record] of this.#puts.values()) {
      const before = this.state.get(name, key);
      if (record !== null) bytes += sizeOfRecord(name, record as never);
      if (before !== undefined) bytes -= sizeOfRecord(name, before as never);
    }
    return bytes;
  }

  /** Returns the command's change after checking its balances; undefined if the command wrote nothing. */
  change(): Change | undefined {
    const puts = [...this.#puts.values()];
    if (puts.length === 0) return undefined;
    for (const [name, , record] of puts)
      if (name === "holdings") assertBalanced(record as Collections["holdings"]);
    return { seq: this.state.seq + 1, at: this.atMs, puts, counters: this.#counters };
  }
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
