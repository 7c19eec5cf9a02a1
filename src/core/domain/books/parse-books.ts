import { AMOUNT_PATTERN } from "../../schema/common.js";
import { getOwn, isJsonObject } from "../../schema/json-objects.js";
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
import { parseInstant } from "../../schema/time.js";
import { UserError } from "../../schema/user-error.js";
import { findJsonFault } from "../json-fault.js";
import { decimalNotation } from "../money.js";

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
  /** The shop's price: the charge's base amount. */
  readonly price: string | undefined;
  readonly delivered: number | undefined;
  readonly deliveredMs: number | undefined;
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
  const [amount, price] = (["amount", "price"] as const).map((field) => {
    const text = cellText(values[field]);
    if (values[field] !== undefined && !AMOUNT_PATTERN.test(text ?? ""))
      fault(field, 'must be an amount such as "512.50"');
    return text;
  });
  const delivered = countOf(values.delivered);
  if (delivered === null) fault("delivered", "must be a count: a whole number, true or false");
  const deliveredAt = cellText(values.delivered_at);
  const deliveredMs = parseInstant(deliveredAt ?? "");
  if (deliveredAt !== undefined && deliveredMs === undefined)
    fault("delivered_at", "must be an ISO 8601 instant, such as 2026-01-01T09:00:00Z");
  return {
    number,
    chargeId: cellText(values.charge_id),
    orderMetadata: Object.fromEntries(order),
    status: status ?? "",
    marking: marking ?? "unpaid",
    amount,
    currency: cellText(values.currency)?.toUpperCase(),
    price,
    delivered: delivered ?? undefined,
    deliveredMs,
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

/** Rows of a file with the app's orders, and the line at which each row begins, from 1. */
export interface Books {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly lines: readonly number[];
}

/** Parses CSV with a header, JSON lines or a JSON list; empty text has no rows. Throws a UserError with the line. */
export function parseBooks(text: string, source: string): Books {
  const refuse = (line: number, fault: string): never => {
    throw new UserError(`${source}, line ${line}: ${fault}`);
  };
  const start = text.replace(/^\uFEFF/, "").trimStart();
  if (start === "") return { rows: [], lines: [] };
  if (start.startsWith("[")) return jsonList(start, text.slice(0, -start.length).split("\n").length, refuse);
  return start.startsWith("{") ? jsonLines(text, refuse) : csv(text.replace(/^\uFEFF/, ""), refuse);
}

type Refuse = (line: number, fault: string) => never;

/** @param firstLine line of the file at which the text begins */
function parseJson(text: string, firstLine: number, refuse: Refuse): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { line, column, message } = findJsonFault(text)!;
    return refuse(firstLine + line - 1, `is not JSON: column ${column}: ${message}`);
  }
}

function jsonList(text: string, firstLine: number, refuse: Refuse): Books {
  const rows = (parseJson(text, firstLine, refuse) as unknown[]).map((row, index) =>
    isJsonObject(row) ? row : refuse(1, `entry ${index + 1} of the list is not an object`),
  );
  return { rows, lines: rows.map(() => 1) };
}

function jsonLines(text: string, refuse: Refuse): Books {
  const entries = text.split("\n").flatMap((content, index) => {
    if (content.trim() === "") return [];
    const row = parseJson(content, index + 1, refuse);
    return [{ line: index + 1, row: isJsonObject(row) ? row : refuse(index + 1, "is not a JSON object") }];
  });
  return { rows: entries.map(({ row }) => row), lines: entries.map(({ line }) => line) };
}

const DELIMITERS = [",", ";", "\t"];

function csv(text: string, refuse: Refuse): Books {
  const [header, ...records] = csvRecords(text, refuse);
  const names = header!.cells;
  if (names.length < 2) refuse(header!.line, "is neither JSON nor a CSV header");
  const rows = records.map(({ cells, line }) => {
    if (cells.length !== names.length)
      refuse(line, `has ${cells.length} cells, and the header has ${names.length}`);
    return Object.fromEntries(names.map((name, index) => [name.trim(), cells[index]]));
  });
  return { rows, lines: records.map(({ line }) => line) };
}

/** Splits CSV (RFC 4180) into cells; skips empty lines. */
function csvRecords(text: string, refuse: Refuse) {
  const firstLine = text.trimStart().split("\n", 1)[0]!;
  const delimiter = DELIMITERS.find((sign) => firstLine.includes(sign)) ?? ",";
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${delimiter}\r\n]*))(${delimiter}|\r?\n|$)`, "y");
  const records: { readonly cells: string[]; readonly line: number }[] = [];
  let cells: string[] = [];
  let line = 1;
  let recordLine = 1;
  while (cell.lastIndex < text.length || cells.length > 0) {
    const matched = cell.exec(text) ?? refuse(line, "has a quote that does not end, or text beside one");
    const [, quoted, plain = "", end] = matched;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += matched[0].split("\n").length - 1;
    if (end === delimiter) continue;
    if (cells.length > 1 || cells[0] !== "") records.push({ cells, line: recordLine });
    cells = [];
    recordLine = line;
    if (end === "") break;
  }
  return records;
}
