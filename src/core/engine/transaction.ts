import type { Catalogue } from "../domain/catalogue.js";
import { assertBalanced } from "../domain/ledger.js";
import type { RulePlace } from "../domain/scenario.js";
import { isRefusal } from "../schema/errors.js";
import type { Settings } from "../schema/settings.js";
import { iso, withinTime } from "../schema/time.js";
import { digest, hexDigest, type IdKind, numberedId } from "./ids.js";
import type { Change, CollectionName, Collections, Key, Put, Task } from "./records.js";
import type { State } from "./state.js";

/** Above so many records written by one command, the one looked for is found by a map. */
const FEW = 24;

/**
 * What one command reads and means to write. Reads see its own writes; the state sees none of them before
 * the command has succeeded and the change is committed.
 */
export class Transaction {
  readonly state: State;
  readonly catalogue: Catalogue;
  readonly settings: Settings;
  /** Sandbox time of this command. */
  readonly atMs: number;
  readonly #scope: string;
  /** What is to be written, each record once, in the order of the first write. Most commands write a handful. */
  #puts: Put[] = [];
  /** Where each record is in `#puts`, once there are more than a few. */
  #places: Places | undefined;
  #counters: Record<string, number> = {};
  #applied: RulePlace[] = [];

  constructor(state: State, catalogue: Catalogue, settings: Settings, scope: string, atMs: number) {
    this.state = state;
    this.catalogue = catalogue;
    this.settings = settings;
    this.#scope = scope;
    this.atMs = atMs;
  }

  get at(): string {
    return iso(this.atMs);
  }

  get<Name extends CollectionName>(name: Name, key: Key): Collections[Name] | undefined {
    const place = this.#placeOf(name, key);
    if (place === -1) return this.state.get(name, key);
    return (this.#puts[place]![2] as Collections[Name] | null) ?? undefined;
  }

  put<Name extends CollectionName>(name: Name, key: Key, record: Collections[Name]): void {
    this.#write(name, key, record);
  }

  remove(name: CollectionName, key: Key): void {
    this.#write(name, key, null);
  }

  #write(name: CollectionName, key: Key, record: unknown): void {
    const place = this.#placeOf(name, key);
    if (place !== -1) {
      this.#puts[place] = [name, key, record];
      return;
    }
    this.#puts.push([name, key, record]);
    if (this.#places !== undefined) remember(this.#places, name, key, this.#puts.length - 1);
  }

  /** Where the record is among those to be written; -1 when it is not. */
  #placeOf(name: CollectionName, key: Key): number {
    const puts = this.#puts;
    if (puts.length > FEW) return (this.#places ??= placesOf(puts)).get(name)?.get(key) ?? -1;
    for (let place = 0; place < puts.length; place++) {
      const put = puts[place]!;
      if (put[1] === key && put[0] === name) return place;
    }
    return -1;
  }

  /** The next number of that counter, from 1. */
  next(counter: string): number {
    const value = this.last(counter) + 1;
    this.#counters[counter] = value;
    return value;
  }

  /** The number of that counter that was given last; 0 before the first. */
  last(counter: string): number {
    return this.#counters[counter] ?? this.state.counters[counter] ?? 0;
  }

  /** 32 bytes of their own for the next thing of that kind. */
  digest(kind: IdKind): Buffer {
    return digest(this.#scope, kind, this.next(kind));
  }

  /** The same in hexadecimal. */
  hexDigest(kind: IdKind): string {
    return hexDigest(this.#scope, kind, this.next(kind));
  }

  /** What `idOf` makes of the next digest. */
  id(kind: IdKind): string {
    return numberedId(this.#scope, kind, this.next(kind));
  }

  /**
   * Runs one part of a command by itself: when it refuses, what it wrote is taken back and the rest of the
   * command goes on.
   */
  attempt<Result>(part: () => Result): Result {
    const puts = this.#puts.slice();
    const counters = { ...this.#counters };
    const applied = this.#applied.slice();
    const result = part();
    if (isRefusal(result)) {
      this.#puts = puts;
      this.#places = undefined;
      this.#counters = counters;
      this.#applied = applied;
    }
    return result;
  }

  /** The same records at another time, with ids of their own; what is written there is nobody's. */
  apart(name: string, atMs: number): Transaction {
    return new Transaction(this.state, this.catalogue, this.settings, `${this.#scope}\0${name}`, atMs);
  }

  /** Plans a task; a due time in the past is now, one after the end of time is then. */
  schedule({ due_ms: wanted, rank, kind, ref, step }: Omit<Task, "task_id">): number {
    const task_id = this.next("task");
    const due_ms = withinTime(Math.max(wanted, this.atMs));
    // Each shape by itself: one made by spreading takes a third more.
    const task = { task_id, due_ms, rank, kind, ref };
    this.put("tasks", task_id, step === undefined ? task : { task_id, due_ms, rank, kind, ref, step });
    return task_id;
  }

  cancel(taskId: number | null | undefined): void {
    if (taskId !== null && taskId !== undefined && this.get("tasks", taskId) !== undefined)
      this.remove("tasks", taskId);
  }

  /** A scenario's rule is applied; counted when the command has succeeded. */
  apply(rule: RulePlace): void {
    this.#applied.push(rule);
  }

  get applied(): readonly RulePlace[] {
    return this.#applied;
  }

  /** The change this command comes to, checked; undefined when it wrote nothing. */
  change(): Change | undefined {
    const puts = this.#puts;
    if (puts.length === 0) return undefined;
    for (const [name, , record] of puts)
      if (name === "holdings") assertBalanced(record as Collections["holdings"]);
    return { seq: this.state.seq + 1, at: this.atMs, puts, counters: this.#counters };
  }
}

type Places = Map<CollectionName, Map<Key, number>>;

function placesOf(puts: readonly Put[]): Places {
  const places: Places = new Map();
  for (const [place, [name, key]] of puts.entries()) remember(places, name, key, place);
  return places;
}

function remember(places: Places, name: CollectionName, key: Key, place: number): void {
  let ofName = places.get(name);
  if (ofName === undefined) places.set(name, (ofName = new Map()));
  ofName.set(key, place);
}

/** What a command answers is up to it; a Refusal means that nothing is written. */
export type Command<Result> = (tx: Transaction) => Result;
