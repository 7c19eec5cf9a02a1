import { historyRows, historyTitle, stuckText } from "../../core/reports/charge-history-text.js";
import { LIST_COLUMNS } from "../../core/reports/list-columns.js";
import type { ChargeHistory, ListedCharge } from "../../core/reports/namespace-export.js";
import { readStatuses } from "../../core/reports/shown-status.js";
import {
  attemptsOf,
  eventWord,
  type ListedDelivery,
  receiverText,
  receiverTrouble,
} from "../../core/reports/trouble.js";
import type { ChargeStatus } from "../../core/schema/common.js";
import { copyTexts } from "../../core/schema/delivery-copies.js";
import { CHARGE_STATUS_TABLE, hasEnded } from "../../core/schema/statuses.js";
import { readableDuration } from "../../core/schema/time.js";
import { UserError } from "../../core/schema/user-error.js";
import { type Coverage, RequiredCoverage } from "../coverage-list.js";
import { historyLines } from "../history-lines.js";
import { type Advice, adviceLine } from "../report/advice-text.js";
import { WEBHOOK_MARK } from "../table.js";
import { isTerminal, lineWidth } from "../terminal.js";
import { paint, type StyledText, wrap, wrapHanging } from "../text-layout.js";
import {
  type ClientAction,
  type ClientCommand,
  type CommandInput,
  flagText,
  runs,
} from "./client-command.js";
import type { Connection, JsonBody } from "./connection.js";
import {
  commonLines,
  commonTroubles,
  listCommand,
  readDeliveries,
  readMissingEndpoint,
  tableFormatter,
} from "./output.js";

/** Formats coverage. For each kind, such as error codes, lists the names that occurred and the names that never did. */
function coverageText(coverage: JsonBody): string {
  return Object.entries(coverage as Coverage)
    .map(([kind, { met, not_met }]) => {
      const names = Object.entries(met).map(([name, times]) => `${name} ${times}`);
      return [
        kind.replaceAll("_", " "),
        ...wrapHanging("  met      ", names.join(", ") || "none", lineWidth()),
        ...wrapHanging("  not met  ", not_met.join(", ") || "none", lineWidth()),
        "",
      ].join("\n");
    })
    .join("");
}

function refuseMissing(coverage: Coverage, list: string): void {
  const required = new RequiredCoverage(list);
  required.refuseUnknown(coverage);
  required.addCoverage(coverage);
  const { unmet } = required;
  if (unmet.length > 0) throw new UserError(`not met: ${unmet.join(", ")}`);
}

export const HISTORY_ACTION: ClientAction = {
  call: async ({ connection, words }) => {
    const charge = await connection.resolveCharge(words.selector!);
    return { charge, ...(await connection.run("getChargeTimeline", { charge_id: charge.charge_id })) };
  },
  formatResult: async (answer, { connection }) => {
    const story = answer as unknown as ChargeHistory & { readonly charge: ListedCharge };
    const shown = (await readStatuses(connection, { charge_id: story.charge.charge_id }))(story.charge);
    const rows = historyRows(story, await readDeliveries(connection, story.charge));
    const lines = historyLines(rows, lineWidth(), paint);
    const { charge_id, status } = story.charge;
    const stays =
      !hasEnded(status as ChargeStatus) && isStuck(await readNext(connection, charge_id))
        ? wrapHanging("  ", stuckText(story.items), lineWidth())
        : [];
    return `${[...wrap(historyTitle(story, shown), 0, lineWidth()), ...lines, ...stays].join("\n")}\n`;
  },
};

export interface NextItem extends JsonBody {
  readonly kind: "task" | "delivery" | "transition";
  readonly id: string;
  readonly what: string;
  readonly to: readonly string[];
}

/** The row of an item: the payment, its customer, and the change. What is held, or needs a hand, has no time. */
export async function nextRow(connection: Connection, item: NextItem): Promise<JsonBody> {
  const delivery = item.id.startsWith("dlv_")
    ? await connection.run("getDelivery", { delivery_id: item.id })
    : undefined;
  const id = String(delivery?.charge_id ?? delivery?.withdrawal_id ?? item.id);
  const payment = id.startsWith("ch_")
    ? await connection.run("getCharge", { charge_id: id })
    : id.startsWith("wd_") && (await connection.run("getControlWithdrawal", { withdrawal_id: id }));
  const { customer_email, customer_name, reference } = Object(payment);
  const who = customer_email ?? customer_name ?? reference;
  const hold = delivery?.hold as ListedDelivery["hold"] | undefined;
  const at = hold != null ? HELD : item.kind === "transition" ? BY_HAND : item.at;
  const untilMs = Date.parse(String(at)) - Date.parse(connection.now ?? "");
  const dueIn = Number.isNaN(untilMs) ? undefined : readableDuration(untilMs);
  const to = delivery && `→ ${receiverText(delivery.url as string | null)}`;
  const what = [nextText(item, delivery), to ?? []].flat().join(" ");
  return { ...payment, at, in: dueIn, what, who, id, note: hold?.reason, to };
}

/** Reads all that is scheduled or waits, and for one payment its possible statuses, the last items of the list. */
export async function readNext(connection: Connection, id: unknown): Promise<NextItem[]> {
  const items: NextItem[] = [];
  for await (const page of connection.pages<NextItem>("listNext", { id })) {
    // No status may follow a chargeback.
    const own = page.filter(({ kind, to }) => kind !== "transition" || (id !== undefined && to.length > 0));
    items.push(...own);
    if (own.length < page.length) break;
  }
  return items;
}

/** True if no change of a payment is scheduled, though one may be made by hand. */
export function isStuck(next: readonly NextItem[]): boolean {
  return next.some(({ kind }) => kind === "transition") && !next.some(({ kind }) => kind === "task");
}

/** The command that moves a payment on by hand, to its completion if it can. */
export function commandByHand(connection: Connection, next: readonly NextItem[]): string {
  const { id, to } = next.find(({ kind }) => kind === "transition")!;
  const { verb } = CHARGE_STATUS_TABLE[(to.find((one) => one === "COMPLETED") ?? to[0]) as ChargeStatus];
  return connection.commandFor(`${id.startsWith("ch_") ? "charge" : "withdrawal"} ${id} ${verb}`);
}

/** Groups retries to one receiver; any other item is a group of its own. What waits comes after what has a time. */
async function groupNext(connection: Connection, items: readonly NextItem[]): Promise<NextItem[][]> {
  const waiting = new Map<string, JsonBody>();
  if (items.some(({ id }) => id.startsWith("dlv_")))
    for await (const page of connection.pages<JsonBody>("listDeliveries", { status: "pending" }))
      for (const delivery of page) waiting.set(String(delivery.delivery_id), delivery);
  const isHeld = ({ id }: NextItem) => (waiting.get(id)?.hold ?? null) !== null;
  const rankOf = (item: NextItem) => (item.kind === "transition" ? 2 : Number(isHeld(item)));
  const groups = new Map<unknown, NextItem[]>();
  for (const item of [...items].sort((a, b) => rankOf(a) - rankOf(b))) {
    const delivery = waiting.get(item.id);
    const isRetry = delivery !== undefined && !isHeld(item) && attemptsOf(delivery).length > 0;
    const key = isRetry && isTerminal() ? delivery.url : item;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups.values()];
}

/** Maximum number of rows of `next` on a terminal, without `--limit`. */
const NEXT_MAX = 15;

/** Id of the payment that the selector of `next` names. */
async function readPaymentId({ connection, words: { selector } }: CommandInput): Promise<unknown> {
  if (selector === undefined || selector.startsWith("wd_")) return selector;
  return (await connection.resolveCharge(selector)).charge_id;
}

const HELD = "held";
const BY_HAND = "by hand";

function nextText({ kind, what, to }: NextItem, delivery: JsonBody | undefined): string {
  if (delivery !== undefined) return `${attemptsOf(delivery).length === 0 ? "" : "retry "}${eventWord(what)}`;
  if (kind === "transition") return `${what} to ${to.join(", ")}`;
  return to.length === 0 ? "is settled" : `becomes ${to.join(", ")}`;
}

export const INSIGHT_COMMANDS: readonly ClientCommand[] = [
  {
    usage: "advice",
    summary: "what the app does against the service's advice, and what to do instead",
    example: "payments-sandbox advice",
    defaultAction: runs("getAdvice", {
      formatResult: ({ items }) =>
        (items as Advice[])
          .map((one) => `${wrap(adviceLine(one), 2, lineWidth()).join("\n").trimStart()}\n`)
          .join("") || "none\n",
    }),
  },
  {
    usage: "coverage",
    summary: "operations, statuses, events, error codes and mishaps the app has met, and those it has not",
    example: "payments-sandbox coverage --require charge.completed,createWhitelabel",
    options: [["--require <list>", "exit with 1 unless all of these were met (names, separated by commas)"]],
    defaultAction: {
      call: async ({ connection, flags: { require } }) => {
        const coverage = await connection.run("getCoverage");
        if (require !== undefined) refuseMissing(coverage as Coverage, flagText(require)!);
        return coverage;
      },
      formatResult: coverageText,
    },
  },
  {
    usage: "next [selector]",
    summary:
      "what can happen next: scheduled tasks, waiting deliveries, and a selected payment's possible statuses",
    example: "payments-sandbox next last",
    options: [["--limit <number>", "how many"]],
    defaultAction: runs("listNext", {
      input: async (asked) => ({ id: await readPaymentId(asked) }),
      formatResult: async (_answer, asked) => {
        const { connection, flags } = asked;
        const items = await readNext(connection, await readPaymentId(asked));
        const groups = await groupNext(connection, items);
        const shown = groups.slice(0, Number(flags.limit ?? (isTerminal() ? NEXT_MAX : groups.length)));
        const rows = await Promise.all(
          shown.map(async ([item, ...others]) => {
            const { at, in: dueIn, to, ...rest } = await nextRow(connection, item!);
            if (item!.kind === "transition" && !hasEnded(rest.status as ChargeStatus) && isStuck(items))
              rest.note = `no change of status is scheduled; make one: ${commandByHand(connection, items)}`;
            if (others.length === 0) return { at, in: dueIn, ...rest };
            return { at, in: dueIn, what: `${1 + others.length} retries ${to}` };
          }),
        );
        const left = groups.length - shown.length;
        const more: StyledText = ["dim", `and ${left} more: ${connection.commandFor("next --limit 100")}`];
        return tableFormatter(LIST_COLUMNS.next, left > 0 ? [more] : [])({ items: rows }, asked);
      },
    }),
  },
  listCommand(
    "listDeliveries",
    "the webhooks sent, newest first, with the app's responses",
    "deliveries --failing",
    {
      formatResult: async (answer, asked) => {
        const missing = await readMissingEndpoint(asked.connection);
        const deliveries = answer.items as (JsonBody & ListedDelivery)[];
        if (deliveries.length === 0 && missing !== undefined) return `${missing}\n`;
        const copies = copyTexts(deliveries);
        const items = deliveries.map((one) => ({ ...one, copy: copies.get(one.delivery_id) }));
        const failing = items.filter((one) => attemptsOf(one).length > 0 && one.status !== "delivered");
        const common = commonTroubles(failing, "delivery_id");
        const isCommon = (one: JsonBody) =>
          failing.includes(one as never) && common.has(receiverTrouble(one));
        const { notes, values } = LIST_COLUMNS.deliveries;
        const list = {
          ...LIST_COLUMNS.deliveries,
          notes: (one: JsonBody) => notes!(one).filter((note) => note.startsWith("! ") || !isCommon(one)),
          values: {
            ...values,
            status: (one: JsonBody) => `${values!.status!(one)}${isCommon(one) ? WEBHOOK_MARK : ""}`,
          },
        };
        return tableFormatter(list, commonLines(common))({ ...answer, items }, asked);
      },
    },
  ),
  {
    usage: "history <selector>",
    summary: "a charge's requests, transitions, webhooks and the app's responses",
    example: "payments-sandbox history last",
    defaultAction: HISTORY_ACTION,
  },
];
