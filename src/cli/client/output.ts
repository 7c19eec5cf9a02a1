import { oneLine, printableJson } from "../../schema/printable.js";
import type { Json } from "./connection.js";

/** Says what came of a command, for people. */
export type Print = (answer: Json) => string;

/** A list as an aligned table of the columns named. */
export function table(...columns: readonly string[]): Print {
  return tableWithNotes(() => [], ...columns);
}

/** The same, with lines under a row that has something odd about it. */
export function tableWithNotes(
  notesOf: (item: Json) => readonly string[],
  ...columns: readonly string[]
): Print {
  return (answer) => {
    const items = (answer.items as Json[]) ?? [];
    if (items.length === 0) return "none\n";
    const rows = [columns.map(heading), ...items.map((item) => columns.map((column) => cell(item[column])))];
    const widths = columns.map((_column, index) => Math.max(...rows.map((row) => row[index]!.length)));
    const lines = rows.flatMap((row, place) => [
      row
        .map((text, index) => text.padEnd(widths[index]!))
        .join("  ")
        .trimEnd(),
      ...(place === 0 ? [] : notesOf(items[place - 1]!)).map((note) => `  ! ${oneLine(note)}`),
    ]);
    const total = Number(answer.total ?? items.length);
    return [...lines, ...(total > items.length ? [`${items.length} of ${total}`] : []), ""].join("\n");
  };
}

/** A record, a line a field; without names, all its fields. */
export function record(...names: readonly string[]): Print {
  return (answer) => {
    const fields = names.length === 0 ? Object.keys(answer) : names;
    const width = Math.max(...fields.map((field) => field.length));
    return fields.map((field) => `${heading(field).padEnd(width)}  ${cell(answer[field])}\n`).join("");
  };
}

function heading(field: string): string {
  return field.replaceAll("_", " ");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return oneLine(value.join(", ")) || "-";
  return oneLine(typeof value === "object" ? printableJson(value) : String(value));
}
