import { matchesWords, searchWords } from "../../../core/engine/match-fields.js";
import type { Delivery, EventRecord } from "../../../core/engine/records.js";
import { LIST_COLUMNS, type ListName } from "../../../core/reports/list-columns.js";
import { deliveriesOfObject, searchDeliveries } from "../../../server/control/deliveries.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { isInMode, type PageContext, viewUrl } from "../page-context.js";
import { headingOf, type ListPage } from "./filtered-list.js";
import { chargeRow, deliveryRow, eventRow, requestRow, withdrawalRow } from "./record-rows.js";
import { findRequestsByText } from "./requests-view.js";

/** Rows per kind. */
const ROWS = 10;
/** Limits of one search: number of charges whose events are read, and number of newest payouts scanned. */
const MAX_CHARGES = 100;
const MAX_PAYOUTS = 1_000;

/** Charges, payouts, deliveries, events and requests that match the search. */
export function searchView(context: PageContext): Markup {
  const q = context.query.get("q")?.trim().slice(0, 255) ?? "";
  const hint = html`<p class="soft">${q !== "" && `Nothing has “${q}” in it. `}Type an id, an e-mail, a name, an order, an amount, a type of event, or a value in a request.</p>`;
  if (q === "") return html`<h1>Search</h1>${hint}`;
  const { state } = context.namespace.engine;
  const charges = state.chargesWithWords(q).filter((charge) => isInMode(context, charge));
  const payouts = payoutsWith(context, q);
  const ids = [
    ...charges.slice(0, MAX_CHARGES).map(({ charge_id }) => charge_id),
    ...payouts.map(({ withdrawal_id }) => withdrawal_id),
  ];
  const { deliveries, events } = webhooksWith(context, q, ids);
  const all = (view: "charges" | "webhooks" | "requests") => viewUrl(context, view, undefined, { q });
  const list = [
    hits(context, "charges", hitsOf(charges), chargeRow, all("charges")),
    hits(context, "withdrawals", hitsOf(payouts), withdrawalRow, viewUrl(context, "money")),
    hits(context, "deliveries", deliveries, deliveryRow, all("webhooks")),
    hits(context, "events", events, eventRow),
    hits(context, "requests", hitsOf(findRequestsByText(context, q)), requestRow, all("requests")),
  ].filter((list) => list !== false);
  return html`<h1>Search</h1>${list.length > 0 ? list : hint}`;
}

function hitsOf<Item>(items: readonly Item[]): ListPage<Item> {
  return { total: items.length, items };
}

function hits<Item>(
  context: PageContext,
  name: ListName,
  { total, items }: ListPage<Item>,
  rowOf: (context: PageContext, item: Item) => Markup,
  to?: string,
): Markup | false {
  if (total === 0) return false;
  const title = headingOf(name);
  return ui.section({
    id: name,
    title: `${title}: ${total}`,
    tools: total > ROWS && to !== undefined && html`<a href="${to}">All ${total}</a>`,
    body: ui.rowList(
      title,
      items.slice(0, ROWS).map((item) => rowOf(context, item)),
      "",
      LIST_COLUMNS[name].headings,
    ),
  });
}

function payoutsWith(context: PageContext, q: string) {
  const words = searchWords(q);
  return context.namespace.engine.state
    .page("withdrawals", "withdrawals", 0, MAX_PAYOUTS)
    .filter((payout) => isInMode(context, payout))
    .filter(({ withdrawal_id, destination_id, reference, failure_reason, amount, currency }) =>
      matchesWords(words, [withdrawal_id, destination_id, reference, failure_reason, amount, currency]),
    );
}

/** Events and deliveries by type, object or id. */
function webhooksWith(
  context: PageContext,
  q: string,
  ids: readonly string[],
): { deliveries: ListPage<Delivery>; events: ListPage<EventRecord> } {
  const { state } = context.namespace.engine;
  const types = new Set(state.eventTypes().filter((type) => type.startsWith(q.toLowerCase())));
  if (types.size > 0) {
    const matchesDelivery = (delivery: Delivery) =>
      isInMode(context, delivery) && types.has(delivery.event_type);
    const matchesEvent = (event: EventRecord) => isInMode(context, event) && types.has(event.type);
    return {
      deliveries: state.pageOfKinds("deliveries", matchesDelivery, 0, ROWS),
      events: state.pageOfKinds("events", matchesEvent, 0, ROWS),
    };
  }
  const events = [state.get("events", q) ?? [], ...ids.map((id) => state.eventsOf(id))].flat();
  const deliveries = new Set([
    ...searchDeliveries(state, q),
    ...ids.filter((id) => id.startsWith("wd_")).flatMap((id) => deliveriesOfObject(state, id)),
  ]);
  return { deliveries: newest(context, [...deliveries]), events: newest(context, events) };
}

function newest<Item extends { readonly seq: number; readonly mode: Delivery["mode"] }>(
  context: PageContext,
  all: readonly Item[],
): ListPage<Item> {
  return hitsOf(all.filter((record) => isInMode(context, record)).sort((a, b) => b.seq - a.seq));
}
