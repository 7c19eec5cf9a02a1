import { STATUSES } from "../schema/statuses.js";
import { cellWidth, cutCells, padCells } from "./cells.js";
import { paint, type Style } from "./paint.js";

/** Between two columns. */
const GAP = 2;
/** Least width of a column. */
const COLUMN_MIN = 6;
/** Least width of a column of text while ids are whole. */
const READABLE = 20;
/** Characters of a shortened id: enough to be a unique prefix, which commands accept. */
const ID_PREFIX = 11;

/**
 * Rows of cells, the first of them the headings, as aligned lines of at most `width` cells of the terminal. Instants lose what
 * all have in common, URLs their scheme, paths `/api/v1`, ids all but a prefix; then the widest column is cut.
 */
export function tableLines(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string[] {
  const fitting = fittingRows(rows, width);
  const widths = widthsOf(fitting);
  return fitting.map((row, place) =>
    row
      .map((text, index) => {
        const padded = index === row.length - 1 ? text : padCells(text, widths[index]! + GAP);
        const style = place === 0 ? "dim" : styleOf(rows[0]![index]!, text);
        return style === undefined ? padded : paint(style, text) + padded.slice(text.length);
      })
      .join("")
      .trimEnd(),
  );
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  return rows[0]!.map((_heading, index) => Math.max(...rows.map((row) => cellWidth(row[index]!))));
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, GAP * (widths.length - 1));
}

function fittingRows(rows: readonly (readonly string[])[], width: number): readonly (readonly string[])[] {
  if (lineWidth(widthsOf(rows)) <= width) return rows;
  const instants = withShortInstants(rows);
  if (lineWidth(widthsOf(instants)) <= width) return instants;
  const short = instants.map((row) => row.map(withoutScheme));
  const isId = short[0]!.map((_, index) => short.some((row) => ID.test(row[index]!)));
  const withIds = widthsWithin(short, isId, width, READABLE);
  if (lineWidth(withIds) <= width) return cutTo(short, withIds);
  const prefixes = short.map((row) => row.map((text) => (ID.test(text) ? text.slice(0, ID_PREFIX) : text)));
  return cutTo(prefixes, widthsWithin(prefixes, isId, width, COLUMN_MIN));
}

/** The widths of columns once the widest have been narrowed, none below `least`, until a line fits. */
function widthsWithin(
  rows: readonly (readonly string[])[],
  isId: readonly boolean[],
  width: number,
  least: number,
): number[] {
  const widths = widthsOf(rows);
  const mayGive = (index: number): boolean => {
    const values = rows.slice(1).map((row) => row[index]!);
    return widths[index]! > least && !isId[index] && !isWhole(rows[0]![index]!, values);
  };
  while (lineWidth(widths) > width) {
    const gives = widestOf(widths, mayGive);
    if (gives === undefined) break;
    widths[gives]!--;
  }
  return widths;
}

function cutTo(rows: readonly (readonly string[])[], widths: readonly number[]): string[][] {
  return rows.map((row) => row.map((text, index) => cutCells(text, widths[index]!)));
}

function withoutScheme(text: string): string {
  return text.replace(/^https?:\/\//, "").replace(/^\/api\/v1(?=\/)/, "");
}

/** Half an amount or half a status says nothing; of an error, its beginning does. */
function isWhole(heading: string, values: readonly string[]): boolean {
  return heading === "status" || values.every((value) => /^[\d.:, -]*$/.test(value));
}

function widestOf(widths: readonly number[], mayGive: (index: number) => boolean): number | undefined {
  let widest: number | undefined;
  for (const [index, width] of widths.entries())
    if (mayGive(index) && (widest === undefined || width > widths[widest]!)) widest = index;
  return widest;
}

const ID = /^[a-z]{2,4}_[0-9a-f]{24}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)\.\d{3}Z$/;

/** Instants of one day without the day, others without the year and what is less than a second. */
function withShortInstants(rows: readonly (readonly string[])[]): string[][] {
  const days = new Set(rows.flat().flatMap((text) => (INSTANT.test(text) ? [text.slice(0, 10)] : [])));
  return rows.map((row) =>
    row.map((text) =>
      text.replace(INSTANT, (all, time) => (days.size > 1 ? `${all.slice(5, 10)} ${time}` : time)),
    ),
  );
}

/** The columns whose words say how something went. */
const TELLING = ["status", "response"];

const WORDS: Readonly<Record<string, Style>> = {
  delivered: "green",
  failed: "red",
  pending: "yellow",
  dropped: "red",
  "connection cut": "red",
  "client gone": "red",
};

/** How a value is shown that stands under that heading; undefined is as it is. */
export function styleOf(heading: string, value: string): Style | undefined {
  if (!TELLING.includes(heading)) return undefined;
  if (/^[1-5]\d\d$/.test(value)) return value < "300" ? "green" : value < "500" ? "yellow" : "red";
  const { tone } = (STATUSES as Readonly<Record<string, { tone?: "good" | "bad" }>>)[value] ?? {};
  if (tone !== undefined) return tone === "good" ? "green" : "red";
  if (heading === "status" && /^[A-Z_]+$/.test(value)) return "cyan";
  return Object.hasOwn(WORDS, value)
    ? WORDS[value]
    : heading === "status" || value === "-"
      ? undefined
      : "red";
}
