import { columnValue, formatOf, type ListColumns } from "../../core/reports/list-columns.js";
import { toPrintableJson, toPrintableLine } from "../../core/schema/text-format.js";
import { headingText, markedStatus, tableLines, valueStyle } from "../table.js";
import { isTerminal, lineWidth } from "../terminal.js";
import { fitLine, paint, type StyledText, wrap } from "../text-layout.js";
import type { JsonBody } from "./connection.js";

const GAP = 2;

/** Formats the result of a command as text. */
export type ResultFormatter = (answer: JsonBody) => string;

/** Texts of an item besides its columns. */
export interface ItemNotes {
  /** Why the item is in trouble, in addition to the list's own reason. */
  readonly troublesOf?: (item: JsonBody) => readonly string[];
  /** Further lines to print below the item's row. */
  readonly notesOf?: (item: JsonBody) => readonly string[];
  /** Lines below the table, on a terminal. */
  readonly footer?: readonly string[];
}

/** Creates a formatter that aligns a list as a table. Below each row in trouble is a line with the reason. */
export function tableFormatter(
  list: Pick<ListColumns, "columns" | "values" | "dropFirst" | "trouble">,
  { troublesOf = () => [], notesOf = () => [], footer = [] }: ItemNotes = {},
): ResultFormatter {
  return (answer) => {
    const items = (answer.items as JsonBody[]) ?? [];
    if (items.length === 0) return "none\n";
    const { columns, dropFirst, trouble } = list;
    const ownTroubles = items.map((item) => trouble?.(item));
    const troubles = items.map((item, place) =>
      [ownTroubles[place], ...troublesOf(item)].filter((reason) => reason !== undefined),
    );
    const isAmount = (column: string): boolean =>
      formatOf(column) === "amount" && !columns.includes("currency");
    const cells = items.map((item, place) =>
      columns.map((column) => {
        const text = cell(columnValue(list, column, item));
        if (column === "status") return markedStatus(text, ownTroubles[place] !== undefined);
        return isAmount(column) && item.currency != null && text !== "-" ? `${item.currency} ${text}` : text;
      }),
    );
    const notes = items.map((item, place): StyledText[] => [
      ...(troubles[place]!.length === 0
        ? []
        : [["red", toPrintableLine(troubles[place]!.join(" · "))] satisfies StyledText]),
      ...notesOf(item).map((note): StyledText => ["yellow", `! ${toPrintableLine(note)}`]),
    ]);
    const total = Number(answer.total ?? items.length);
    const width = lineWidth();
    return [
      ...tableLines(columns, cells, width, { ...(dropFirst && { dropFirst }), notes }),
      ...(isTerminal() ? footer.map((line) => fitLine([[undefined, line]], width)) : []),
      ...(total > items.length ? [`${items.length} of ${total}`] : []),
      "",
    ].join("\n");
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
