import { anyGlobMatches } from "../../../../domain/glob.js";
import type { Delivery } from "../../../../engine/records.js";
import { deliveriesWithWords } from "../../../control/deliveries.js";
import { html, type Markup } from "../../html.js";
import { placeOf } from "../attention.js";
import { controlCurl } from "../curl.js";
import { choice, copy, deliveryState, filters, input, pager, part, rows } from "../parts.js";
import { here, isShown, offsetOf, PAGE_ROWS, type Scene } from "../scene.js";
import { deliveryRow } from "./activity.js";
import { receiversPart } from "./receivers.js";

const STATUSES = ["failing", "pending", "delivered", "failed", "dropped"];
const KINDS = ["charge.*", "withdrawal.*"];
/** What deliveries are filtered by, as the address has it. */
const FILTERS = ["status", "type", "receiver", "q"] as const;
type Filter = Readonly<Record<(typeof FILTERS)[number], string>>;

/** Who hears of events and how they take them, and every delivery. */
export function webhooksView(scene: Scene): Markup {
  const { state } = scene.namespace.engine;
  const asked = Object.fromEntries(
    FILTERS.map((name) => [name, scene.query.get(name)?.trim() ?? ""]),
  ) as Filter;
  const { total, items } = deliveriesOf(scene, asked);
  const isFiltered = FILTERS.some((name) => asked[name] !== "");
  return html`<h1>Webhooks</h1>
${receiversPart(scene, state.get("endpoints", asked.receiver))}
${filterForm(scene, asked)}
${part({
  id: "deliveries",
  title: `Deliveries: ${total}`,
  tools: copy("Copy as curl", controlCurl(scene, `GET /_sandbox/deliveries${apiQuery(asked)}`), "c"),
  body: html`${isFiltered && chips(scene, asked)}${rows(
    "Deliveries",
    items.map((one) => deliveryRow(scene, one, { at: one.created_at })),
    isFiltered
      ? "None matches the filter."
      : state.endpoints().length === 0
        ? "None: no receiver is registered."
        : "None: no event has happened that a receiver wants.",
    ["Created", "Status", "Event → receiver", "About", "Attempts"],
  )}${pager(scene, total)}`,
})}`;
}

function deliveriesOf(scene: Scene, { status, type, receiver, q }: Filter) {
  const { state } = scene.namespace.engine;
  const isMeant = (one: Delivery) =>
    isShown(scene, one) &&
    (receiver === "" || one.webhook_id === receiver) &&
    (type === "" || anyGlobMatches(type, one.event_type)) &&
    (status === "" || deliveryState(one) === status);
  const offset = offsetOf(scene);
  if (q === "") return state.found("deliveries", isMeant, offset, PAGE_ROWS);
  const found = deliveriesWithWords(state, q.slice(0, 255)).filter(isMeant);
  return { total: found.length, items: found.slice(offset, offset + PAGE_ROWS) };
}

/** The same filter as the control API takes it. */
function apiQuery({ status, type, receiver, q }: Filter): string {
  const query = new URLSearchParams({
    ...(status === "" ? {} : status === "failing" ? { failing: "1" } : { status }),
    ...(receiver === "" ? {} : { webhook_id: receiver }),
    ...(type === "" ? {} : { type }),
    ...(q === "" ? {} : { q }),
  }).toString();
  return query === "" ? "" : `?${query}`;
}

function filterForm(scene: Scene, { status, type, receiver, q }: Filter): Markup {
  const { state } = scene.namespace.engine;
  const types = [...new Set([...KINDS, ...state.eventTypes().sort(), ...(type === "" ? [] : [type])])];
  const any = (list: readonly string[]): [string, string][] => [
    ["", "any"],
    ...list.map((one): [string, string] => [one, one]),
  ];
  return filters(
    scene,
    html`${choice("status", "Status", any(STATUSES), status)}
${choice("type", "Event", any(types), type)}
${choice("receiver", "Receiver", [["", "any"], ...state.endpoints().map((one): [string, string] => [one.webhook_id, placeOf(one)])], receiver)}
${input({ name: "q", label: "About", value: q, hint: "order, e-mail, id", type: "search" })}`,
  );
}

/** Each filter with a link that takes it away. */
function chips(scene: Scene, asked: Filter): Markup {
  const { state } = scene.namespace.engine;
  const shown = (name: (typeof FILTERS)[number]) =>
    name === "receiver" ? placeOf(state.get("endpoints", asked.receiver)) : asked[name];
  return html`<ul class="chips" aria-label="Filters">${FILTERS.filter((name) => asked[name] !== "").map((name) => html`<li><a href="${here(scene, { [name]: undefined, offset: undefined })}">${name === "q" ? "about" : name}: ${shown(name)} <span aria-hidden="true">✕</span><span class="unseen">, remove this filter</span></a></li>`)}</ul>`;
}
