import { evaluateMatcher, findMismatches, isInRange } from "../../../core/domain/deep-match.js";
import type { Difference, NearMiss } from "../../../core/schema/control-scenario-responses.js";
import { isMatcher } from "../../../core/schema/matcher-words.js";
import type { Range } from "../../../core/schema/matchers.js";
import { mapInSlices } from "../../../core/time/wall-clock.js";
import type { LogRow } from "../running/control-lists.js";
import { StepFailure, toDifferences } from "../running/failure.js";

const MAX_NEAREST = 3;
const MAX_FOUND = 5;
const STATUS_FIELDS = ["status", "answered"] as const;

export interface RecordSearch {
  /** Field of the expectation in the step. */
  readonly at: string;
  /** Name of the records, such as `event`. */
  readonly what: string;
  readonly expected: Readonly<Record<string, unknown>>;
  /** Expected number or range; default: at least one. */
  readonly count: number | Range | undefined;
  /** Newest first. */
  readonly rows: readonly LogRow[];
  readonly idOf: (row: LogRow) => string;
}

/** Returns the newest matching record; throws if the number of matches is not as expected. */
export async function findExpectedRecord(search: RecordSearch): Promise<LogRow | undefined> {
  const { at, what, expected, count, rows, idOf } = search;
  const compared = await mapInSlices(rows, (row) => ({ row, difference: recordDifferences(expected, row) }));
  const found = compared.filter(({ difference }) => difference.length === 0).map(({ row }) => row);
  const range = typeof count === "number" ? { gte: count, lte: count } : (count ?? { gte: 1 });
  if (isInRange(range, found.length)) return found[0];
  const nearest: NearMiss[] = compared
    .filter(({ difference }) => difference.length > 0)
    .sort((a, b) => a.difference.length - b.difference.length)
    .slice(0, MAX_NEAREST)
    .map(({ row, difference }) => ({ id: idOf(row), difference }));
  const expectedCount = { ...expected, count: count ?? "at least 1" };
  const described = asText(expected);
  if (count === undefined) {
    const [best] = nearest;
    const row = best && rows.find((candidate) => idOf(candidate) === best.id);
    throw new StepFailure(
      {
        message: rows.length === 0 ? `no ${what} at all` : `no ${what} ${described}`,
        expected: expectedCount,
        got: row === undefined ? { count: 0 } : pick(row, Object.keys(expected)),
        ...(best === undefined ? {} : { difference: best.difference }),
        nearest,
      },
      at,
    );
  }
  // Near misses do not help if there are too many matches.
  const { lt, lte }: Range = range;
  const isTooMany = !isInRange({ lt, lte }, found.length);
  throw new StepFailure(
    {
      message: `${found.length} ${what}${found.length === 1 ? "" : "s"} ${described}, not ${typeof count === "number" ? count : JSON.stringify(count)}`,
      expected: expectedCount,
      got: {
        count: found.length,
        ...(found.length === 0 ? {} : { found: found.slice(0, MAX_FOUND).map(idOf) }),
      },
      difference: [{ path: "count", expected: count, got: found.length }],
      ...(isTooMany ? {} : { nearest }),
    },
    at,
  );
}

function pick(row: LogRow, fields: readonly string[]): LogRow {
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(row, field)).map((field) => [field, row[field]]),
  );
}

/** Keeps the rows that match, and lets the event loop run between slices of time. */
export async function matchingRows(
  expected: Readonly<Record<string, unknown>>,
  rows: readonly LogRow[],
): Promise<LogRow[]> {
  const matches = await mapInSlices(rows, (row) => recordMatches(expected, row));
  return rows.filter((_row, index) => matches[index]);
}

export function recordMatches(expected: Readonly<Record<string, unknown>>, row: LogRow): boolean {
  return recordDifferences(expected, row).length === 0;
}

/** Lists the fields of a record that differ from the expectation. An expected status may be a class such as `2xx`. */
function recordDifferences(expected: Readonly<Record<string, unknown>>, row: LogRow): Difference[] {
  const fields: Record<string, unknown> = {};
  const actual: LogRow = { ...row };
  const classes: Difference[] = [];
  for (const [field, value] of Object.entries(expected)) {
    if (value === undefined) continue;
    if ((STATUS_FIELDS as readonly string[]).includes(field) && (isStatusClass(value) || isMatcher(value))) {
      if (!statusMatches(value, row[field])) classes.push({ path: field, expected: value, got: row[field] });
    } else if (field === "answered" && value === "none") fields[field] = null;
    else fields[field] = value;
  }
  return [...classes, ...toDifferences(findMismatches(fields, actual))];
}

function isStatusClass(value: unknown): value is string {
  return typeof value === "string" && /^[1-5][\dx]{2}$/.test(value);
}

/** Returns true if the status meets the expectation: a status, a class such as `2xx` or a matcher. */
export function statusMatches(expected: unknown, actual: unknown): boolean {
  if (isMatcher(expected)) return evaluateMatcher(expected, actual, statusMatches) === true;
  if (!isStatusClass(expected)) return findMismatches(expected, actual).length === 0;
  return new RegExp(`^${expected.replaceAll("x", "\\d")}$`).test(String(actual));
}

function asText(expected: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(expected)
    .filter(([field, value]) => field !== "count" && value !== undefined)
    .map(([field, value]) => `${field}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return parts.length === 0 ? "of any kind" : `with ${parts.join(" ")}`;
}
