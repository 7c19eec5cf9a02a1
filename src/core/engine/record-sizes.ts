import type { Attempt, CollectionName, Collections } from "./records.js";

const ATTEMPT_BYTES = 800;

/** Estimated bytes of a record: a constant and the texts without a limit. Exact sizes would cost too much time. */
const SIZES: { readonly [Name in CollectionName]?: (record: Collections[Name]) => number } = {
  charges: ({ metadata }) => 5_000 + fieldBytes(metadata),
  withdrawals: () => 2_500,
  quotes: () => 1_500,
  destinations: () => 1_000,
  holdings: () => 1_000,
  entries: () => 800,
  events: ({ body }) => 700 + textBytes(body),
  deliveries: ({ attempts }) => attempts.reduce((sum, attempt) => sum + attemptBytes(attempt), 1_200),
  lanes: ({ waiting, swapped }) => 400 + 50 * (waiting.length + swapped.length),
  tasks: () => 250,
  idempotency: ({ body, json }) => 500 + textBytes(body) + textBytes(json),
};

/** Measures the JSON of records that are written seldom. */
export function sizeOfRecord<Name extends CollectionName>(name: Name, record: Collections[Name]): number {
  const measure = SIZES[name] as ((record: Collections[Name]) => number) | undefined;
  return measure === undefined ? textBytes(JSON.stringify(record)) : measure(record);
}

/** A text takes one byte a character in memory, or two if any character needs more. */
function textBytes(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

function attemptBytes({ response_body }: Attempt): number {
  return ATTEMPT_BYTES + (response_body === null ? 0 : textBytes(response_body));
}

function fieldBytes(fields: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const name in fields) bytes += name.length + textBytes(fields[name]!);
  return bytes;
}
