import { STATUSES } from "../schema/statuses.js";
import { paint, type Style } from "./paint.js";

/** Between two columns. */
const GAP = 2;
/** No column becomes narrower than so, nor one of ids: they tell themselves apart at both ends. */
const NARROWEST = 6;
const NARROWEST_ID = 12;

/**
 * Rows of cells, the first of them the headings, as aligned lines of at most `width` characters: instants lose what all
 * have in common, then the widest column gives way, ids last.
 */
export function tableLines(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string[] {
  const fitting = fittingRows(rows, width);
  const widths = widthsOf(fitting);
  return fitting.map((row, place) =>
    row
      .map((text, index) => {
        const padded = index === row.length - 1 ? text : text.padEnd(widths[index]! + GAP);
        const style = place === 0 ? "dim" : styleOf(rows[0]![index]!, text);
        return style === undefined ? padded : paint(style, text) + padded.slice(text.length);
      })
      .join("")
      .trimEnd(),
  );
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  return rows[0]!.map((_heading, index) => Math.max(...rows.map((row) => row[index]!.length)));
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, GAP * (widths.length - 1));
}

function fittingRows(rows: readonly (readonly string[])[], width: number): readonly (readonly string[])[] {
  if (lineWidth(widthsOf(rows)) <= width) return rows;
  const short = withShortInstants(rows);
  const widths = widthsOf(short);
  const isId = widths.map((_one, index) => short.some((row) => ID.test(row[index]!)));
  const least = widths.map((width, index) =>
    isWhole(
      short[0]![index]!,
      short.slice(1).map((row) => row[index]!),
    )
      ? width
      : isId[index]
        ? NARROWEST_ID
        : NARROWEST,
  );
  while (lineWidth(widths) > width) {
    const widest = widestOf(widths, (index) => !isId[index] && widths[index]! > least[index]!);
    const gives = widest ?? widestOf(widths, (index) => widths[index]! > least[index]!);
    if (gives === undefined) break;
    widths[gives]!--;
  }
  return short.map((row) => row.map((text, index) => cut(text, widths[index]!)));
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

/** An id keeps its end too: it is what differs where seeds are alike. */
function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const end = ID.test(text) ? 4 : 0;
  return `${text.slice(0, width - 1 - end)}…${end === 0 ? "" : text.slice(-end)}`;
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
