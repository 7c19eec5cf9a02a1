import * as z from "zod/mini";
import { stateDumpSchema } from "../../schema/control-requests.js";
import { issueDetails, safeParse } from "../../schema/issues.js";
import { COLLECTION_NAMES, type CollectionName } from "../../schema/records/collection-names.js";
import { RECORD_SCHEMAS } from "../../schema/records/collections.js";
import type { ErrorDetails } from "../../schema/refusals.js";
import type { Collections, RecordKey, StateDump } from "../records.js";

/** Limit on reported faults: invalid state may have one per record. */
const REPORT_MAX_FAULTS = 20;

export class StateFaults {
  readonly #messages = new Map<string, string>();
  #isFull = false;

  add(path: string, message: string): void {
    if (this.#messages.has(path)) return;
    if (this.#messages.size < REPORT_MAX_FAULTS) this.#messages.set(path, message);
    else this.#isFull = true;
  }

  get isEmpty(): boolean {
    return this.#messages.size === 0;
  }

  /** True once a fault exceeds the limit: checks can stop. */
  get isFull(): boolean {
    return this.#isFull;
  }

  get details(): ErrorDetails {
    return Object.fromEntries(this.#messages);
  }
}

/** Path of a record in an export, whose collections are lists of [key, record]. */
export function recordPath(
  collection: string,
  index: number,
  ...fields: readonly (string | number)[]
): string {
  return ["collections", collection, index, 1, ...fields].join(".");
}

/** Records of an imported state by key, before validation. */
type UncheckedRecords = {
  readonly [Name in CollectionName]?: Iterable<readonly [RecordKey, unknown]>;
};

/** Records of an imported state by key, each valid by its schema. */
type CheckedRecords = {
  readonly [Name in CollectionName]?: Iterable<readonly [RecordKey, Collections[Name]]>;
};

/** Checks that a value has the shape of an export, except for its records. */
export function checkOutline(
  dump: unknown,
  faults: StateFaults,
): dump is Omit<StateDump, "collections"> & { readonly collections: UncheckedRecords } {
  const checked = safeParse(stateDumpSchema, dump);
  if (checked.ok) return true;
  for (const [path, message] of Object.entries(issueDetails(checked.issues))) faults.add(path, message);
  return false;
}

/** Number of records before a schema is compiled. Compiling takes milliseconds, but speeds up validation five times. */
const COMPILE_MIN_RECORDS = 100;

/** zod's message for a string that does not match a pattern. */
const NO_MESSAGE = "Invalid input";

export function checkRecords(
  collections: UncheckedRecords,
  faults: StateFaults,
): collections is CheckedRecords {
  for (const name of COLLECTION_NAMES) {
    let schema = RECORD_SCHEMAS[name];
    let index = -1;
    for (const [, record] of collections[name] ?? []) {
      if (++index === COMPILE_MIN_RECORDS) schema = z.compile(schema);
      if (z.validate(schema, record)) continue;
      noteFaults(name, index, record, faults);
      if (faults.isFull) return false;
    }
  }
  return faults.isEmpty;
}

function noteFaults(name: CollectionName, index: number, record: unknown, faults: StateFaults): void {
  const entryPath = recordPath(name, index);
  if (typeof record !== "object" || record === null) {
    faults.add(entryPath, "must be an object");
    return;
  }
  const checked = safeParse(RECORD_SCHEMAS[name], record);
  if (checked.ok) return;
  for (const [path, message] of Object.entries(issueDetails(checked.issues)))
    faults.add(
      `${entryPath}.${path}`,
      message === NO_MESSAGE ? "has a format the sandbox does not write" : message,
    );
}

interface Numbering {
  /** Field that repeats the record's key. */
  readonly id?: string;
  /** Field with the record's number, and the counter it came from. */
  readonly seq?: readonly [field: string, counter: string];
  /** Counter of the record's id. Its value is at least the value of the counter in `seq`. */
  readonly idCounter?: string;
}

const NUMBERING: { readonly [Name in CollectionName]: Numbering } = {
  quotes: { id: "quote_id", seq: ["seq", "quote_seq"], idCounter: "quote" },
  charges: { id: "charge_id", seq: ["seq", "charge_seq"], idCounter: "charge" },
  withdrawals: { id: "withdrawal_id", seq: ["seq", "withdrawal_seq"], idCounter: "withdrawal" },
  destinations: { id: "destination_id", seq: ["seq", "destination_seq"], idCounter: "destination" },
  idempotency: { seq: ["seq", "idempotency"] },
  holdings: { id: "key", seq: ["seq", "holdings"] },
  entries: { id: "entry_id", seq: ["seq", "entry"] },
  events: { id: "event_id", seq: ["seq", "event_seq"], idCounter: "event" },
  deliveries: { id: "delivery_id", seq: ["seq", "delivery_seq"], idCounter: "delivery" },
  endpoints: { id: "webhook_id", seq: ["seq", "webhook_seq"], idCounter: "webhook" },
  lanes: { id: "lane" },
  tasks: { id: "task_id", seq: ["task_id", "task"] },
  scenarios: { id: "name" },
  faults: { id: "fault_id", seq: ["seq", "fault_seq"], idCounter: "fault" },
  rates: { id: "code" },
  keys: { id: "key" },
  organizations: { id: "organization_id" },
  clock: {},
  namespace: {},
};

/** Collections of one record, whose key is the collection's name. */
const SINGLE: ReadonlySet<CollectionName> = new Set(["clock", "namespace"]);

/** Finds keys that differ from their records' ids, duplicate numbers, and counters that would repeat a number. */
export function checkNumbering(
  collections: CheckedRecords,
  counters: Readonly<Record<string, number>>,
  faults: StateFaults,
): boolean {
  const lastOf = (counter: string) => (Object.hasOwn(counters, counter) ? counters[counter]! : 0);
  for (const [name, { id, seq, idCounter }] of Object.entries(NUMBERING) as [CollectionName, Numbering][]) {
    checkKeys(name, collections[name] ?? [], id, faults);
    if (faults.isFull) return false;
    if (seq === undefined) continue;
    const [field, counter] = seq;
    const highest = highestOf(name, collections[name] ?? [], field, faults);
    if (faults.isFull) return false;
    if (lastOf(counter) < highest) faults.add(`counters.${counter}`, `must be at least ${highest}`);
    else if (idCounter !== undefined && lastOf(idCounter) < lastOf(counter))
      faults.add(`counters.${idCounter}`, `must be at least ${lastOf(counter)}`);
  }
  if ([...(collections.namespace ?? [])].length === 0) faults.add("collections.namespace", "is required");
  return faults.isEmpty;
}

type Entries = Iterable<readonly [RecordKey, object]>;

function checkKeys(
  name: CollectionName,
  records: Entries,
  id: string | undefined,
  faults: StateFaults,
): void {
  const keys = new Set<unknown>();
  let index = 0;
  for (const [key, record] of records) {
    const entry = `collections.${name}.${index}`;
    if (SINGLE.has(name) && key !== name) faults.add(entry, `must be called ${name}`);
    if (keys.has(key)) faults.add(entry, "has a duplicate key");
    keys.add(key);
    if (id !== undefined && fieldOf(record, id) !== key)
      faults.add(recordPath(name, index, id), `must be its key, ${JSON.stringify(key)}`);
    if (faults.isFull) return;
    index++;
  }
}

function highestOf(name: CollectionName, records: Entries, field: string, faults: StateFaults): number {
  const numbers = new Set<number>();
  let highest = 0;
  let index = 0;
  for (const [, record] of records) {
    const number = fieldOf(record, field) as number;
    if (numbers.has(number)) faults.add(recordPath(name, index, field), "has a duplicate number");
    numbers.add(number);
    highest = Math.max(highest, number);
    if (faults.isFull) break;
    index++;
  }
  return highest;
}

function fieldOf(record: object, field: string): unknown {
  return (record as Readonly<Record<string, unknown>>)[field];
}
