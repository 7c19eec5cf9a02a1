import type { Catalogue } from "../domain/catalogue.js";
import { assertBalanced } from "../domain/ledger.js";
import { isRefusal } from "../schema/errors.js";
import type { Settings } from "../schema/settings.js";
import { iso } from "../schema/time.js";
import { digest, type IdKind, idOf } from "./ids.js";
import type { Change, CollectionName, Collections, Key, Put, Task } from "./records.js";
import type { State } from "./state.js";

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
  #writes = new Map<CollectionName, Map<Key, unknown>>();
  #counters: Record<string, number> = {};

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
    const written = this.#writes.get(name)?.get(key);
    if (written !== undefined) return (written as Collections[Name] | null) ?? undefined;
    return this.state.get(name, key);
  }

  put<Name extends CollectionName>(name: Name, key: Key, record: Collections[Name]): void {
    this.#write(name, key, record);
  }

  remove(name: CollectionName, key: Key): void {
    this.#write(name, key, null);
  }

  #write(name: CollectionName, key: Key, record: unknown): void {
    let writes = this.#writes.get(name);
    if (writes === undefined) this.#writes.set(name, (writes = new Map()));
    writes.set(key, record);
  }

  /** The next number of that counter, from 1. */
  next(counter: string): number {
    const value = (this.#counters[counter] ?? this.state.counters[counter] ?? 0) + 1;
    this.#counters[counter] = value;
    return value;
  }

  /** 32 bytes of their own for the next thing of that kind. */
  digest(kind: IdKind): Buffer {
    return digest(this.#scope, kind, this.next(kind));
  }

  id(kind: IdKind): string {
    return idOf(kind, this.digest(kind));
  }

  /**
   * Runs one part of a command by itself: when it refuses, what it wrote is taken back and the rest of the
   * command goes on.
   */
  attempt<Result>(part: () => Result): Result {
    const writes = [...this.#writes].map(([name, puts]) => [name, new Map(puts)] as const);
    const counters = { ...this.#counters };
    const result = part();
    if (isRefusal(result)) {
      this.#writes = new Map(writes);
      this.#counters = counters;
    }
    return result;
  }

  /** Plans a task; a due time in the past is now. */
  schedule(task: Omit<Task, "task_id">): number {
    const task_id = this.next("task");
    this.put("tasks", task_id, { task_id, ...task, due_ms: Math.max(task.due_ms, this.atMs) });
    return task_id;
  }

  cancel(taskId: number | null | undefined): void {
    if (taskId !== null && taskId !== undefined && this.get("tasks", taskId) !== undefined)
      this.remove("tasks", taskId);
  }

  /** The change this command comes to, checked; undefined when it wrote nothing. */
  change(): Change | undefined {
    const puts: Put[] = [];
    for (const [name, writes] of this.#writes)
      for (const [key, record] of writes) puts.push([name, key, record]);
    for (const record of this.#writes.get("holdings")?.values() ?? [])
      assertBalanced(record as Collections["holdings"]);
    if (puts.length === 0) return undefined;
    return { seq: this.state.seq + 1, at: this.atMs, puts, counters: this.#counters };
  }
}

/** What a command answers is up to it; a Refusal means that nothing is written. */
export type Command<Result> = (tx: Transaction) => Result;
