import type { CollectionName } from "../schema/records/collection-names.js";
import type { Collections } from "../schema/records/collections.js";

export type { CollectionName } from "../schema/records/collection-names.js";
/** Records of a namespace by collection. All are immutable: a change puts a new record. */
export type { Collections } from "../schema/records/collections.js";
export type {
  ClockRecord,
  KeyOverride,
  NamespaceRecord,
  OrganizationOverride,
  RateOverride,
  StoredFault,
  StoredScenario,
  Task,
} from "../schema/records/namespace-records.js";
export type {
  Destination,
  IdempotentResponse,
  LedgerEntry,
  Quote,
} from "../schema/records/payment-records.js";
export type {
  Attempt,
  Delivery,
  DeliveryStatus,
  Endpoint,
  EventRecord,
  Lane,
  Mishap,
} from "../schema/records/webhook-records.js";

export type RecordKey = string | number;

/** `record` is null for a removal. */
export type RecordPut = readonly [collection: CollectionName, key: RecordKey, record: unknown];

/** Effects of one command, committed at once: one line of the data journal. */
export interface Change {
  readonly seq: number;
  /** Sandbox time, milliseconds. */
  readonly at: number;
  readonly puts: readonly RecordPut[];
  /** New values of the counters that changed. */
  readonly counters: Readonly<Record<string, number>>;
}

/** Read access to the records of one moment. */
export interface RecordReader {
  get<Name extends CollectionName>(name: Name, key: RecordKey): Collections[Name] | undefined;
}

/** A change as the data journal stores it. A `changed` put has the changed fields of an existing record. */
export interface JournalEntry extends Omit<Change, "puts"> {
  readonly puts: readonly JournalPut[];
}

export type JournalPut =
  | RecordPut
  | readonly [collection: CollectionName, key: RecordKey, changedFields: object, how: "changed"];

/** The whole state as plain JSON, for snapshots, exports and restores. */
export interface StateDump {
  readonly version: 1;
  readonly seq: number;
  readonly at: number;
  readonly counters: Readonly<Record<string, number>>;
  readonly collections: {
    readonly [Name in CollectionName]: readonly (readonly [RecordKey, Collections[Name]])[];
  };
}

interface RecordEntries extends Iterable<readonly [RecordKey, unknown]> {
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
