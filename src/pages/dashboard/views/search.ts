import type { Delivery, EventRecord } from "../../../core/engine/records.js";
import { deliveriesAbout, deliveriesWithWords } from "../../../server/control/deliveries.js";
import { html, type Markup } from "../../html.js";
import { part, rows } from "../parts.js";
import { href, isShown, type Scene } from "../scene.js";
import type { Hits } from "./listing.js";
import { requestsWith } from "./requests.js";
import { chargeRow, deliveryRow, eventRow, requestRow, withdrawalRow } from "./rows.js";

/** Rows per kind. */
const ROWS = 10;
/** Bound the cost of a keystroke: charges whose events are read, and newest payouts scanned. */
const MAX_CHARGES = 100;
const MAX_PAYOUTS = 1_000;

/** Charges, payouts, deliveries, events and requests that match the search. */
export function searchView(context: Scene): Markup {
  const q = context.query.get("q")?.trim().slice(0, 255) ?? "";
  const { state } = context.namespace.engine;
  const charges = q === "" ? [] : state.chargesWithWords(q).filter((charge) => isShown(context, charge));
  const payouts = q === "" ? [] : payoutsWith(context, q);
  const requests = q === "" ? [] : requestsWith(context, q);
  const ids = [
    ...charges.slice(0, MAX_CHARGES).map(({ charge_id }) => charge_id),
    ...payouts.map(({ withdrawal_id }) => withdrawal_id),
  ];
  const { deliveries, events } = q === "" ? NO_HITS : webhooksWith(context, q, ids);
  const all = (view: "charges" | "webhooks" | "requests") => href(context, view, undefined, { q });
  const list = [
    hits(context, "Charges", hitsOf(charges), chargeRow, all("charges")),
    hits(context, "Payouts", hitsOf(payouts), withdrawalRow, href(context, "money")),
    hits(context, "Deliveries", deliveries, deliveryRow, all("webhooks")),
    hits(context, "Events", events, eventRow),
    hits(context, "Requests", hitsOf(requests), requestRow, all("requests")),
  ].filter((list) => list !== false);
  if (list.length > 0) return html`<h1>Search</h1>${list}`;
  return html`<h1>Search</h1><p class="soft">${q === "" ? "Type an id, an e-mail, a name, an order, a type of event, or text of a request." : `Nothing has “${q}” in it.`}</p>`;
}

const NO_HITS = { deliveries: { total: 0, items: [] }, events: { total: 0, items: [] } };

function hitsOf<Item>(items: readonly Item[]): Hits<Item> {
  return { total: items.length, items };
}

function hits<Item>(
  context: Scene,
  title: string,
  { total, items }: Hits<Item>,
  rowOf: (context: Scene, item: Item) => Markup,
  to?: string,
): Markup | false {
  if (total === 0) return false;
  return part({
    id: title.toLowerCase(),
    title: `${title}: ${total}`,
    tools: total > ROWS && to !== undefined && html`<a href="${to}">All ${total}</a>`,
    body: rows(
      title,
      items.slice(0, ROWS).map((item) => rowOf(context, item)),
      "",
    ),
  });
}

function payoutsWith(context: Scene, q: string) {
  const text = q.toLowerCase();
  return context.namespace.engine.state
    .page("withdrawals", "withdrawals", 0, MAX_PAYOUTS)
    .filter((payout) => isShown(context, payout))
    .filter(({ withdrawal_id, destination_id, reference, failure_reason }) =>
      [withdrawal_id, destination_id, reference, failure_reason].some((field) =>
        field?.toLowerCase().includes(text),
      ),
    );
}

/** Events and deliveries by type, object or id. */
function webhooksWith(
  context: Scene,
  q: string,
  ids: readonly string[],
): { deliveries: Hits<Delivery>; events: Hits<EventRecord> } {
  const { state } = context.namespace.engine;
  const types = new Set(state.eventTypes().filter((type) => type.startsWith(q.toLowerCase())));
  if (types.size > 0)
    return {
      deliveries: state.found(
        "deliveries",
        (delivery) => isShown(context, delivery) && types.has(delivery.event_type),
        0,
        ROWS,
      ),
      events: state.found("events", (event) => isShown(context, event) && types.has(event.type), 0, ROWS),
    };
  const event = state.get("events", q);
  const events = [...(event === undefined ? [] : [event]), ...ids.flatMap((id) => state.eventsOf(id))];
  const deliveries = new Set([
    ...deliveriesWithWords(state, q),
    ...ids.filter((id) => id.startsWith("wd_")).flatMap((id) => deliveriesAbout(state, id)),
  ]);
  return { deliveries: newest(context, [...deliveries]), events: newest(context, events) };
}

function newest<Item extends { readonly seq: number; readonly mode: Delivery["mode"] }>(
  context: Scene,
  all: readonly Item[],
): Hits<Item> {
  return hitsOf(all.filter((record) => isShown(context, record)).sort((a, b) => b.seq - a.seq));
}
