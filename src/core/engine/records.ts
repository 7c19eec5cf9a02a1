import type { Collections } from "../schema/records/all.js";
import type { CollectionName } from "../schema/records/names.js";
import type { KeptGrowth } from "./kept-fields.js";
import type { KeptParts } from "./kept-parts.js";

/** The records of a namespace, by collection. All are immutable: a change puts a new record in place. */
export type { Collections } from "../schema/records/all.js";
export type { CollectionName } from "../schema/records/names.js";
export type { Destination, IdempotentAnswer, LedgerEntry, Quote } from "../schema/records/payments.js";
export type {
  Attempt,
  Delivery,
  DeliveryStatus,
  Endpoint,
  EventRecord,
  Lane,
  Mishap,
} from "../schema/records/webhooks.js";
export type {
  ChangedKey,
  ChangedOrganization,
  ClockRecord,
  RateOverride,
  StoredFault,
  StoredScenario,
  Task,
  WorldRecord,
} from "../schema/records/world.js";

export type Key = string | number;

/** [collection, key, record or null for "gone"]. */
export type Put = readonly [collection: CollectionName, key: Key, record: unknown];

/** Everything one command did, committed at once: one line of the journal. */
export interface Change {
  readonly seq: number;
  /** Sandbox time, milliseconds. */
  readonly at: number;
  readonly puts: readonly Put[];
  /** Counters that moved, with their new values. */
  readonly counters: Readonly<Record<string, number>>;
}

/** The records of a moment. */
export interface Records {
  get<Name extends CollectionName>(name: Name, key: Key): Collections[Name] | undefined;
}

/**
 * A change as it is kept, without what follows from the records before it. Of one that was there already there are the fields
 * that changed (of a list that goes on, what was added; of those that are now as in the one that changed before it, the
 * names); of a new one those that are not as in the one before it (of an object among them its parts); of an event that
 * says what its object is now all but its bytes.
 */
export interface KeptChange extends Omit<Change, "puts"> {
  readonly puts: readonly KeptPut[];
}

export type KeptPut =
  | Put
  | readonly [collection: CollectionName, key: Key, fields: object, how: "derived"]
  | readonly [collection: CollectionName, key: Key, fields: object, how: "changed", grown?: KeptGrowth]
  | readonly [
      collection: CollectionName,
      key: Key,
      fields: object,
      how: "like",
      other: Key,
      parts?: KeptParts,
    ]
  | readonly [
      collection: CollectionName,
      key: Key,
      fields: object,
      how: "as",
      other: Key,
      shared: readonly string[],
      grown?: KeptGrowth,
    ];

/** The whole state as plain JSON: the readable snapshot, and what export and restore carry. */
export interface StateDump {
  readonly version: 1;
  readonly seq: number;
  readonly at: number;
  readonly counters: Readonly<Record<string, number>>;
  readonly collections: { readonly [Name in CollectionName]: readonly (readonly [Key, Collections[Name]])[] };
}
