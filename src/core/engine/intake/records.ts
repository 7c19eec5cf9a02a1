import * as z from "zod/mini";
import { stateDumpSchema } from "../../schema/control.js";
import { check, issueDetails } from "../../schema/issues.js";
import { RECORDS } from "../../schema/records/all.js";
import { COLLECTION_NAMES, type CollectionName } from "../../schema/records/names.js";
import type { Collections, Key, StateDump } from "../records.js";
import { type Faults, placeOf } from "./faults.js";

/** The records of a state from outside, each with its key; nothing is known of them yet. */
export type Unchecked = { readonly [Name in CollectionName]?: Iterable<readonly [Key, unknown]> };

/** The same when every record is what its schema says. */
export type Checked = { readonly [Name in CollectionName]?: Iterable<readonly [Key, Collections[Name]]> };

/** Whether it is an export as far as its outline goes: collections there are, of keys and whatever belongs to them. */
export function checkOutline(
  dump: unknown,
  faults: Faults,
): dump is Omit<StateDump, "collections"> & { readonly collections: Unchecked } {
  const checked = check(stateDumpSchema, dump);
  if (checked.ok) return true;
  for (const [path, message] of Object.entries(issueDetails(checked.issues))) faults.add(path, message);
  return false;
}

/** So many records of a kind, and a schema is worth compiling: that takes milliseconds, and then a fifth of the time. */
const MANY = 100;

/** What zod says of a text that is not as a pattern wants it. */
const NO_MESSAGE = "Invalid input";

/** Whether every record is what the schema of its collection says. */
export function checkRecords(collections: Unchecked, faults: Faults): collections is Checked {
  for (const name of COLLECTION_NAMES) {
    let schema = RECORDS[name];
    let index = -1;
    for (const [, record] of collections[name] ?? []) {
      if (++index === MANY) schema = z.compile(schema);
      if (z.validate(schema, record)) continue;
      noteFaults(name, index, record, faults);
      if (faults.isFull) return false;
    }
  }
  return faults.none;
}

function noteFaults(name: CollectionName, index: number, record: unknown, faults: Faults): void {
  const place = placeOf(name, index);
  if (typeof record !== "object" || record === null) {
    faults.add(place, "must be an object");
    return;
  }
  const checked = check(RECORDS[name], record);
  if (checked.ok) return;
  for (const [path, message] of Object.entries(issueDetails(checked.issues)))
    faults.add(`${place}.${path}`, message === NO_MESSAGE ? "is not as the sandbox writes it" : message);
}
