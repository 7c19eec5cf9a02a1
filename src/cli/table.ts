import { formatOf, type ValueFormat } from "../core/reports/list-columns.js";
import { CHARGE_STATUS_TABLE } from "../core/schema/statuses.js";
import { cellWidth, cutCells, padCells, paint, type Style } from "./text-layout.js";

const GAP = 2;
const COLUMN_MIN = 6;
/** Minimum width of a cut column. A table that is still too wide gets shortened ids and `COLUMN_MIN` instead. */
const READABLE = 20;
/** Characters of a shortened id: enough to be a unique prefix, which commands accept. */
const ID_PREFIX = 11;

/**
 * Aligns rows of cells below their column names, in lines of at most `width` terminal cells. A wide table is shortened
 * step by step until it fits: first the instants, then addresses, then wide cells and ids.
 */
export function tableLines(
  columns: readonly string[],
  cells: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const headings = columns.map(headingText);
  const fitting = fittingRows(columns, [headings, ...cells], width);
  const widths = widthsOf(fitting);
  return fitting.map((row, place) =>
    row
      .map((text, index) => {
        const padded = index === row.length - 1 ? text : padCells(text, widths[index]! + GAP);
        const style = place === 0 ? "dim" : valueStyle(columns[index]!, text);
        return style === undefined ? padded : paint(style, text) + padded.slice(text.length);
      })
      .join("")
      .trimEnd(),
  );
}

export function headingText(field: string): string {
  return field.replaceAll("_", " ");
}

type Rows = readonly (readonly string[])[];

function widthsOf(rows: Rows): number[] {
  return rows[0]!.map((_heading, index) => Math.max(...rows.map((row) => cellWidth(row[index]!))));
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, GAP * (widths.length - 1));
}

function fittingRows(columns: readonly string[], rows: Rows, width: number): Rows {
  const formats = columns.map(formatOf);
  const fits = (some: Rows) => lineWidth(widthsOf(some)) <= width;
  /** Changes the cells below the headings in all columns of one format. */
  const changed = (some: Rows, format: ValueFormat, change: (text: string) => string): Rows =>
    some.map((row, place) =>
      row.map((text, index) => (place > 0 && formats[index] === format ? change(text) : text)),
    );
  /** Cuts the widest columns that may be cut, none below `least`. */
  const cut = (some: Rows, least: number): Rows => {
    const widths = widthsOf(some);
    while (lineWidth(widths) > width) {
      const open = cuttable.filter((index) => widths[index]! > least);
      if (open.length === 0) break;
      widths[open.reduce((widest, one) => (widths[one]! > widths[widest]! ? one : widest))]!--;
    }
    return some.map((row) => row.map((text, index) => cutCells(text, widths[index]!)));
  };
  // Ids are never shortened. An `id` column that holds names only, such as names of scenarios, may be.
  const cuttable = [...columns.keys()].filter((index) => {
    const format = formats[index]!;
    return CUT.includes(format) || (format === "id" && !rows.some((row) => ID.test(row[index]!)));
  });
  if (fits(rows)) return rows;
  const days = new Set(rows.flat().flatMap((text) => (INSTANT.test(text) ? [text.slice(0, 10)] : [])));
  const instants = changed(rows, "time", (text) =>
    text.replace(INSTANT, (all, time) => (days.size > 1 ? `${all.slice(5, 10)} ${time}` : time)),
  );
  if (fits(instants)) return instants;
  const short = changed(instants, "address", (text) => text.replace(/^https?:\/\/|^\/api\/v1(?=\/)/, ""));
  const readable = cut(short, READABLE);
  if (fits(readable)) return readable;
  return cut(
    changed(short, "id", (text) => (ID.test(text) ? text.slice(0, ID_PREFIX) : text)),
    COLUMN_MIN,
  );
}

const ID = /^[a-z]{2,4}_[0-9a-f]{24}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)\.\d{3}Z$/;

/** Formats that may be cut. Half an amount or status is useless; the beginning of an error is not. */
const CUT: readonly ValueFormat[] = ["text", "address"];

/** Columns whose values have colours. */
const TELLING = ["status", "response"];

const WORDS: Readonly<Record<string, Style>> = {
  delivered: "green",
  failed: "red",
  pending: "yellow",
  dropped: "red",
  "connection cut": "red",
  "client gone": "red",
};

/** Style of a value by its column; undefined for no style. */
export function valueStyle(heading: string, value: string): Style | undefined {
  if (!TELLING.includes(heading)) return undefined;
  if (/^[1-5]\d\d$/.test(value)) return value < "300" ? "green" : value < "500" ? "yellow" : "red";
  const { tone } = (CHARGE_STATUS_TABLE as Readonly<Record<string, { tone?: "good" | "bad" }>>)[value] ?? {};
  if (tone !== undefined) return tone === "good" ? "green" : "red";
  if (heading === "status" && /^[A-Z_]+$/.test(value)) return "cyan";
  return Object.hasOwn(WORDS, value)
    ? WORDS[value]
    : heading === "status" || value === "-"
      ? undefined
      : "red";
}
