import fc from "fast-check";
import type { Json } from "./world.js";

/** One change to a state, made of numbers so that fast-check can shrink it. */
export interface Mutation {
  readonly collection: number;
  readonly record: number;
  readonly path: readonly number[];
  readonly how: number;
  readonly value: number;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  collection: fc.nat(1_000),
  record: fc.nat(1_000),
  path: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 6 }),
  how: fc.nat(99),
  value: fc.nat(1_000),
});

/** Values that occur in a state, and some invalid ones. */
const TEXTS = `x 1 0.00 -1.00 1e5 100.00 EUR KES constructor __proto__ charge.completed {} null
  2026-01-31T09:00:00.000Z 9999-12-31T23:59:59.999Z http://localhost:1/ http://169.254.169.254/
  PENDING COMPLETED REFUNDED EXPIRED FAILED PROCESSING CANCELLED pending
  test live timeline settle attempt manual real`;

const VALUES: readonly unknown[] = [
  ...[null, true, false, [], {}, [null], [[]], ""],
  ...[0, 1, -1, 2, 7, 0.5, 1e300, 2 ** 53, 253402300799999, 253402300800000],
  ...TEXTS.split(/\s+/),
];

/** Changes the state and returns a description of the change. */
export function mutate(state: Json, { collection, record, path, how, value }: Mutation): string {
  const names = Object.keys(state.collections);
  // One in ten mutations changes the counters.
  if (how < 10)
    return change(
      state,
      "",
      pick([["seq"], ["at"], ["version"], ["counters"], ["collections"]], record),
      path,
      how,
      value,
    );
  const filled = names.filter((name) => state.collections[name].length > 0);
  const name = pick(filled, collection);
  const entries = state.collections[name];
  const index = record % entries.length;
  const where = `collections.${name}.${index}`;
  if (how < 25) {
    entries.splice(index, 1);
    return `${where} removed`;
  }
  if (how < 28) {
    entries.push(structuredClone(entries[index]));
    return `${where} twice`;
  }
  if (how < 31) {
    const other = pick(filled, value);
    entries[index] = structuredClone(state.collections[other][0]);
    return `${where} is one of ${other}`;
  }
  // Copies the field from another record.
  if (how < 50 && entries.length > 1) {
    const other = entries[value % entries.length][1];
    const field = pick(Object.keys(entries[index][1]), path[0]!);
    entries[index][1][field] = structuredClone(other[field]);
    return `${where}.1.${field} is another's`;
  }
  return change(
    entries,
    `collections.${name}.`,
    [String(index), ...(how % 20 === 0 ? [] : ["1"])],
    path,
    how,
    value,
  );
}

/** Changes or removes the field that the numbers select. */
function change(
  root: Json,
  prefix: string,
  from: readonly string[],
  path: readonly number[],
  how: number,
  value: number,
): string {
  let holder = root;
  let key = from[0]!;
  const steps = [...from];
  for (const step of from.slice(1)) {
    holder = holder[key];
    key = step;
  }
  for (const number of path) {
    const inner = holder[key];
    if (typeof inner !== "object" || inner === null || Object.keys(inner).length === 0) break;
    holder = inner;
    key = pick(Object.keys(inner), number);
    steps.push(key);
  }
  const where = prefix + steps.join(".");
  if (how % 4 === 0) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
    return `${where} removed`;
  }
  const put =
    typeof holder[key] === "number" && how % 4 === 1
      ? holder[key] + (value % 5) - 2
      : structuredClone(pick(VALUES, value));
  holder[key] = put;
  return `${where} = ${JSON.stringify(put)}`;
}

function pick<Value>(values: readonly Value[], number: number): Value {
  return values[number % values.length]!;
}
