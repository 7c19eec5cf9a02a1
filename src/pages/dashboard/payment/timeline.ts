import { isZero } from "../../../core/domain/money.js";
import { type ShownStatus, shownStatus } from "../../../core/reports/shown-status.js";
import type { DeliveryView } from "../../../core/schema/control-log-responses.js";
import type { ChargeHistoryItem } from "../../../core/schema/control-responses.js";
import { copyTexts } from "../../../core/schema/delivery-copies.js";
import { signedAmount } from "../../../core/schema/text-format.js";
import { breakable } from "../../format.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";
import { deliveryRow, idOf, type Payment, type Receivers, receiversOf, requestBadge } from "../rows.js";

const HEADINGS = ["Time", "Status", "", "Event", "About", ""] as const;

/**
 * The timeline of a payment, with what is due next: calls, statuses, money, and webhooks. The plan keeps its height and
 * the history grows at its end, so nothing moves while a payment runs.
 */
export async function paymentTimeline(context: PageContext, payment: Payment): Promise<Markup> {
  const { ask, client } = context;
  const id = idOf(payment);
  const { items } =
    "charge_id" in payment
      ? await ask("getChargeTimeline", { charge_id: id })
      : await ask("getWithdrawalTimeline", { withdrawal_id: id });
  const deliveries: DeliveryView[] = [];
  for await (const page of client.pages<DeliveryView>("listDeliveries", { charge_id: id }))
    deliveries.push(...page);
  const rows = historyRows(context, payment, items, deliveries, await receiversOf(context));
  return html`${await planList(context, payment)}${ui.rowList("History", rows, "Nothing yet.", HEADINGS)}`;
}

/** Rows of the past of a payment, in the order of the control API. */
function historyRows(
  context: PageContext,
  payment: Payment,
  items: readonly ChargeHistoryItem[],
  deliveries: readonly DeliveryView[],
  receivers: Receivers,
): Markup[] {
  const copies = copyTexts(deliveries);
  const first = items.find(({ kind }) => kind === "transition");
  const maker = items.find((item) => item.kind === "request");
  /** Reversals that no row shows yet, oldest first. */
  const reversals = [...payment.reversals].reverse();
  const timeOf = (at: string) => {
    const sinceMs = Date.parse(at) - Date.parse(items[0]!.at);
    return html`<time datetime="${at}" title="${at}">+${ui.readableDuration(sinceMs)}</time>`;
  };
  const row = (at: string, shown: Omit<ui.ListRow, "at">) =>
    ui.listRow(context, { ...shown, at: timeOf(at) });
  const stateRow = (key: string, { word, at, reason }: ShownStatus, cause: string) =>
    row(at, {
      key,
      status: ui.badge(word),
      title: html`${reason !== undefined && html`<bdi>${breakable(reason)}</bdi> `}<span
class="soft">${cause}</span>`,
    });
  const deliveryRowOf = (at: string, delivery: DeliveryView) => {
    const { delivery_id, webhook_id, mishap } = delivery;
    const copy = copies.get(delivery_id);
    const scenario = mishap !== null && html` title="scenario ${mishap.scenario}"`;
    const tag = copy !== undefined && html`<span class="tag"${scenario}>${copy}</span>`;
    return deliveryRow(context, delivery, receivers.get(webhook_id), { time: timeOf(at), tag });
  };
  return items.flatMap((item, index): Markup[] => {
    const { at } = item;
    switch (item.kind) {
      case "request": {
        const { request_id: id, operation, fault, why } = item;
        const to = viewUrl(context, "requests", String(id));
        const title = operation ?? ui.callText(item);
        const subtitle = fault !== null && why;
        return [row(at, { key: `request-${id}`, status: requestBadge(item), title, to, subtitle })];
      }
      case "transition": {
        const causes: Readonly<Record<string, string>> = {
          scenario: `scenario ${payment.sandbox.scenario}`,
          api: item === first ? `by ${maker?.runner ?? "your app"}` : "payment method chosen",
          clock: "expired",
          customer: "by the customer",
        };
        const shown = { word: item.status, at, reason: item.reason };
        return [stateRow(`state-${index}`, shown, causes[item.by.actor] ?? "by hand")];
      }
      case "note":
        return [row(at, { key: `note-${index}`, title: breakable(item.note) })];
      case "ledger": {
        const { entry_id: key, posting, currency, postings } = item;
        const own = postings.filter(({ account, amount }) => account !== "outside" && !isZero(amount));
        const amounts = own.map((one) => `${signedAmount(one.amount)} ${one.account.replace("_", " ")}`);
        const status = html`<span class="soft">± ${posting.replaceAll("_", " ")}</span>`;
        const isReversal = reversals[0]?.kind === posting;
        return [
          ...reversals.splice(0, isReversal ? 1 : 0).map((reversal) => {
            const shown = shownStatus({ status: "COMPLETED", updated_at: at, reversals: [reversal] });
            return stateRow(`reversal-${index}`, shown, "by hand");
          }),
          row(at, { key, status, title: [currency, ...amounts].join(" ") }),
        ];
      }
      case "event": {
        const own = deliveries.filter(({ event_id }) => event_id === item.event_id).reverse();
        return own.length > 0
          ? own.map((delivery) => deliveryRowOf(at, delivery))
          : [row(at, { key: item.event_id, title: item.type, subtitle: "no receiver" })];
      }
      default:
        return [];
    }
  });
}

/** Due and planned steps of the charge or payout; a retry stands beside its delivery. */
async function planList({ ask, nowMs }: PageContext, payment: Payment): Promise<Markup> {
  const { items: tasks } = await ask("listTasks", { id: idOf(payment) });
  const words: Readonly<Record<string, string>> = { expire: "EXPIRED if unpaid", settle: "settlement" };
  const steps = [
    ...payment.planned.filter(({ to }) => to !== "EXPIRED").map(({ to, at }) => ({ at, word: to })),
    ...tasks.flatMap(({ kind, due_at: at }) => (words[kind] ? [{ at, word: words[kind] }] : [])),
  ].sort((a, b) => (a.at < b.at ? -1 : 1));
  const items = steps.map(({ at, word }) => {
    const inMs = Math.max(0, Date.parse(at) - nowMs);
    const run = ui.button({ does: ["advanceClock", { to: at }], label: "Run to here", to: word });
    const when = inMs === 0 ? "now" : html`in ${ui.readableDuration(inMs)} ${run}`;
    return html`<li data-key="${at} ${word}">${word} <span class="soft">${when}</span></li>`;
  });
  const none = html`<li data-key="none" class="soft">No change of its status is planned.</li>`;
  return html`<ol class="plan" tabindex="0" aria-label="Planned">${items.length === 0 ? none : items}</ol>`;
}
