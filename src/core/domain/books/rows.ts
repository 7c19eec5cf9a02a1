import {
  isRowField,
  MARKINGS,
  type Marking,
  METADATA_FIELD,
  type ReconcileRequest,
  ROW_FIELDS,
} from "../../schema/books.js";
import { AMOUNT_PATTERN } from "../../schema/common.js";
import { didYouMean } from "../../schema/nearest.js";
import { own } from "../../schema/own.js";
import { plainText } from "../money.js";

/** What the app says of one order. */
export interface BookRow {
  /** From 1. */
  readonly number: number;
  readonly chargeId: string | undefined;
  /** Metadata by which the order's charges are found. */
  readonly order: Readonly<Record<string, string>>;
  /** As the app has it. */
  readonly status: string;
  readonly marking: Marking;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  readonly delivered: number | undefined;
}

/** What cannot be understood of a row. */
export interface RowFault {
  /** From 0. */
  readonly index: number;
  readonly field: string;
  readonly message: string;
}

type Row = ReconcileRequest["rows"][number];
type Reading = Pick<ReconcileRequest, "map" | "statuses">;
type Values = Readonly<Record<string, unknown>>;

/** The rows as the sandbox understands them, or what is wrong with them. */
export function readRows(
  rows: readonly Row[],
  { map = {}, statuses = {} }: Reading,
): { readonly rows: readonly BookRow[]; readonly compared: readonly string[] } | readonly RowFault[] {
  const faults: RowFault[] = [];
  const said = new Set<string>();
  const words = wordsWith(statuses);
  const read = rows.map((row, index) => {
    const values = valuesOf(row, map);
    for (const [field, value] of Object.entries(values)) if (value !== undefined) said.add(field);
    const fault = (field: string, message: string): undefined => {
      faults.push({ index, field: own(map, field) ?? field, message });
    };
    return rowOf(values, index + 1, words, fault);
  });
  if (faults.length > 0) return faults;
  const compared = ROW_FIELDS.filter((field) => field !== "charge_id" && said.has(field));
  return { rows: read, compared };
}

/** The fields a row has, each where the map has it; undefined where it is empty. */
function valuesOf(row: Row, map: Readonly<Record<string, string>>): Values {
  const { metadata } = row;
  const nested = typeof metadata === "object" && metadata !== null ? Object.entries(metadata) : [];
  const found = [
    ...Object.entries(row).filter(([field]) => isRowField(field)),
    ...nested.map(([key, value]) => [METADATA_FIELD + key, value] as const),
    ...Object.entries(map).map(([field, path]) => [field, at(row, path)] as const),
  ];
  return Object.fromEntries(
    found.map(([field, value]) => [field, value === null || value === "" ? undefined : value]),
  );
}

function at(row: Values, path: string): unknown {
  if (Object.hasOwn(row, path)) return row[path];
  let value: unknown = row;
  for (const key of path.split("."))
    value = typeof value === "object" && value !== null ? own(value as Values, key) : undefined;
  return value;
}

function rowOf(
  values: Values,
  number: number,
  words: ReadonlyMap<string, Marking>,
  fault: (field: string, message: string) => undefined,
): BookRow {
  const status = textOf(values.status);
  const marking = words.get(wordOf(status ?? ""));
  if (status === undefined) fault("status", "is missing");
  else if (marking === undefined) fault("status", unknownStatus(status, words));
  const keys = Object.keys(values).filter((field) => field.startsWith(METADATA_FIELD));
  if (keys.length === 0 && !Object.hasOwn(values, "charge_id"))
    fault("charge_id", "is missing: a row names its charge, or its order as metadata.KEY");
  const order = keys.flatMap((key) => {
    const value = textOf(values[key]);
    return value === undefined ? [] : [[key.slice(METADATA_FIELD.length), value]];
  });
  const amount = textOf(values.amount);
  if (values.amount !== undefined && !AMOUNT_PATTERN.test(amount ?? ""))
    fault("amount", 'must be an amount such as "512.50"');
  const delivered = timesOf(values.delivered);
  if (delivered === null) fault("delivered", "must be how often: a whole number, true or false");
  return {
    number,
    chargeId: textOf(values.charge_id),
    order: Object.fromEntries(order),
    status: status ?? "",
    marking: marking ?? "unpaid",
    amount,
    currency: textOf(values.currency)?.toUpperCase(),
    delivered: delivered ?? undefined,
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return plainText(value);
  return typeof value === "string" ? value.trim() : undefined;
}

/** How often; null where it does not say that. */
function timesOf(value: unknown): number | undefined | null {
  if (value === undefined) return undefined;
  const text = String(value).trim().toLowerCase();
  if (text === "true" || text === "false") return Number(text === "true");
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** A status without what makes no difference. */
function wordOf(status: string): string {
  return status.toLowerCase().replace(/[\s_-]+/g, "_");
}

function wordsWith(own: Readonly<Record<string, Marking>>): ReadonlyMap<string, Marking> {
  const known = Object.entries(MARKINGS).flatMap(([marking, words]) =>
    words.map((word) => [word as string, marking as Marking] as const),
  );
  return new Map([
    ...known,
    ...Object.entries(own).map(([word, marking]) => [wordOf(word), marking] as const),
  ]);
}

function unknownStatus(status: string, words: ReadonlyMap<string, Marking>): string {
  const near = didYouMean(status, [...words.keys()]);
  return `${JSON.stringify(status)} is no status known${near}; say in statuses whether it means ${Object.keys(MARKINGS).join(", ")}`;
}
