import { columnValue, type ListColumns } from "../../core/reports/list-columns.js";
import { toPrintableJson, toPrintableLine } from "../../core/schema/text-format.js";
import { headingText, tableLines, valueStyle } from "../table.js";
import { lineWidth } from "../terminal.js";
import { fitLine, paint, wrap } from "../text-layout.js";
import type { JsonBody } from "./connection.js";

const GAP = 2;

/** Formats the result of a command as text. */
export type ResultFormatter = (answer: JsonBody) => string;

/**
 * Creates a formatter that aligns a list as a table.
 *
 * @param notesOf lines to print below an item's row
 */
export function tableFormatter(
  list: Pick<ListColumns, "columns" | "values">,
  notesOf: (item: JsonBody) => readonly string[] = () => [],
): ResultFormatter {
  return (answer) => {
    const items = (answer.items as JsonBody[]) ?? [];
    if (items.length === 0) return "none\n";
    const { columns } = list;
    const cells = items.map((item) => columns.map((column) => cell(columnValue(list, column, item))));
    const width = lineWidth();
    const [head, ...rows] = tableLines(columns, cells, width);
    const lines = rows.flatMap((line, place) => [
      line,
      ...notesOf(items[place]!).map((note) => fitLine([["yellow", `  ! ${toPrintableLine(note)}`]], width)),
    ]);
    const total = Number(answer.total ?? items.length);
    return [head, ...lines, ...(total > items.length ? [`${items.length} of ${total}`] : []), ""].join("\n");
  };
}

/** Creates a formatter that prints each named field of a record on a line. Without names, it prints all fields. */
export function recordFormatter(...names: readonly string[]): ResultFormatter {
  return (answer) => {
    const fields = names.length === 0 ? Object.keys(answer) : names;
    const width = Math.max(...fields.map((field) => field.length));
    return fields
      .map((field) => {
        const value = cell(answer[field]);
        const style = valueStyle(field, value);
        const lines = wrap(value, width + GAP, lineWidth())
          .join("\n")
          .trimStart();
        return `${paint("dim", headingText(field).padEnd(width + GAP))}${style === undefined ? lines : paint(style, lines)}\n`;
      })
      .join("");
  };
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return toPrintableLine(value.join(", ")) || "-";
  return toPrintableLine(typeof value === "object" ? toPrintableJson(value) : String(value));
}
