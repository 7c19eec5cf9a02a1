import { AMOUNT_PATTERN } from "../../schema/common.js";
import { getOwn } from "../../schema/json-objects.js";
import { didYouMean } from "../../schema/nearest.js";
import {
  BOOK_ROW_FIELDS,
  isBookRowField,
  MARKINGS,
  type Marking,
  METADATA_FIELD_PREFIX,
  type ReconcileRequest,
  STATUS_WORDS,
} from "../../schema/reconciliation.js";
import { decimalNotation } from "../money.js";

/** One order in the app's books. */
export interface BookRow {
  /** Row number, from 1. */
  readonly number: number;
  readonly chargeId: string | undefined;
  /** Metadata by which the order's charges are found. */
  readonly orderMetadata: Readonly<Record<string, string>>;
  /** Status in the app's own words. */
  readonly status: string;
  readonly marking: Marking;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  readonly delivered: number | undefined;
}

export interface RowFault {
  /** Row index, from 0. */
  readonly index: number;
  readonly field: string;
  readonly message: string;
}

type RawRow = ReconcileRequest["rows"][number];
type Reading = Pick<ReconcileRequest, "map" | "statuses">;
type Values = Readonly<Record<string, unknown>>;

/** Parses rows; returns their faults instead if there are any. */
export function parseRows(
  rows: readonly RawRow[],
  { map = {}, statuses = {} }: Reading,
): { readonly rows: readonly BookRow[]; readonly compared: readonly string[] } | readonly RowFault[] {
  const faults: RowFault[] = [];
  const present = new Set<string>();
  const markings = markingsByStatus(statuses);
  const bookRows = rows.map((row, index) => {
    const values = rowValues(row, map);
    for (const [field, value] of Object.entries(values)) if (value !== undefined) present.add(field);
    const fault = (field: string, message: string): undefined => {
      faults.push({ index, field: getOwn(map, field) ?? field, message });
    };
    return bookRow(values, index + 1, markings, fault);
  });
  if (faults.length > 0) return faults;
  const compared = BOOK_ROW_FIELDS.filter((field) => field !== "charge_id" && present.has(field));
  return { rows: bookRows, compared };
}

/** Returns a row's values by field. `map` has the path of a field's value; empty values become undefined. */
function rowValues(row: RawRow, map: Readonly<Record<string, string>>): Values {
  const { metadata } = row;
  const nested = typeof metadata === "object" && metadata !== null ? Object.entries(metadata) : [];
  const found = [
    ...Object.entries(row).filter(([field]) => isBookRowField(field)),
    ...nested.map(([key, value]) => [METADATA_FIELD_PREFIX + key, value] as const),
    ...Object.entries(map).map(([field, path]) => [field, valueAt(row, path)] as const),
  ];
  return Object.fromEntries(
    found.map(([field, value]) => [field, value === null || value === "" ? undefined : value]),
  );
}

function valueAt(row: Values, path: string): unknown {
  if (Object.hasOwn(row, path)) return row[path];
  let value: unknown = row;
  for (const key of path.split("."))
    value = typeof value === "object" && value !== null ? getOwn(value as Values, key) : undefined;
  return value;
}

function bookRow(
  values: Values,
  number: number,
  markings: ReadonlyMap<string, Marking>,
  fault: (field: string, message: string) => undefined,
): BookRow {
  const status = cellText(values.status);
  const marking = markings.get(statusKey(status ?? ""));
  if (status === undefined) fault("status", "is missing");
  else if (marking === undefined) fault("status", unknownStatus(status, markings));
  const keys = Object.keys(values).filter((field) => field.startsWith(METADATA_FIELD_PREFIX));
  if (keys.length === 0 && !Object.hasOwn(values, "charge_id"))
    fault("charge_id", "is missing: a row names its charge, or its order as metadata.KEY");
  const order = keys.flatMap((key) => {
    const value = cellText(values[key]);
    return value === undefined ? [] : [[key.slice(METADATA_FIELD_PREFIX.length), value]];
  });
  const amount = cellText(values.amount);
  if (values.amount !== undefined && !AMOUNT_PATTERN.test(amount ?? ""))
    fault("amount", 'must be an amount such as "512.50"');
  const delivered = countOf(values.delivered);
  if (delivered === null) fault("delivered", "must be a count: a whole number, true or false");
  return {
    number,
    chargeId: cellText(values.charge_id),
    orderMetadata: Object.fromEntries(order),
    status: status ?? "",
    marking: marking ?? "unpaid",
    amount,
    currency: cellText(values.currency)?.toUpperCase(),
    delivered: delivered ?? undefined,
  };
}

function cellText(value: unknown): string | undefined {
  if (typeof value === "number") return decimalNotation(value);
  return typeof value === "string" ? value.trim() : undefined;
}

/** Parses a whole number, true (1) or false (0). Returns null for any other value. */
function countOf(value: unknown): number | undefined | null {
  if (value === undefined) return undefined;
  const text = String(value).trim().toLowerCase();
  if (text === "true" || text === "false") return Number(text === "true");
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Ignores case and treats spaces, hyphens and underscores as the same. */
function statusKey(status: string): string {
  return status.toLowerCase().replace(/[\s_-]+/g, "_");
}

function markingsByStatus(custom: Readonly<Record<string, Marking>>): ReadonlyMap<string, Marking> {
  return new Map([
    ...Object.entries(STATUS_WORDS),
    ...Object.entries(custom).map(([word, marking]) => [statusKey(word), marking] as const),
  ]);
}

function unknownStatus(status: string, markings: ReadonlyMap<string, Marking>): string {
  const near = didYouMean(status, [...markings.keys()]);
  return `${JSON.stringify(status)} is not a known status${near}; add it to statuses as one of ${MARKINGS.join(", ")}`;
}
