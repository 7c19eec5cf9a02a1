import { CONTROL_CALLS, type ControlOperationId } from "../../core/client/operations.js";
import {
  columnValue,
  formatOf,
  LIST_COLUMNS,
  type ListColumns,
  type ListName,
} from "../../core/reports/list-columns.js";
import { receiverTrouble, webhookTrouble } from "../../core/reports/trouble.js";
import { formatCount, toPrintableJson, toPrintableLine } from "../../core/schema/text-format.js";
import { headingText, markedStatus, tableLines, valueStyle } from "../table.js";
import { isTerminal, lineWidth } from "../terminal.js";
import { fitLine, paint, type StyledText, wrap } from "../text-layout.js";
import { type ClientAction, type ClientCommand, type CommandInput, runs } from "./client-command.js";
import type { JsonBody } from "./connection.js";

const GAP = 2;

export type ResultFormatter = (answer: JsonBody) => string;

export interface ItemNotes {
  /** Why the item is in trouble, in addition to the list's own reason. */
  readonly troublesOf?: (item: JsonBody) => readonly string[];
  /** Further lines to print below the item's row. */
  readonly notesOf?: (item: JsonBody) => readonly string[];
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
    const cells = items.map((item) =>
      columns.map((column) => {
        const text = cell(columnValue(list, column, item));
        if (column === "status") return markedStatus(text);
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

/** Operations that return a list of records that has columns. */
export type ListId = {
  [Id in ControlOperationId]: (typeof CONTROL_CALLS)[Id] extends `GET /_sandbox/${ListName}` ? Id : never;
}[ControlOperationId];

const nameOf = (id: ListId) => CONTROL_CALLS[id].slice("GET /_sandbox/".length) as ListName;

const LIMIT = ["--limit <number>", "how many"] as const;

/** A command that prints a list of the control API, with an option per filter. */
export function listCommand(
  id: ListId,
  says: string,
  example: string,
  { options = [], ...action }: Pick<ClientCommand, "options"> & Partial<ClientAction> = {},
): ClientCommand {
  const own = filtersOf(id).flatMap(({ option }) => (option === undefined ? [] : [option]));
  return {
    usage: nameOf(id),
    summary: says,
    example: `payments-sandbox ${example}`,
    options: [...options, ...own, LIMIT],
    defaultAction: { ...listAction(id), ...action },
  };
}

const filtersOf = (id: ListId) => LIST_COLUMNS[nameOf(id)].filters ?? [];

/** Action that prints a list. The flags filter the list. */
export function listAction(id: ListId, query: object = {}): ClientAction {
  return runs(id, {
    input: ({ flags }) => ({ ...listQuery(id, flags), ...query }),
    formatResult: tableFormatter(LIST_COLUMNS[nameOf(id)]),
  });
}

/** Maximum number of failing webhooks in the line of a row. */
const WEBHOOKS_MAX = 2;

/** Rows from which on a trouble stands once below the table, not below each row. */
const COMMON_MIN = 3;

/** `partial refund of 1.00: broken cup`, for which the service has no status. */
function reversalNote({ data }: JsonBody): string {
  const { kind, amount, reason } = (data as JsonBody).sandbox_extension as JsonBody;
  return `${String(kind).replace("_", " ")} of ${amount}${reason === null ? "" : `: ${reason}`}`;
}

/** Formats a list of charges or withdrawals. Adds the reversals and failing webhooks of each, and the number of all that fail. */
export function withFailingWebhooks(
  name: "charges" | "withdrawals",
): NonNullable<ClientAction["formatResult"]> {
  const idField = name === "charges" ? "charge_id" : "withdrawal_id";
  return async (answer, { connection }) => {
    const { items, total } = await connection.run("listDeliveries", { failing: 1, limit: 100 });
    const reversals = await connection.run("listEvents", { type: "sandbox.*", limit: 100 });
    const notesOf = (item: JsonBody): string[] =>
      (reversals.items as JsonBody[]).filter((event) => event[idField] === item[idField]).map(reversalNote);
    // First the app's own errors, then receivers that do not respond.
    const failing = [...(items as JsonBody[])].sort(
      (a, b) => Number(a.answered === null) - Number(b.answered === null),
    );
    const listed = new Set((answer.items as JsonBody[]).map((item) => item[idField]));
    const objectsOf = new Map<string, Set<unknown>>();
    for (const delivery of failing) {
      const trouble = receiverTrouble(delivery);
      if (listed.has(delivery[idField]))
        objectsOf.set(trouble, (objectsOf.get(trouble) ?? new Set()).add(delivery[idField]));
    }
    const isCommon = (trouble: string) => isTerminal() && (objectsOf.get(trouble)?.size ?? 0) >= COMMON_MIN;
    const troublesOf = (item: JsonBody): string[] =>
      failing
        .filter((delivery) => delivery[idField] === item[idField] && !isCommon(receiverTrouble(delivery)))
        .slice(0, WEBHOOKS_MAX)
        .flatMap((delivery) => webhookTrouble(delivery) ?? []);
    const count = formatCount(Number(total), "webhook");
    const footer =
      total === 0
        ? []
        : [
            ...[...objectsOf].flatMap(([trouble, objects]) =>
              isCommon(trouble) ? [`${objects.size} of these: ${trouble}`] : [],
            ),
            `${count} failing: payments-sandbox deliveries --failing`,
          ];
    return tableFormatter(LIST_COLUMNS[name], { troublesOf, notesOf, footer })(answer);
  };
}

export function listQuery(id: ListId, flags: CommandInput["flags"]): Readonly<Record<string, unknown>> {
  const values = filtersOf(id).map(({ name, option: [spelling] = [""] }) => [
    name,
    flags[/^--([a-z]+)/.exec(spelling)?.[1] ?? ""],
  ]);
  return { ...Object.fromEntries(values), limit: flags.limit };
}
