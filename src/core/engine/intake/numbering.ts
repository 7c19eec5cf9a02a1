import type { CollectionName } from "../../schema/records/names.js";
import type { Key } from "../records.js";
import { type Faults, placeOf } from "./faults.js";
import type { Checked } from "./records.js";

interface Numbering {
  /** The field that says the record's key again; without one the key is its own. */
  readonly id?: string;
  /** The field with its number, and the counter that has given it out. */
  readonly seq?: readonly [field: string, counter: string];
  /** The counter its id is made of, which is ahead of that of its number, or level with it. */
  readonly made?: string;
}

/** By what the records of each collection are found. */
const NUMBERING: { readonly [Name in CollectionName]: Numbering } = {
  quotes: { id: "quote_id", seq: ["seq", "quote_seq"], made: "quote" },
  charges: { id: "charge_id", seq: ["seq", "charge_seq"], made: "charge" },
  withdrawals: { id: "withdrawal_id", seq: ["seq", "withdrawal_seq"], made: "withdrawal" },
  destinations: { id: "destination_id", seq: ["seq", "destination_seq"], made: "destination" },
  idempotency: { seq: ["seq", "idempotency"] },
  holdings: { id: "key", seq: ["seq", "holdings"] },
  entries: { id: "entry_id", seq: ["seq", "entry"] },
  events: { id: "event_id", seq: ["seq", "event_seq"], made: "event" },
  deliveries: { id: "delivery_id", seq: ["seq", "delivery_seq"], made: "delivery" },
  endpoints: { id: "webhook_id", seq: ["seq", "webhook_seq"], made: "webhook" },
  lanes: { id: "lane" },
  tasks: { id: "task_id", seq: ["task_id", "task"] },
  scenarios: { id: "name" },
  faults: { id: "fault_id", seq: ["seq", "fault_seq"], made: "fault" },
  rates: { id: "code" },
  keys: { id: "key" },
  organizations: { id: "organization_id" },
  clock: {},
  world: {},
};

/** Of these there is one, under the name of the collection. */
const SINGLE: ReadonlySet<CollectionName> = new Set(["clock", "world"]);

/** Keys that say another id than their records, numbers that come twice, counters that would give one out again. */
export function checkNumbering(
  collections: Checked,
  counters: Readonly<Record<string, number>>,
  faults: Faults,
): boolean {
  const counted = (counter: string) => (Object.hasOwn(counters, counter) ? counters[counter]! : 0);
  for (const [name, { id, seq, made }] of Object.entries(NUMBERING) as [CollectionName, Numbering][]) {
    checkKeys(name, collections[name] ?? [], id, faults);
    if (faults.isFull) return false;
    if (seq === undefined) continue;
    const [field, counter] = seq;
    const highest = highestOf(name, collections[name] ?? [], field, faults);
    if (faults.isFull) return false;
    if (counted(counter) < highest) faults.add(`counters.${counter}`, `must be at least ${highest}`);
    else if (made !== undefined && counted(made) < counted(counter))
      faults.add(`counters.${made}`, `must be at least ${counted(counter)}`);
  }
  if ([...(collections.world ?? [])].length === 0) faults.add("collections.world", "is required");
  return faults.none;
}

type Records = Iterable<readonly [Key, object]>;

function checkKeys(name: CollectionName, records: Records, id: string | undefined, faults: Faults): void {
  const keys = new Set<unknown>();
  let index = 0;
  for (const [key, record] of records) {
    const entry = `collections.${name}.${index}`;
    if (SINGLE.has(name) && key !== name) faults.add(entry, `must be called ${name}`);
    if (keys.has(key)) faults.add(entry, "has a duplicate key");
    keys.add(key);
    if (id !== undefined && fieldOf(record, id) !== key)
      faults.add(placeOf(name, index, id), `must be its key, ${JSON.stringify(key)}`);
    if (faults.isFull) return;
    index++;
  }
}

/** The highest number given out. */
function highestOf(name: CollectionName, records: Records, field: string, faults: Faults): number {
  const numbers = new Set<number>();
  let highest = 0;
  let index = 0;
  for (const [, record] of records) {
    const number = fieldOf(record, field) as number;
    if (numbers.has(number)) faults.add(placeOf(name, index, field), "has a duplicate number");
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
