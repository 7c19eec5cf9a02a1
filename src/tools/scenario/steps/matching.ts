import { mismatches } from "../../../core/domain/deep-match.js";
import { isInRange, matcherFits } from "../../../core/domain/matcher.js";
import { isMatcher } from "../../../core/schema/matcher-words.js";
import type { Range } from "../../../core/schema/matchers.js";
import { type Difference, differences, type NearMiss, StepFailure } from "../running/failure.js";
import type { Row } from "../running/lists.js";

const MISSES_SHOWN = 3;
const FOUND_SHOWN = 5;
const STATUS_FIELDS = ["status", "answered"] as const;

/** What was looked for, and what there is. */
export interface Search {
  /** The field of the step that says so. */
  readonly at: string;
  /** In words, such as `event charge.failed`. */
  readonly what: string;
  readonly expected: Readonly<Record<string, unknown>>;
  /** Exactly so many, or so many as the bounds let; at least one when it is not said. */
  readonly count: number | Range | undefined;
  /** Newest first. */
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
}

/** The newest record that is as expected, if there are as many as there should be; else the step has failed. */
export function findCounted({ at, what, expected, count, rows, idOf }: Search): Row | undefined {
  const judged = rows.map((row) => ({ row, difference: difference(expected, row) }));
  const found = judged.filter(({ difference }) => difference.length === 0).map(({ row }) => row);
  const range = typeof count === "number" ? { gte: count, lte: count } : (count ?? { gte: 1 });
  if (isInRange(range, found.length)) return found[0];
  const nearest: NearMiss[] = judged
    .filter(({ difference }) => difference.length > 0)
    .sort((a, b) => a.difference.length - b.difference.length)
    .slice(0, MISSES_SHOWN)
    .map(({ row, difference }) => ({ id: idOf(row), difference }));
  const wanted = { ...expected, count: count ?? "at least 1" };
  const described = asText(expected);
  if (count === undefined) {
    const [best] = nearest;
    const row = best && rows.find((one) => idOf(one) === best.id);
    throw new StepFailure(
      {
        message: rows.length === 0 ? `no ${what} at all` : `no ${what} ${described}`,
        expected: wanted,
        got: row === undefined ? { count: 0 } : pick(row, Object.keys(expected)),
        ...(best === undefined ? {} : { difference: best.difference }),
        nearest,
      },
      at,
    );
  }
  // Those that are nearly so are no help where there are too many already.
  const { lt, lte }: Range = range;
  const isTooMany = !isInRange({ lt, lte }, found.length);
  throw new StepFailure(
    {
      message: `${found.length} ${what}${found.length === 1 ? "" : "s"} ${described}, not ${typeof count === "number" ? count : JSON.stringify(count)}`,
      expected: wanted,
      got: {
        count: found.length,
        ...(found.length === 0 ? {} : { found: found.slice(0, FOUND_SHOWN).map(idOf) }),
      },
      difference: [{ path: "count", expected: count, got: found.length }],
      ...(isTooMany ? {} : { nearest }),
    },
    at,
  );
}

function pick(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(row, field)).map((field) => [field, row[field]]),
  );
}

export function fits(expected: Readonly<Record<string, unknown>>, row: Row): boolean {
  return difference(expected, row).length === 0;
}

/** Where a record is not as expected. A status may be expected by its class, such as `2xx`. */
export function difference(expected: Readonly<Record<string, unknown>>, row: Row): Difference[] {
  const wanted: Record<string, unknown> = {};
  const actual: Row = { ...row };
  const classes: Difference[] = [];
  for (const [field, value] of Object.entries(expected)) {
    if (value === undefined) continue;
    if ((STATUS_FIELDS as readonly string[]).includes(field) && (isStatusClass(value) || isMatcher(value))) {
      if (!statusMatches(value, row[field])) classes.push({ path: field, expected: value, got: row[field] });
    } else if (field === "answered" && value === "none") wanted[field] = null;
    else wanted[field] = value;
  }
  return [...classes, ...differences(mismatches(wanted, actual))];
}

function isStatusClass(value: unknown): value is string {
  return typeof value === "string" && /^[1-5][\dx]{2}$/.test(value);
}

/** Whether a status is the one expected, of the class, or as a matcher says. */
export function statusMatches(expected: unknown, actual: unknown): boolean {
  if (isMatcher(expected)) return matcherFits(expected, actual, statusMatches) === true;
  if (!isStatusClass(expected)) return mismatches(expected, actual).length === 0;
  return new RegExp(`^${expected.replaceAll("x", "\\d")}$`).test(String(actual));
}

function asText(expected: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(expected)
    .filter(([field, value]) => field !== "count" && value !== undefined)
    .map(([field, value]) => `${field}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return parts.length === 0 ? "of any kind" : `with ${parts.join(" ")}`;
}
