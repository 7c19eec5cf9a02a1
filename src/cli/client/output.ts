import { CONTROL_CALLS, type ControlOperationId } from "../../core/client/operations.js";
import {
  columnValue,
  formatOf,
  LIST_COLUMNS,
  type ListColumns,
  type ListName,
} from "../../core/reports/list-columns.js";
import { readStatuses, STATUS_TONES, statusDetails, statusText } from "../../core/reports/shown-status.js";
import {
  attemptsOf,
  deliveryState,
  holdText,
  type ListedDelivery,
  receiverTrouble,
  webhookText,
} from "../../core/reports/trouble.js";
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

/**
 * Creates a formatter that prints each named field of a record that has it, a list a line for each item. Without names,
 * it prints all fields.
 */
export function recordFormatter(...names: readonly string[]): ResultFormatter {
  return (answer, asked) => {
    const today = asked?.connection.now?.slice(0, 10);
    const fields = (names.length === 0 ? Object.keys(answer) : names).filter(
      (field) => answer[field] !== undefined,
    );
    const indent = Math.max(...fields.map((field) => field.length)) + GAP;
    return fields
      .map((field) => {
        const lines = [answer[field]].flat().flatMap((value) => {
          const text = cell(value, field);
          const isShort = isTerminal() && formatOf(field) === "time";
          const shown = isShort ? terminalInstant(text, today) : text;
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

/** Webhooks in a line each, behind the mark of its state; those that fail alike at one receiver in one line. */
export function markedWebhooks(deliveries: readonly (JsonBody & ListedDelivery)[]): string[] {
  const stateOf = (one: JsonBody & ListedDelivery) => deliveryState(one, one.hold);
  return deliveries.flatMap((one, place) => {
    const isAlike = (other: JsonBody & ListedDelivery) =>
      stateOf(other) === stateOf(one) && receiverTrouble(other) === receiverTrouble(one);
    const count = isFailingState(stateOf(one)) ? deliveries.filter(isAlike).length : 1;
    const isFolded = count >= COMMON_MIN;
    if (isFolded && deliveries.findIndex(isAlike) < place) return [];
    const shown = isFolded ? { ...one, type: `${count} webhooks` } : one;
    return [`${markedStatus(stateOf(one))[0]} ${webhookText(shown)}`];
  });
}

/** A webhook behind the mark of its state, with the whole type of its event. */
export function sentWebhook(delivery: JsonBody & ListedDelivery): string {
  return `${markedStatus(deliveryState(delivery, delivery.hold))[0]} ${webhookText(delivery, delivery.type)}`;
}

/** Orders failing deliveries: first the app's own errors, then receivers that do not respond. */
export function byOwnErrorsFirst(a: JsonBody, b: JsonBody): number {
  return Number(a.answered === null) - Number(b.answered === null);
}

export function isFailingState(state: string): boolean {
  return state === "failing" || state === "given up";
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

/** Creates a formatter for a charge or withdrawal. Its status has the reason. */
export function paymentFormatter(...names: readonly string[]): NonNullable<ClientAction["formatResult"]> {
  return async (payment, { connection }) => {
    const statusOf = await readStatuses(connection, { charge_id: payment.charge_id });
    const { currency } = payment;
    const { total_fee: fees } = Object(payment.fees) as JsonBody;
    const amounts: JsonBody = { ...payment, fees };
    const priced = ["amount", "fee", "fees", "settlement_amount"].map((field) => [
      field,
      amounts[field] == null ? undefined : `${currency} ${cell(amounts[field], field)}`,
    ]);
    const shown = { ...payment, ...Object.fromEntries(priced), status: statusText(statusOf(payment)) };
    return recordFormatter(...names)(shown, { connection });
  };
}

/** Maximum number of failing webhooks below a row. */
const WEBHOOKS_MAX = 2;

/** Rows from which on a trouble stands once below the table, not below each row. */
const COMMON_MIN = 3;

/** Troubles of several rows, which a terminal shows once below the table, each with the ids of its rows. */
type CommonTroubles = ReadonlyMap<string, ReadonlySet<unknown>>;

export function commonTroubles(deliveries: readonly JsonBody[], idField: string): CommonTroubles {
  const idsOf = new Map<string, Set<unknown>>();
  for (const delivery of deliveries) {
    const trouble = receiverTrouble(delivery);
    idsOf.set(trouble, (idsOf.get(trouble) ?? new Set()).add(delivery[idField]));
  }
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

interface Troubles {
  /** `2 failing, 1 given up, 13 held`; empty if none is. */
  readonly counts: string;
  /** The counts, or how it stands without any: `ok`, `nothing sent yet`. */
  readonly summary: string;
  /** The counts with the reason of the holds, or the command that lists the failures. */
  readonly text: string;
  readonly isFailing: boolean;
  /** The newest failure, or else the hold that the others wait for. */
  readonly worst: JsonBody | undefined;
}

/** Counts the deliveries that failed or are held. Reads whole pages only if some wait untried. */
export async function readTroubles(connection: Connection, query: object = {}): Promise<Troubles> {
  const newest = (filter: object) =>
    connection.run<{ total: number; items: readonly JsonBody[] }>("listDeliveries", {
      ...query,
      ...filter,
      limit: 1,
    });
  const [failing, givenUp, pending, any] = await Promise.all([
    newest({ failing: 1, status: "pending" }),
    newest({ failing: 1, status: "failed" }),
    newest({ status: "pending" }),
    newest({}),
  ]);
  const held: JsonBody[] = [];
  if (pending.total > failing.total)
    for await (const page of connection.pages<JsonBody>("listDeliveries", { ...query, status: "pending" }))
      held.push(...page.filter((one) => one.hold !== null && attemptsOf(one).length === 0));
  const all = [`${failing.total} failing`, `${givenUp.total} given up`, `${held.length} held`];
  const counts = all.filter((text) => !text.startsWith("0 ")).join(", ");
  const isFailing = failing.total + givenUp.total > 0;
  const reasons = new Set((held as (JsonBody & ListedDelivery)[]).map(({ hold }) => hold!.reason));
  const why =
    isFailing || held.length === 0
      ? connection.commandFor("deliveries --failing")
      : holdText({ reason: [...reasons].reverse().join(" and ") });
  return {
    counts,
    summary: counts || (any.total > pending.total ? "ok" : "nothing sent yet"),
    text: `${counts}: ${why}`,
    isFailing,
    worst: failing.items[0] ?? givenUp.items[0] ?? held.at(-1),
  };
}

/** Formats a list of charges or withdrawals. Adds reasons and failing webhooks, and counts all that are not delivered. */
export function formatPayments(name: "charges" | "withdrawals"): NonNullable<ClientAction["formatResult"]> {
  const idField = name === "charges" ? "charge_id" : "withdrawal_id";
  return async (answer, asked) => {
    const { connection } = asked;
    const { counts, text, isFailing } = await readTroubles(connection);
    const statusOf = await readStatuses(connection);
    const payments = (answer.items as JsonBody[]).map((item): JsonBody => {
      const shown = statusOf(item);
      const details = statusDetails(shown);
      const isBad = STATUS_TONES[shown.word] === "bad";
      return { ...item, status: shown.word, note: isBad || details === "" ? details : `! ${details}` };
    });
    const lists = isFailing ? payments.map((item) => readDeliveries(connection, item, { failing: 1 })) : [];
    const failing = (await Promise.all(lists)).flat().sort(byOwnErrorsFirst);
    const common = commonTroubles(failing, idField);
    const notesOf = (item: JsonBody): string[] => [
      ...(item.note === "" ? [] : [String(item.note)]),
      ...failing
        .filter((delivery) => delivery[idField] === item[idField] && !common.has(receiverTrouble(delivery)))
        .slice(0, WEBHOOKS_MAX)
        .map((delivery) => webhookText(delivery)),
    ];
    const items = payments.map((item) => {
      const isMarked = [...common.values()].some((objects) => objects.has(item[idField]));
      return isMarked ? { ...item, status: `${item.status}${WEBHOOK_MARK}` } : item;
    });
    const footer: StyledText[] = [
      ...commonLines(common),
      [isFailing ? "red" : "yellow", `webhooks: ${text}`],
    ];
    const list = { ...LIST_COLUMNS[name], notes: notesOf };
    return tableFormatter(list, counts === "" ? [] : footer)({ ...answer, items }, asked);
  };
}

export function listQuery(id: ListId, flags: CommandInput["flags"]): Readonly<Record<string, unknown>> {
  const values = filtersOf(id).map(({ name, option: [spelling] = [""] }) => [
    name,
    flags[/^--([a-z]+)/.exec(spelling)?.[1] ?? ""],
  ]);
  return { ...Object.fromEntries(values), limit: flags.limit };
}
