import { plainCharge } from "../domain/charge-state.js";
import { plainEvent } from "./event-record.js";
import type { CollectionName, Collections, Key, StateDump } from "./records.js";
import type { Table } from "./table.js";

/** The entries of a collection as they were. */
export interface Entries extends Iterable<readonly [Key, unknown]> {
  readonly length: number;
}

/**
 * The state of a moment, to be written later: records never change, so nothing but which there were is copied, and that
 * is a matter of milliseconds. A dump is one too.
 */
export type FrozenState = Omit<StateDump, "collections"> & {
  readonly collections: Readonly<Record<CollectionName, Entries>>;
};

class FrozenEntries implements Entries {
  readonly #keys: readonly Key[];
  readonly #records: readonly unknown[];

  constructor(table: Table<unknown>) {
    // An array of pairs would take ten times as long.
    const { keys, records } = table.entriesNow();
    this.#keys = keys;
    this.#records = records;
  }

  get length(): number {
    return this.#records.length;
  }

  *[Symbol.iterator](): Generator<readonly [Key, unknown]> {
    for (const [index, record] of this.#records.entries()) yield [this.#keys[index]!, record];
  }
}

/** What a state is made of. */
interface Freezable extends Pick<StateDump, "seq" | "at" | "counters"> {
  readonly tables: Readonly<Record<CollectionName, Table<unknown>>>;
}

export function freeze({ seq, at, counters, tables }: Freezable): FrozenState {
  const collections = mapped(tables, (table) => new FrozenEntries(table));
  return { version: 1, seq, at, counters: { ...counters }, collections };
}

const PLAIN: { readonly [Name in CollectionName]?: (record: Collections[Name]) => object } = {
  charges: plainCharge,
  events: plainEvent,
};

/** As plain JSON. */
export function thaw({ collections, ...head }: FrozenState): StateDump {
  const plain = mapped(collections, (entries, name) => {
    const plainOf = PLAIN[name];
    return plainOf === undefined
      ? [...entries]
      : Array.from(entries, ([key, record]) => [key, plainOf(record as never)]);
  });
  return { ...head, collections: plain as unknown as StateDump["collections"] };
}

/** As plain JSON that shares nothing with the state; record by record, for no string could be as long as the whole. */
export function copied({ collections, ...head }: FrozenState): StateDump {
  const copy = <Value>(value: Value) => JSON.parse(JSON.stringify(value)) as Value;
  const plain = mapped(collections, (entries) => Array.from(entries, copy));
  return { ...copy(head), collections: plain as unknown as StateDump["collections"] };
}

function mapped<From, To>(
  all: Readonly<Record<CollectionName, From>>,
  make: (one: From, name: CollectionName) => To,
): Record<CollectionName, To> {
  const names = Object.keys(all) as CollectionName[];
  return Object.fromEntries(names.map((name) => [name, make(all[name], name)])) as Record<CollectionName, To>;
}
