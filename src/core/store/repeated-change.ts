import { isSameJson } from "../engine/encode-fields.js";
import type { JournalEntry, JournalPut, RecordKey } from "../engine/records.js";

/**
 * A change encoded against the previous journal line. Collections and counter names must be equal; record keys, fields
 * and counter values may differ. An advance repeats one change for thousands of charges.
 */
export interface RepeatedChange {
  readonly seq: number;
  /** Omitted if equal to `at` of the previous change. */
  readonly at?: number;
  /** In the order of the previous change's puts. */
  readonly again: readonly RepeatedPut[];
  /** In the order of the previous change's counters. */
  readonly counters: readonly number[];
}

export type RepeatedPut = RecordKey | readonly [key: RecordKey, fields: object];

/** Returns undefined if the changes differ in more than a repeated change can express. */
export function encodeRepeatedChange(change: JournalEntry, before: JournalEntry): RepeatedChange | undefined {
  const { seq, at, puts } = change;
  if (puts.length !== before.puts.length) return undefined;
  const encoded: RepeatedPut[] = [];
  for (let index = 0; index < puts.length; index++) {
    const put = encodePut(puts[index]!, before.puts[index]!);
    if (put === undefined) return undefined;
    encoded.push(put);
  }
  const counters = counterValues(change, before);
  if (counters === undefined) return undefined;
  return at === before.at ? { seq, again: encoded, counters } : { seq, at, again: encoded, counters };
}

function encodePut(put: JournalPut, before: JournalPut): RepeatedPut | undefined {
  if (put[0] !== before[0] || put[3] !== before[3] || put.length !== before.length) return undefined;
  const key = put[1];
  const fields: object | null = put[2]!;
  const previousFields: object | null = before[2]!;
  if (fields === null || previousFields === null) return fields === previousFields ? key : undefined;
  switch (put[3]) {
    case "as":
      if (put.length !== 6 || put[4] !== before[1] || !isEqualList(put[5], before[5] as (typeof put)[5]))
        return undefined;
      break;
    case "like":
      if (put.length !== 5 || put[4] !== before[1]) return undefined;
      break;
    default:
      if (put.length > 4) return undefined;
  }
  return isSameJson(fields, previousFields) ? key : [key, fields];
}

function isEqualList(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}

/** Returns undefined if names or order differ. */
function counterValues(change: JournalEntry, before: JournalEntry): number[] | undefined {
  return isEqualList(Object.keys(change.counters), Object.keys(before.counters))
    ? Object.values(change.counters)
    : undefined;
}

/** Decodes the change; returns undefined if it cannot follow `before`. */
export function decodeRepeatedChange(
  { seq, at, again: encoded, counters }: RepeatedChange,
  before: JournalEntry,
): JournalEntry | undefined {
  const names = Object.keys(before.counters);
  if (seq !== before.seq + 1 || encoded.length !== before.puts.length || counters.length !== names.length)
    return undefined;
  return {
    seq,
    at: at ?? before.at,
    puts: before.puts.map((put, index) => decodePut(put, encoded[index]!)),
    counters: Object.fromEntries(names.map((name, index) => [name, counters[index]!])),
  };
}

function decodePut(before: JournalPut, encoded: RepeatedPut): JournalPut {
  const [key, fields] = Array.isArray(encoded) ? (encoded as [RecordKey, object]) : [encoded, before[2]];
  const [name, other, , ...rest] = before;
  if (rest[0] === "as" || rest[0] === "like") rest[1] = other;
  return [name, key, fields, ...rest] as unknown as JournalPut;
}
