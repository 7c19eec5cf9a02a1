import fc from "fast-check";
import { expect, it } from "vitest";
import { findMismatches } from "../../src/core/domain/deep-match.js";

const fits = (expected: unknown, actual: unknown): boolean => findMismatches(expected, actual).length === 0;

it("compares amounts with numbers in any notation", () => {
  const number = fc.oneof(
    fc.integer({ min: -1_000, max: 1_000 }),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
    fc.constantFrom(1e21, 1e-7, -1e300, 5e-324),
  );
  const written = (value: number) => fc.constantFrom<unknown>(value, plain(value));
  const pair = fc
    .tuple(number, number)
    .chain(([a, b]) => fc.tuple(fc.constant(a), fc.constant(b), written(a), written(b)));
  fc.assert(
    fc.property(pair, ([a, b, actual, bound]) => {
      expect(fits({ gte: bound }, actual)).toBe(a >= b);
      expect(fits({ gt: bound }, actual)).toBe(a > b);
      expect(fits({ lte: bound }, actual)).toBe(a <= b);
      expect(fits({ lt: bound }, actual)).toBe(a < b);
    }),
  );
});

it("bounds match only numbers, and an invalid bound matches nothing", () => {
  for (const actual of [
    "abc",
    "",
    "-",
    "1e9",
    "Infinity",
    "0x10",
    " 1",
    null,
    undefined,
    true,
    [],
    {},
    Number.NaN,
  ])
    expect(fits({ gte: "0" }, actual)).toBe(false);
  for (const bound of ["abc", "", null, true]) expect(fits({ gte: bound }, 7)).toBe(false);
});

it("a glob without a wildcard does not match numbers or booleans", () => {
  expect(fits("*", 1)).toBe(true);
  expect(fits("1?", 12)).toBe(true);
  expect(fits("t*", true)).toBe(true);
  expect(fits("1", 1)).toBe(false);
  expect(fits("true", true)).toBe(false);
  for (const nothing of [null, undefined, [], {}]) expect(fits("*", nothing)).toBe(false);
});

it.each<[boolean, unknown, unknown]>([
  [true, { not: "b*" }, "abc"],
  [false, { not: "b*" }, undefined],
  [true, { not: { exists: true } }, undefined],
  [false, { not: { status: "paid" } }, { status: "paid", more: 1 }],
  [true, { in: [200, 201, "2*"] }, 204],
  [false, { in: [{ id: 1 }, { id: 2 }] }, { id: 3 }],
  [true, { contains: "b" }, "abc"],
  [
    true,
    { contains: { type: "x", n: { gt: 1 } } },
    [
      { type: "x", n: 1 },
      { type: "x", n: 2 },
    ],
  ],
  [
    false,
    { contains: { type: "x", n: { gt: 2 } } },
    [
      { type: "x", n: 1 },
      { type: "y", n: 3 },
    ],
  ],
  [true, { exists: true }, 0],
  [false, { exists: true }, null],
  [true, { exists: false }, undefined],
  [true, { matches: "^[a-z]+-\\d+$", not: "b-*" }, "a-17"],
  [true, { gt: "2026-01-01", lte: "2026-01-31T11:00:00+02:00" }, "2026-01-31T09:00:00.000Z"],
  [true, { gt: "100000000000000000000.00" }, "100000000000000000000.000001"],
  [false, { lt: "2026-01-31T09:00:00Z" }, "2026-01-31T09:00:00.000Z"],
  [true, { a: { "\\in": { gte: 1 } } }, { a: { in: 1 } }],
  [true, { in: 1, other: 2 }, { in: 1, other: 2 }],
])("returns %s when matching %j against %j", (expected, wanted, actual) => {
  expect(fits(wanted, actual)).toBe(expected);
});

it.each<[unknown, unknown, string]>([
  [{ gte: 1 }, "abc", "a text that is neither number nor instant cannot be compared with a number"],
  [{ not: { gte: 1 } }, "2026-01-01", "an instant cannot be compared with a number"],
  [{ in: [{ lt: 1 }] }, [], "a list cannot be compared with a number"],
  [{ contains: 1 }, "a1", "a text contains texts only"],
  [{ matches: "1" }, 1, "matches is for texts"],
  [{ not: { matches: "(" } }, "a", "the pattern is not a regular expression: Unterminated group"],
])("explains why %j does not match %j", (wanted, actual, why) => {
  expect(findMismatches({ a: wanted }, { a: actual })).toEqual([
    { path: "a", expected: wanted, actual, why },
  ]);
});

/** Formats a number without an exponent. */
function plain(value: number): string {
  const [, sign, digits, exponent] = /^(-?)([\d.]+)(?:e([+-]\d+))?$/.exec(String(value))!;
  const [whole = "", fraction = ""] = digits!.split(".");
  const point = whole.length + Number(exponent ?? 0);
  const all = whole + fraction;
  const before = all.slice(0, Math.max(0, point)).padEnd(point, "0") || "0";
  const after = point < 0 ? "0".repeat(-point) + all : all.slice(point);
  return `${sign}${before.replace(/^0+(?=\d)/, "")}${after === "" ? "" : `.${after}`}`;
}
