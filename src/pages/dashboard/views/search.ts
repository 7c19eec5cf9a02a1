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
const MOST_CHARGES = 100;
const MOST_PAYOUTS = 1_000;

/** Charges, payouts, deliveries, events and requests that match the search. */
export function searchView(scene: Scene): Markup {
  const q = scene.query.get("q")?.trim().slice(0, 255) ?? "";
  const { state } = scene.namespace.engine;
  const charges = q === "" ? [] : state.chargesWithWords(q).filter((one) => isShown(scene, one));
  const payouts = q === "" ? [] : payoutsWith(scene, q);
  const requests = q === "" ? [] : requestsWith(scene, q);
  const ids = [
    ...charges.slice(0, MOST_CHARGES).map(({ charge_id }) => charge_id),
    ...payouts.map(({ withdrawal_id }) => withdrawal_id),
  ];
  const { deliveries, events } = q === "" ? NOTHING : webhooksWith(scene, q, ids);
  const all = (view: "charges" | "webhooks" | "requests") => href(scene, view, undefined, { q });
  const list = [
    hits(scene, "Charges", hitsOf(charges), chargeRow, all("charges")),
    hits(scene, "Payouts", hitsOf(payouts), withdrawalRow, href(scene, "money")),
    hits(scene, "Deliveries", deliveries, deliveryRow, all("webhooks")),
    hits(scene, "Events", events, eventRow),
    hits(scene, "Requests", hitsOf(requests), requestRow, all("requests")),
  ].filter((one) => one !== false);
  if (list.length > 0) return html`<h1>Search</h1>${list}`;
  return html`<h1>Search</h1><p class="soft">${q === "" ? "Type an id, an e-mail, a name, an order, a type of event, or text of a request." : `Nothing has “${q}” in it.`}</p>`;
}

const NOTHING = { deliveries: { total: 0, items: [] }, events: { total: 0, items: [] } };

function hitsOf<Item>(items: readonly Item[]): Hits<Item> {
  return { total: items.length, items };
}

function hits<Item>(
  scene: Scene,
  title: string,
  { total, items }: Hits<Item>,
  rowOf: (scene: Scene, item: Item) => Markup,
  to?: string,
): Markup | false {
  if (total === 0) return false;
  return part({
    id: title.toLowerCase(),
    title: `${title}: ${total}`,
    tools: total > ROWS && to !== undefined && html`<a href="${to}">All ${total}</a>`,
    body: rows(
      title,
      items.slice(0, ROWS).map((one) => rowOf(scene, one)),
      "",
    ),
  });
}

function payoutsWith(scene: Scene, q: string) {
  const text = q.toLowerCase();
  return scene.namespace.engine.state
    .page("withdrawals", "withdrawals", 0, MOST_PAYOUTS)
    .filter((one) => isShown(scene, one))
    .filter(({ withdrawal_id, destination_id, reference, failure_reason }) =>
      [withdrawal_id, destination_id, reference, failure_reason].some((one) =>
        one?.toLowerCase().includes(text),
      ),
    );
}

/** Events and deliveries by type, object or id. */
function webhooksWith(
  scene: Scene,
  q: string,
  ids: readonly string[],
): { deliveries: Hits<Delivery>; events: Hits<EventRecord> } {
  const { state } = scene.namespace.engine;
  const types = new Set(state.eventTypes().filter((type) => type.startsWith(q.toLowerCase())));
  if (types.size > 0)
    return {
      deliveries: state.found(
        "deliveries",
        (one) => isShown(scene, one) && types.has(one.event_type),
        0,
        ROWS,
      ),
      events: state.found("events", (one) => isShown(scene, one) && types.has(one.type), 0, ROWS),
    };
  const named = state.get("events", q);
  const events = [...(named === undefined ? [] : [named]), ...ids.flatMap((id) => state.eventsOf(id))];
  const deliveries = new Set([
    ...deliveriesWithWords(state, q),
    ...ids.filter((id) => id.startsWith("wd_")).flatMap((id) => deliveriesAbout(state, id)),
  ]);
  return { deliveries: newest(scene, [...deliveries]), events: newest(scene, events) };
}

function newest<Item extends { readonly seq: number; readonly mode: Delivery["mode"] }>(
  scene: Scene,
  all: readonly Item[],
): Hits<Item> {
  return hitsOf(all.filter((one) => isShown(scene, one)).sort((a, b) => b.seq - a.seq));
}
