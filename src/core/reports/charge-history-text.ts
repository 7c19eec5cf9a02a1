import type { ChargeHistoryItem } from "../schema/control-responses.js";
import { copyTexts } from "../schema/delivery-copies.js";
import { isSuccessStatus } from "../schema/http-response.js";
import { CHARGE_STATUS_TABLE } from "../schema/statuses.js";
import { formatCount, groupDigits, signedAmount, toPrintableLine } from "../schema/text-format.js";
import { readableDuration } from "../schema/time.js";
import { failureText, type ListedDelivery, nextTryText, receiverText } from "./delivery-text.js";
import type { ChargeHistories, ChargeHistory } from "./namespace-export.js";
import { missingStatusReason } from "./request-text.js";
import { type Payment, shownStatus, statusText } from "./shown-status.js";

/** Formats histories as text: a heading for each charge, a line for each item. */
export function historiesText({ charges, not_in_order, items }: ChargeHistories): string {
  const left = charges - items.length;
  return [
    `${formatCount(charges, "charge")}, ${not_in_order} not in order${left > 0 ? `; ${left} left out here` : ""}`,
    ...items.flatMap((story) => [
      "",
      historyTitle(story),
      ...historyRows(story).map(({ head, text }) => head + text),
    ]),
    "",
  ].join("\n");
}

export function historyTitle({ charge, test }: Pick<ChargeHistory, "charge" | "test">): string {
  const { sandbox } = charge as { sandbox?: { scenario?: unknown } };
  return toPrintableLine(
    [
      charge.charge_id,
      statusText(shownStatus(charge as unknown as Payment)),
      `${charge.currency} ${groupDigits(String(charge.amount))}`,
      charge.payment_method,
      charge.customer_email,
      charge.mode === "live" ? "live mode" : null,
      sandbox?.scenario == null ? null : `scenario ${sandbox.scenario}`,
      test === undefined ? null : `test ${test}`,
    ]
      .filter((part) => part != null)
      .join("  "),
  );
}

export interface HistoryRow {
  /** Start of the row: time since the first item, and the item's kind. */
  readonly head: string;
  readonly text: string;
  readonly item: ChargeHistoryItem;
}

type Attempt = Extract<ChargeHistoryItem, { kind: "attempt" }>;

/**
 * Rows of a history. The attempts of a delivery are one row, at the time of the first and with the last response.
 *
 * @param deliveries newest first; they tell copies apart, and when each failing one is tried next
 */
export function historyRows(
  { items }: Pick<ChargeHistory, "items">,
  deliveries: readonly ListedDelivery[] = [],
): HistoryRow[] {
  const timeOf = ({ at }: { readonly at: string }) =>
    `+${readableDuration(Date.parse(at) - Date.parse(items[0]!.at)).replaceAll("\u00a0", "")}`;
  const copies = copyTexts(deliveries);
  const folded = new Map<unknown, ChargeHistoryItem[]>();
  for (const item of items) {
    const key = item.kind === "attempt" ? item.delivery_id : item;
    folded.set(key, [...(folded.get(key) ?? []), item]);
  }
  const groups = [...folded.values()];
  const width = Math.max(0, ...groups.map(([first]) => timeOf(first!).length));
  return groups.map((group) => {
    const [first, last] = [group[0]!, group.at(-1)!];
    const text = last.kind === "attempt" ? attemptsText(last, group.length, timeOf(last)) : itemText(last);
    const id = "delivery_id" in last ? last.delivery_id : "";
    const delivery = deliveries.find((one) => one.delivery_id === id);
    const next = delivery && nextTryText(delivery, (at) => timeOf({ at }));
    return {
      head: `  ${timeOf(first).padStart(width)}  ${(LABELS[first.kind] ?? first.kind).padEnd(7)}  `,
      text: toPrintableLine([text, copies.get(id), next].filter(Boolean).join(" · ")),
      item: last,
    };
  });
}

/** Kinds of rows whose word differs from that of the items. */
const LABELS: Readonly<Partial<Record<ChargeHistoryItem["kind"], string>>> = {
  attempt: "webhook",
  hold: "webhook",
  transition: "status",
};

const FAILURE_MAX = 200;

function attemptsText(last: Attempt, count: number, time: string): string {
  const times = count > 1 ? `${count} attempts until ${time}` : `${last.duration_ms} ms`;
  const result = isSuccessStatus(last.status) ? last.status : failureText(last).slice(0, FAILURE_MAX);
  return `${last.type} → ${receiverText(`http://${last.receiver}`)} ${result} (${times})`;
}

function itemText(item: Exclude<ChargeHistoryItem, Attempt>): string {
  switch (item.kind) {
    case "request":
      return requestText(item);
    case "transition":
      return [item.status, item.reason && `(${item.reason})`, causeText(item)].filter(Boolean).join(" ");
    case "ledger":
      return `${item.posting.replaceAll("_", " ")} ${item.currency} ${postingsText(item)}`;
    case "event":
      return `${item.type} ${item.event_id}`;
    case "note":
      return item.note;
    case "hold":
      return `${item.type} → ${receiverText(`http://${item.receiver}`)} held: ${item.reason}`;
  }
}

/** `+4,300.00 pending, +146.20 fees`: the accounts of the shop and the service. */
function postingsText({ postings }: Extract<ChargeHistoryItem, { kind: "ledger" }>): string {
  const own = postings.filter(({ account }) => account !== "outside");
  return own.map(({ account, amount }) => `${signedAmount(amount)} ${account}`).join(", ");
}

/** Who or what caused a change of status; nothing for a call of the app. */
export function causeText({
  by: { actor, scenario },
  match,
  status,
}: Extract<ChargeHistoryItem, { kind: "transition" }>): string | undefined {
  if (actor === "scenario" && CHARGE_STATUS_TABLE[status].tone === "bad")
    return match === undefined
      ? `because of scenario ${scenario}`
      : `because ${match} (scenario ${scenario})`;
  const actors: Partial<Record<typeof actor, string>> = { customer: "by the customer", control: "by hand" };
  return actors[actor];
}

function errorOf(body: unknown): string {
  const { error } = Object(body) as { error?: { code?: unknown; message?: unknown } };
  return error?.code === undefined ? "" : ` ${error.code}: ${error.message}`;
}

function requestText(item: Readonly<Record<string, unknown>>): string {
  const result = item.status ?? missingStatusReason(item);
  const fault = item.fault == null ? "" : ` (fault of ${item.fault})`;
  return `${item.method} ${item.path} → ${result}${fault}${errorOf(item.response_body)}`;
}
