import { eventWord, receiverText } from "../core/reports/delivery-text.js";
import { formatOf, type ValueFormat } from "../core/reports/list-columns.js";
import { STATUS_TONES } from "../core/reports/shown-status.js";
import { cellWidth, cutCells, fitLine, padCells, type Style, type StyledText, wrap } from "./text-layout.js";

const GAP = 2;
const COLUMN_MIN = 6;
/** A last column with one of these names is wrapped, not cut. */
const WRAPPED = ["rule", "webhook", "what", "events", "description"];
/** Columns are left out until no cut column is narrower. A table that is still too wide is cut to `COLUMN_MIN`. */
const READABLE = 20;
/** Characters of a shortened id: enough to be a unique prefix, which commands accept. */
const ID_PREFIX = 11;

export interface TableOptions {
  /** Columns that a narrow table leaves out, the first to go first. */
  readonly dropFirst?: readonly string[] | undefined;
  /** Lines below each row: troubles, and notes that begin with `! `. */
  readonly notes?: readonly (readonly string[])[];
  /** Rows without a colour. */
  readonly dimmed?: readonly boolean[];
  /** Sandbox time: times of its day need no date. */
  readonly now?: string | undefined;
}

/**
 * Aligns rows of cells below their column names, in lines of at most `width` terminal cells. With a width, instants are short. A wide
 * table is shortened step by step until it fits: empty columns, addresses and ids, then the columns of `dropFirst`, then wide cells.
 */
export function tableLines(
  columns: readonly string[],
  cells: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
  { dropFirst = [], notes = [], dimmed = [], now }: TableOptions = {},
): string[] {
  const headings = columns.map((column) => headingText(column, width !== UNCUT));
  const table = fittingTable({ columns, rows: [headings, ...cells] }, width, dropFirst, now);
  const widths = widthsOf(table.rows);
  const indent = " ".repeat(Math.min(widths[0]! + GAP, width / 4));
  const lastStart = lineWidth(widths.slice(0, -1)) + GAP;
  return table.rows.flatMap((row, place) => {
    const isWrapped = WRAPPED.includes(table.columns.at(-1)!);
    const [last, ...rest] = isWrapped ? wrap(row.at(-1)!, 0, width - lastStart) : [row.at(-1)!];
    const line = [...row.slice(0, -1), last!].map((cell, index): StyledText[] => {
      const column = table.columns[index]!;
      const text = place > 0 && formatOf(column) === "amount" ? alignAmount(cell, widths[index]!) : cell;
      const style = place === 0 || dimmed[place - 1] ? "dim" : valueStyle(column, text);
      const isLast = index === row.length - 1;
      const pad = isLast ? "" : padCells("", widths[index]! + GAP - cellWidth(text));
      const isMarked = column === "status" && text.endsWith(WEBHOOK_MARK);
      return [
        [style, isMarked ? text.slice(0, -WEBHOOK_MARK.length) : text],
        ["red", isMarked ? WEBHOOK_MARK : ""],
        [undefined, pad],
      ];
    });
    const below = (notes[place - 1] ?? []).flatMap((note) => {
      const style = note.startsWith("! ") ? "yellow" : "red";
      return noteLines(note, width - indent.length).map((text) =>
        fitLine([
          [undefined, text.startsWith(COMMAND) ? "" : indent],
          [style, text],
        ]),
      );
    });
    const more = rest.map((text) =>
      fitLine([[dimmed[place - 1] ? "dim" : undefined, " ".repeat(lastStart) + text]], width),
    );
    return [fitLine(trimmed(line.flat()), width), ...more, ...below];
  });
}

/** Begins a line that is not cut, because it is copied. */
const COMMAND = "npx ";

/** A note in one line, or without the time of the next try in two; a command has its own. The rest is cut. */
function noteLines(note: string, room: number): string[] {
  if (cellWidth(note) <= room) return [note];
  const [first = "", ...rest] = wrap(note.replace(/ · next try at [^·]*$/, ""), 0, room);
  if (rest.at(-1)?.startsWith(COMMAND)) return [first, ...rest];
  return [first, ...(rest.length === 0 ? [] : [rest.join(" ")])].map((text) => cutCells(text, room));
}

function trimmed(parts: readonly StyledText[]): StyledText[] {
  const last = parts.findLastIndex(([, text]) => text.trim() !== "");
  return parts
    .slice(0, last + 1)
    .map(([style, text], index) => [style, index === last ? text.trimEnd() : text]);
}

/** Writes the number of an amount at the right edge: `KES    19.99`. */
function alignAmount(text: string, width: number): string {
  const space = text.indexOf(" ");
  return space === -1
    ? text.padStart(width)
    : text.slice(0, space) + text.slice(space).padStart(width - space);
}

/** The field's name in words; over short times, which have no zone, with the zone. */
export function headingText(field: string, hasShortTimes = false): string {
  const text = field.replaceAll("_", " ");
  return hasShortTimes && formatOf(field) === "time" ? `${text.replace("created at", "at")} (UTC)` : text;
}

type Rows = readonly (readonly string[])[];

interface Table {
  readonly columns: readonly string[];
  readonly rows: Rows;
}

function widthsOf(rows: Rows): number[] {
  return rows[0]!.map((_heading, index) => Math.max(...rows.map((row) => cellWidth(row[index]!))));
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, GAP * (widths.length - 1));
}

function fittingTable(
  whole: Table,
  width: number,
  dropFirst: readonly string[],
  now: string | undefined,
): Table {
  const instants = whole.rows.flat().filter((text) => INSTANT.test(text));
  const days = new Set([...instants, now ?? instants[0]].map((text) => text?.slice(0, 10)));
  let table = width === UNCUT ? whole : changed(whole, "time", (text) => shortInstant(text, days.size > 1));
  const fits = (least: number): boolean =>
    lineWidth(
      widthsOf(table.rows).map((one, index) => (isCuttable(table, index) ? Math.min(one, least) : one)),
    ) <= width;
  const isEmpty = (_column: string, cells: readonly string[]): boolean => cells.every((text) => text === "-");
  const steps: readonly (readonly [least: number, step: () => Table])[] = [
    [UNCUT, () => without(table, isEmpty)],
    [UNCUT, () => changed(table, "address", shortAddress)],
    [UNCUT, () => changed(table, "id", shortId)],
    [UNCUT, () => changed(table, "event", eventWord)],
    [UNCUT, () => changed(table, "amount", withoutNetwork)],
    [READABLE, () => changed(table, "time", (text) => text.replace(/^(\d\d-\d\d \d\d:\d\d):\d\d$/, "$1"))],
    [READABLE, () => changed(table, "event", (text) => text.replace(/_payment$/, ""))],
    [READABLE, () => changed(table, "address", (text) => text.replace(/(?<=^[^/]+)\/.*/, ""))],
    ...dropFirst.map((name) => [READABLE, () => without(table, (column) => column === name)] as const),
  ];
  for (const [least, step] of steps) if (!fits(least)) table = step();
  return cut(table, width, fits(READABLE) ? READABLE : COLUMN_MIN);
}

const UNCUT = Number.POSITIVE_INFINITY;

/** Changes the cells below the headings in all columns of one format. */
function changed({ columns, rows }: Table, format: ValueFormat, change: (text: string) => string): Table {
  const isMeant = columns.map((column) => formatOf(column) === format);
  return {
    columns,
    rows: rows.map((row, place) =>
      row.map((text, index) => (place > 0 && isMeant[index] ? change(text) : text)),
    ),
  };
}

function without(
  { columns, rows }: Table,
  isLeftOut: (column: string, cells: readonly string[]) => boolean,
): Table {
  const [, ...cells] = rows;
  const isKept = columns.map(
    (column, index) =>
      !isLeftOut(
        column,
        cells.map((row) => row[index]!),
      ),
  );
  return {
    columns: columns.filter((_, index) => isKept[index]),
    rows: rows.map((row) => row.filter((_, index) => isKept[index])),
  };
}

function cut(table: Table, width: number, least: number): Table {
  const widths = widthsOf(table.rows);
  const cuttable = [...widths.keys()].filter((index) => isCuttable(table, index));
  while (lineWidth(widths) > width) {
    const open = cuttable.filter((index) => widths[index]! > least);
    if (open.length === 0) break;
    widths[open.reduce((widest, one) => (widths[one]! > widths[widest]! ? one : widest))]!--;
  }
  return {
    ...table,
    rows: table.rows.map((row) =>
      row.map((text, index) =>
        WRAPPED.includes(table.columns[index]!) ? text : cutCells(text, widths[index]!),
      ),
    ),
  };
}

/** Ids are never cut. An `id` column that holds names only, such as names of scenarios, may be. */
function isCuttable({ columns, rows }: Table, index: number): boolean {
  const format = formatOf(columns[index]!);
  return CUT.includes(format) || (format === "id" && !rows.some((row) => ID.test(row[index]!)));
}

/** Shortens a URL: without its scheme, on this machine without its host; a path without the API's prefix. */
function shortAddress(text: string): string {
  return receiverText(text).replace(/^\/api\/v1(?=\/)/, "");
}

/** The instant with its unit for a line of a terminal: `09:00:10 UTC`. */
export function terminalInstant(text: string, today?: string): string {
  return text.replace(INSTANT, (all) => `${shortInstant(all, !all.startsWith(today ?? "-"))} UTC`);
}

/** `09:00:10`, with a date `03-01 09:00:10`; another text as it is. */
function shortInstant(text: string, hasDate: boolean): string {
  return text.replace(INSTANT, (all, time) => (hasDate ? `${all.slice(5, 10)} ${time}` : time));
}

export function shortId(text: string): string {
  return text.replace(ID_BY_PREFIX, (id) => id.slice(0, ID_PREFIX));
}

/** Writes `USDT 5.12` for `USDT_TRC20 5.12`. */
function withoutNetwork(text: string): string {
  return text.replace(/_\w+(?= )/, "");
}

const ID = /^[a-z]{2,4}_[0-9a-f]{11,24}$/;
/** Ids that commands accept by their beginning. */
const ID_BY_PREFIX = /\b(ch|wd|dlv|we)_[0-9a-f]{24}\b/g;
const INSTANT = /^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)\.\d{3}Z$/;

/** Formats that may be cut. Half an amount or status is useless; the beginning of an error is not. */
const CUT: readonly ValueFormat[] = ["text", "event", "address"];

const TELLING = ["status", "response"];

const STYLES: Readonly<Record<string, Style>> = { good: "green", bad: "red", warn: "yellow" };

const NO_STATUS = ["connection cut", "client gone"];

const MARKS: Readonly<Partial<Record<Style, string>>> = { green: "✓", red: "✗" };

/** End of the status of a payment whose webhook failed, if the reason stands below the table. */
export const WEBHOOK_MARK = " !";

export function markedStatus(status: string): string {
  if (!/^(\d+ )?[A-Za-z_][\w, ]*!?$/.test(status) || NO_STATUS.includes(status)) return status;
  return `${MARKS[valueStyle("status", status)!] ?? "●"} ${status}`;
}

export function valueStyle(heading: string, marked: string): Style | undefined {
  if (heading.startsWith("webhook")) return marked.startsWith(MARKS.red!) ? "red" : undefined;
  if (!TELLING.includes(heading)) return undefined;
  const value = marked.replace(/^([✓✗●] )?(\d+ (× )?)?|, .*| !$/g, "");
  if (/^[1-5]\d\d$/.test(value)) return value < "300" ? "green" : value < "500" ? "yellow" : "red";
  const style = NO_STATUS.includes(value) ? "red" : STYLES[STATUS_TONES[value] ?? ""];
  if (style !== undefined) return style;
  if (heading === "status") return /^[A-Z_ ]+$/.test(value) ? "cyan" : undefined;
  return value === "-" ? undefined : "red";
}
