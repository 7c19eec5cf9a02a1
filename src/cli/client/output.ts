import { CONTROL_CALLS, type ControlOperationId } from "../../core/client/operations.js";
import { type ListedDelivery, stateText, webhookText } from "../../core/reports/delivery-text.js";
import {
  columnValue,
  formatOf,
  LIST_COLUMNS,
  type ListColumns,
  type ListName,
} from "../../core/reports/list-columns.js";
import { stepText } from "../../core/reports/payment-text.js";
import {
  type Payment,
  STATUS_TONES,
  shownStatus,
  statusDetails,
  statusText,
} from "../../core/reports/shown-status.js";
import type { NextStep, WebhookCounts } from "../../core/schema/control-insight-responses.js";
import { groupDigits, toPrintableJson, toPrintableLine } from "../../core/schema/text-format.js";
import { machineNowMs, pause } from "../../core/time/timers.js";
import {
  headingText,
  markedStatus,
  tableLines,
  terminalInstant,
  valueStyle,
  WEBHOOK_MARK,
} from "../table.js";
import { isTerminal, lineWidth } from "../terminal.js";
import { paint, type StyledText, wrap } from "../text-layout.js";
import { type ClientAction, type ClientCommand, type CommandInput, runs } from "./client-command.js";
import type { Connection, JsonBody } from "./connection.js";

const GAP = 2;

export type ResultFormatter = (answer: JsonBody, asked?: Pick<CommandInput, "connection">) => string;

/** Creates a formatter that aligns a list as a table. Below each row are its notes: why it is in trouble, or waits. */
export function tableFormatter(
  list: Pick<ListColumns, "columns" | "values" | "dropFirst" | "notes" | "isDone">,
  footer: readonly StyledText[] = [],
): ResultFormatter {
  return (answer, asked) => {
    const isDone = (item: JsonBody): boolean => list.isDone?.(item) ?? false;
    const items = [...((answer.items as JsonBody[]) ?? [])].sort(
      (a, b) => Number(isDone(a)) - Number(isDone(b)),
    );
    if (items.length === 0) return "none\n";
    const { columns, dropFirst } = list;
    const isAmount = (column: string): boolean =>
      formatOf(column) === "amount" && !columns.includes("currency");
    const cells = items.map((item) =>
      columns.map((column) => {
        const text = cell(columnValue(list, column, item), column);
        if (column === "status") return markedStatus(text);
        return isAmount(column) && item.currency != null && text !== "-" ? `${item.currency} ${text}` : text;
      }),
    );
    const notes = items.map((item) => list.notes?.(item).map(toPrintableLine) ?? []);
    const total = Number(answer.total ?? items.length);
    const width = lineWidth();
    return [
      ...tableLines(columns, cells, width, {
        dropFirst,
        notes,
        now: asked?.connection.now,
        dimmed: items.map(isDone),
      }),
      ...(isTerminal() ? footer : []).flatMap(([style, text]) =>
        wrap(text, 0, width).map((line) => paint(style!, line)),
      ),
      ...(total > items.length ? [`${items.length} of ${total}`] : []),
      "",
    ].join("\n");
  };
}

/** Creates a formatter of the named fields that a record has, or of all; a list has a line for each item. */
export function recordFormatter(...names: readonly string[]): ResultFormatter {
  return (answer, asked) => {
    const today = asked?.connection.now?.slice(0, 10) ?? "-";
    const fields = (names.length === 0 ? Object.keys(answer) : names).filter(
      (field) => answer[field] !== undefined,
    );
    const indent = Math.max(...fields.map((field) => field.length)) + GAP;
    // All times of a record have a date, or none.
    const isToday = fields.every(
      (field) => formatOf(field) !== "time" || `${answer[field] ?? today}`.startsWith(today),
    );
    return fields
      .map((field) => {
        const lines = [answer[field]].flat().flatMap((value) => {
          const text = cell(value, field);
          const isShort = isTerminal() && formatOf(field) === "time";
          const shown = isShort ? terminalInstant(text, isToday ? today : undefined) : text;
          const style = valueStyle(field, shown);
          return wrap(shown, indent, lineWidth()).map((line) =>
            style === undefined ? line : line.replace(/\S.*/, (part) => paint(style, part)),
          );
        });
        return `${paint("dim", headingText(field).padEnd(indent))}${lines.join("\n").replace(/^ +/, "")}\n`;
      })
      .join("");
  };
}

/** A value as text. On a terminal, amounts have thousands separators. */
function cell(value: unknown, field: string): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return toPrintableLine(value.join(", ")) || "-";
  const text = toPrintableLine(typeof value === "object" ? toPrintableJson(value) : String(value));
  return formatOf(field) === "amount" && isTerminal() ? groupDigits(text) : text;
}

function webhookLines(counts: JsonBody): string[] {
  const lines = Object.entries(counts).flatMap(([state, count]) =>
    count === 0 ? [] : markedStatus(`${count} ${state.replace("_", " ")}`),
  );
  return lines.length === 0 ? ["none"] : lines;
}

/** A webhook behind the mark of its state, with the whole type of its event. */
export function sentWebhook(delivery: JsonBody & ListedDelivery): string {
  return `${markedStatus(stateText(delivery.state))[0]} ${webhookText(delivery, delivery.type)}`;
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

export function listAction(id: ListId, query: object = {}): ClientAction {
  return runs(id, {
    input: ({ flags }) => ({ ...listQuery(id, flags), ...query }),
    formatResult: tableFormatter(LIST_COLUMNS[nameOf(id)]),
  });
}

/** Creates a formatter for a charge or withdrawal: its status with the reason, why, its webhooks and what comes next. */
export function paymentFormatter(...names: readonly string[]): NonNullable<ClientAction["formatResult"]> {
  return (payment, { connection }) => {
    const { currency } = payment;
    const { total_fee: fees } = Object(payment.fees) as JsonBody;
    const amounts: JsonBody = { ...payment, fees };
    const priced = ["amount", "fee", "fees", "settlement_amount"].map((field) => [
      field,
      amounts[field] == null ? undefined : `${currency} ${cell(amounts[field], field)}`,
    ]);
    const { why, webhooks, next_step } = payment as Partial<PaymentReport>;
    const shown = {
      ...payment,
      ...Object.fromEntries(priced),
      status: statusText(shownStatus(payment as unknown as Payment)),
      why: why?.sentence,
      order: columnValue(LIST_COLUMNS.charges, "order", payment) ?? undefined,
      webhooks: webhooks && webhookLines(webhooks),
      next_step: next_step == null ? undefined : stepLines(next_step, connection),
    };
    return recordFormatter(...names, "order", "webhooks", "next_step")(shown, { connection });
  };
}

interface PaymentReport {
  readonly why: { readonly sentence: string };
  readonly webhooks: WebhookCounts;
  readonly next_step: NextStep | null;
}

/** The next step, with the time until it happens by itself, and the command that does it. */
export function stepLines(step: NextStep, connection: Connection): string[] {
  const text = stepText(step, Date.parse(connection.now ?? "")).replace(
    " /checkout/",
    ` ${connection.url}/checkout/`,
  );
  return [text, ...(step.command === null ? [] : [connection.commandAs(step.command)])];
}

/** Rows from which on a trouble stands once below the table, not below each row. */
const COMMON_MIN = 3;

/** Troubles of several rows, which a terminal shows once below the table, each with the ids of its rows. */
type CommonTroubles = ReadonlyMap<string, ReadonlySet<unknown>>;

export function commonTroubles(troubles: Iterable<readonly [trouble: string, id: unknown]>): CommonTroubles {
  const idsOf = new Map<string, Set<unknown>>();
  for (const [trouble, id] of troubles) idsOf.set(trouble, (idsOf.get(trouble) ?? new Set()).add(id));
  return new Map([...idsOf].filter(([, { size }]) => isTerminal() && size >= COMMON_MIN));
}

export function commonLines(common: CommonTroubles): StyledText[] {
  return [...common].map(([trouble, { size }]) => ["red", `! ${size} rows: ${trouble}`]);
}

/** Reads the deliveries of a charge or withdrawal, the newest first. */
export async function readDeliveries(
  connection: Connection,
  { charge_id, withdrawal_id }: JsonBody,
  query: object = {},
): Promise<(JsonBody & ListedDelivery)[]> {
  const { items } = await connection.run("listDeliveries", {
    limit: 100,
    charge_id,
    q: withdrawal_id,
    ...query,
  });
  return items as (JsonBody & ListedDelivery)[];
}

/** How to register a webhook endpoint, if there is none. */
export async function readMissingEndpoint(connection: Connection): Promise<string | undefined> {
  if ((await connection.findNewest("listWebhookEndpoints")) !== undefined) return undefined;
  return missingEndpointText(connection);
}

export function missingEndpointText(connection: Connection): string {
  return `none registered: ${connection.commandFor("webhook add localhost:3000/webhooks")}`;
}

/** Maximum wait for the first attempts of webhooks that a command has caused. */
const FIRST_ATTEMPT_MS = 3_000;
const POLL_MS = 50;

/** Reads deliveries until each that is due was tried: a call returns before their attempts. */
export async function readTried(
  connection: Pick<Connection, "now">,
  read: () => Promise<(JsonBody & ListedDelivery)[]>,
): Promise<(JsonBody & ListedDelivery)[]> {
  const endMs = machineNowMs() + FIRST_ATTEMPT_MS;
  const isUnderWay = ({ status, attempts, hold, url, next_attempt_at: next }: ListedDelivery): boolean =>
    status === "pending" &&
    attempts.length === 0 &&
    hold === null &&
    url !== null &&
    (next === null || next <= connection.now!);
  for (;;) {
    const deliveries = await read();
    if (!deliveries.some(isUnderWay) || machineNowMs() >= endMs) return deliveries;
    await pause(POLL_MS);
  }
}

/** Formats a list of charges or withdrawals. Below a row is why it went wrong, and how to mend its webhooks. */
export function formatPayments(name: "charges" | "withdrawals"): NonNullable<ClientAction["formatResult"]> {
  const idField = name === "charges" ? "charge_id" : "withdrawal_id";
  return (answer, asked) => {
    const payments = answer.items as (JsonBody & Payment & PaymentReport)[];
    const mendOf = ({ webhooks, next_step }: PaymentReport): string | undefined =>
      webhooks.failing + webhooks.given_up + webhooks.held > 0 && next_step?.sentence.includes("webhook")
        ? next_step.sentence
        : undefined;
    const common = commonTroubles(
      payments.flatMap((item) => {
        const mend = mendOf(item);
        return mend === undefined ? [] : [[mend, item[idField]] as const];
      }),
    );
    const items = payments.map((item): JsonBody => {
      const shown = shownStatus(item);
      const details = statusDetails(shown);
      const isBad = STATUS_TONES[shown.word] === "bad";
      const mend = mendOf(item);
      const isCommon = mend !== undefined && common.has(mend);
      return {
        ...item,
        status: `${shown.word}${isCommon ? WEBHOOK_MARK : ""}`,
        notes: [
          ...(details === "" ? [] : [isBad ? details : `! ${details}`]),
          ...(mend === undefined || isCommon ? [] : [mend]),
        ],
      };
    });
    const notes = (item: JsonBody) => item.notes as string[];
    const isFailing = payments.some(({ webhooks }) => webhooks.failing + webhooks.given_up > 0);
    const all: StyledText = ["dim", asked.connection.commandFor("deliveries --failing")];
    const footer = [...commonLines(common), ...(isFailing ? [all] : [])];
    return tableFormatter({ ...LIST_COLUMNS[name], notes }, footer)({ ...answer, items }, asked);
  };
}

export function listQuery(id: ListId, flags: CommandInput["flags"]): Readonly<Record<string, unknown>> {
  const values = filtersOf(id).map(({ name, option: [spelling] = [""] }) => [
    name,
    flags[/^--([a-z]+)/.exec(spelling)?.[1] ?? ""],
  ]);
  return { ...Object.fromEntries(values), limit: flags.limit };
}
