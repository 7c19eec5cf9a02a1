import type { ChargeHistoryItem } from "../schema/control-responses.js";
import { isSuccessStatus } from "../schema/http-response.js";
import { formatCount, toPrintableLine } from "../schema/text-format.js";
import { summarizeBody } from "./body-summary.js";
import type { ChargeHistories, ChargeHistory } from "./namespace-export.js";

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
      charge.status,
      charge.failure_reason,
      `${charge.amount} ${charge.currency}`,
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

interface HistoryRow {
  /** Start of the row: time since the first item, and the item's kind. */
  readonly head: string;
  readonly text: string;
  readonly item: ChargeHistoryItem;
}

export function historyRows({ items }: ChargeHistory): HistoryRow[] {
  const offsets = items.map(({ at }) => offset(items[0]!.at, at));
  const width = Math.max(0, ...offsets.map(({ length }) => length));
  return items.map((item, index) => ({
    head: `  ${offsets[index]!.padStart(width)}  ${item.kind.padEnd(10)}  `,
    text: toPrintableLine(itemText(item)),
    item,
  }));
}

function offset(from: string, at: string): string {
  return `+${((Date.parse(at) - Date.parse(from)) / 1_000).toFixed(3)}s`;
}

function itemText(item: ChargeHistoryItem): string {
  switch (item.kind) {
    case "request":
      return requestText(item);
    case "transition":
      return `${item.status}${item.reason === undefined ? "" : ` (${item.reason})`}`;
    case "ledger":
      return `${item.posting} ${item.currency}: ${item.postings.map(({ account, amount }) => `${account} ${amount}`).join(", ")}`;
    case "event":
      return `${item.type} ${item.event_id}`;
    case "note":
      return item.note;
    case "attempt":
      return `${item.type} to ${item.receiver} → ${item.status ?? item.error} (attempt ${item.attempt}, ${item.duration_ms} ms)${refusalOf(item)}`;
    case "hold":
      return `${item.type} to ${item.receiver} is held: ${item.reason}`;
  }
}

function errorOf(body: unknown): string {
  const { error } = (typeof body === "object" && body !== null ? body : {}) as {
    error?: { code?: unknown; message?: unknown };
  };
  return error?.code === undefined ? "" : ` ${error.code}: ${error.message}`;
}

function requestText(item: Readonly<Record<string, unknown>>): string {
  const result = item.status ?? missingStatusReason(item);
  const fault = item.fault == null ? "" : ` (fault of ${item.fault})`;
  return `${item.method} ${item.path} → ${result}${fault}${errorOf(item.response_body)}`;
}

/** Returns the reason why a journaled request has no status. */
export function missingStatusReason({ in_flight, client_gone }: Readonly<Record<string, unknown>>): string {
  return in_flight ? "in flight" : client_gone ? "client gone" : "connection cut";
}

const MAX_REFUSAL_LENGTH = 200;

/** Body of a response that refused the webhook. */
function refusalOf({ status, response_body }: Extract<ChargeHistoryItem, { kind: "attempt" }>): string {
  if (isSuccessStatus(status) || !response_body) return "";
  return `: ${summarizeBody(response_body).replace(/\s+/g, " ").slice(0, MAX_REFUSAL_LENGTH)}`;
}
