import type { JournalEntry, StateDump } from "../engine/records.js";
import { isJsonObject } from "../schema/json-objects.js";
import { COLLECTION_NAMES } from "../schema/records/collection-names.js";

/** Shape checks of stored files. Checksums guard the records' content. */

const COLLECTIONS: ReadonlySet<unknown> = new Set(COLLECTION_NAMES);
const DUMP_MEMBERS: ReadonlySet<string> = new Set(["version", "seq", "at", "counters", "collections"]);
/** Latest instant that a `Date` can hold. */
const MAX_TIME_MS = 8.64e15;

export function isJournalEntry(value: unknown): value is JournalEntry {
  if (!isJsonObject(value)) return false;
  const { seq, at, puts, counters } = value;
  return isNumber(seq) && isTime(at) && Array.isArray(puts) && puts.every(isPut) && isCounters(counters);
}

/** Checks the outline of a state dump. Empty collections may be absent. */
export function isStateDump(value: unknown): value is StateDump {
  if (!isJsonObject(value)) return false;
  const { version, seq, at, counters, collections } = value;
  return (
    Object.keys(value).every((name) => DUMP_MEMBERS.has(name)) &&
    version === 1 &&
    isNumber(seq) &&
    isTime(at) &&
    isCounters(counters) &&
    isJsonObject(collections) &&
    Object.values(collections).every((entries) => Array.isArray(entries) && entries.every(isEntry))
  );
}

function isPut(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [collection, key, record, how] = value;
  if (!COLLECTIONS.has(collection) || !isKey(key)) return false;
  if (value.length === 3) return record === null || isJsonObject(record);
  return value.length === 4 && how === "changed" && isJsonObject(record);
}

function isEntry(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && isKey(value[0]) && isJsonObject(value[1]);
}

function isKey(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

function isNumber(value: unknown): boolean {
  return Number.isSafeInteger(value);
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) <= MAX_TIME_MS;
}

function isCounters(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every(isNumber);
}
