import type { CollectionName, RecordKey, StateDump } from "./records.js";

export interface RecordEntries extends Iterable<readonly [RecordKey, unknown]> {
  readonly length: number;
}

/** State to serialize later, as keys and references to immutable records. A StateDump also fits this type. */
export type FrozenState = Omit<StateDump, "collections"> & {
  readonly collections: Readonly<Record<CollectionName, RecordEntries>>;
};

class FrozenEntries implements RecordEntries {
  readonly #keys: readonly RecordKey[];
  readonly #records: readonly unknown[];

  constructor(table: ReadonlyMap<RecordKey, unknown>) {
    // Two arrays, because building one array of pairs takes ten times as long.
    this.#keys = [...table.keys()];
    this.#records = [...table.values()];
  }

  get length(): number {
    return this.#records.length;
  }

  *[Symbol.iterator](): Generator<readonly [RecordKey, unknown]> {
    for (const [index, record] of this.#records.entries()) yield [this.#keys[index]!, record];
  }
}

interface Freezable extends Pick<StateDump, "seq" | "at" | "counters"> {
  readonly tables: Readonly<Record<CollectionName, ReadonlyMap<RecordKey, unknown>>>;
}

export function freezeState({ seq, at, counters, tables }: Freezable): FrozenState {
  const collections = mapCollections(tables, (table) => new FrozenEntries(table));
  return { version: 1, seq, at, counters: { ...counters }, collections };
}

export function toStateDump({ collections, ...head }: FrozenState): StateDump {
  const plain = mapCollections(collections, (entries) => [...entries]);
  return { ...head, collections: plain as object as StateDump["collections"] };
}

/** Deep copy as plain JSON. Copies record by record: JSON of the whole may exceed the maximum length of a string. */
export function deepCopyState({ collections, ...head }: FrozenState): StateDump {
  const copy = <Value>(value: Value) => JSON.parse(JSON.stringify(value)) as Value;
  const plain = mapCollections(collections, (entries) => Array.from(entries, copy));
  return { ...copy(head), collections: plain as object as StateDump["collections"] };
}

function mapCollections<From, To>(
  all: Readonly<Record<CollectionName, From>>,
  make: (value: From, name: CollectionName) => To,
): Record<CollectionName, To> {
  const names = Object.keys(all) as CollectionName[];
  return Object.fromEntries(names.map((name) => [name, make(all[name], name)])) as Record<CollectionName, To>;
}
