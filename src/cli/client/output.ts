import { oneLine, printableJson } from "../../schema/printable.js";
import { say, sayJson } from "../terminal.js";
import type { ConnectionFlags } from "./connection.js";

type Row = Record<string, unknown>;

/** Prints a list as an aligned table of the columns named, or the whole answer as JSON. */
export function printList(flags: ConnectionFlags, answer: Row, columns: readonly string[]): void {
  if (flags.json) {
    printJson(answer);
    return;
  }
  const items = (answer.items as Row[]) ?? [];
  if (items.length === 0) {
    say("none\n");
    return;
  }
  const rows = [
    columns.map((column) => column.replaceAll("_", " ")),
    ...items.map((item) => columns.map((column) => cell(item[column]))),
  ];
  const widths = columns.map((_column, index) => Math.max(...rows.map((row) => row[index]!.length)));
  for (const row of rows)
    say(
      `${row
        .map((text, index) => text.padEnd(widths[index]!))
        .join("  ")
        .trimEnd()}\n`,
    );
  const total = Number(answer.total ?? items.length);
  if (total > items.length) say(`${items.length} of ${total}\n`);
}

/** Prints a record, a line a field, or as JSON. */
export function printRecord(
  flags: ConnectionFlags,
  record: Row,
  fields: readonly string[] = Object.keys(record),
): void {
  if (flags.json) {
    printJson(record);
    return;
  }
  const width = Math.max(...fields.map((field) => field.length));
  for (const field of fields) say(`${field.replaceAll("_", " ").padEnd(width)}  ${cell(record[field])}\n`);
}

export function printJson(value: unknown): void {
  sayJson(value);
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return oneLine(typeof value === "object" ? printableJson(value) : String(value));
}
