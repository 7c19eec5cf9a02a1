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
