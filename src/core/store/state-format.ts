import type { FrozenState, JournalEntry, NamespaceRecord, StateDump } from "../engine/records.js";
import { isJsonObject } from "../schema/json-objects.js";
import { COLLECTION_NAMES } from "../schema/records/collection-names.js";

/** Begins the namespace's record in an encoded state. No record contains it, because JSON escapes line breaks. */
export const NAMESPACE_MARK = '"namespace": [\n';

/** Characters per piece; encoding a piece takes a millisecond or two. */
const PIECE_CHARS = 1 << 18;

/** Encodes a state as JSON, one record per line for diffs. Pieces avoid a string as long as the whole file. */
export function* encodeState(state: FrozenState): Generator<string> {
  let piece = "";
  for (const part of encodeParts(state)) {
    piece += part;
    if (piece.length >= PIECE_CHARS) {
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

function* encodeParts({ collections, ...head }: FrozenState): Generator<string> {
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "collections": {`;
  let nameSeparator = "\n";
  for (const [name, entries] of Object.entries(collections)) {
    yield `${nameSeparator}    ${JSON.stringify(name)}: [`;
    let separator = "\n";
    for (const entry of entries) {
      yield `${separator}      ${JSON.stringify(entry)}`;
      separator = ",\n";
    }
    yield entries.length === 0 ? "]" : "\n    ]";
    nameSeparator = ",\n";
  }
  yield "\n  }\n}\n";
}

/** @param end the encoded state from `NAMESPACE_MARK` to its end */
export function decodeNamespaceRecord(end: string): NamespaceRecord {
  const { collections } = JSON.parse(`{"collections": {${end}`) as Pick<StateDump, "collections">;
  return collections.namespace[0]![1];
}

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
