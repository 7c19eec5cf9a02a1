import { matchesAnyGlob } from "../../../core/domain/glob.js";
import type { Delivery, Endpoint } from "../../../core/engine/records.js";
import { searchDeliveries } from "../../../server/control/deliveries.js";
import { isFailing, receiverName } from "../../../server/control/record-views.js";
import { html, type Markup } from "../../html.js";
import { deliveryFailureText, deliveryStateOf, findNewestDeliveries, receiverSwitch } from "../attention.js";
import * as ui from "../components.js";
import { isInMode, type PageContext, ROWS_PER_PAGE, viewUrl } from "../page-context.js";
import { controlCurl } from "../shell-commands.js";
import { filteredList, type Listing } from "./filtered-list.js";
import { deliveryRow } from "./record-rows.js";

/** Receivers and deliveries. */
export function webhooksView(context: PageContext): Markup {
  const { state } = context.namespace.engine;
  const edited = context.query.get("edit")?.trim() ?? "";
  return html`<h1>Webhooks</h1>
${receiversSection(context, state.get("endpoints", edited))}
${filteredList(context, "deliveries", deliveryListing(context))}`;
}

export function deliveryListing(context: PageContext): Listing<Delivery> {
  const { state } = context.namespace.engine;
  const asked = context.query.get("type")?.trim() ?? "";
  const types = ["charge.*", "withdrawal.*", ...state.eventTypes().sort(), ...(asked === "" ? [] : [asked])];
  return {
    choices: {
      status: ["failing", "given up", "held", "pending", "off", "delivered", "dropped"],
      type: [...new Set(types)],
      receiver: state.endpoints().map((endpoint) => [endpoint.webhook_id, receiverName(endpoint)] as const),
    },
    find: ({ status, q = "", type = "", receiver }, offset) => {
      const matches = (delivery: Delivery) =>
        isInMode(context, delivery) &&
        (receiver === "" || delivery.webhook_id === receiver) &&
        (type === "" || matchesAnyGlob(type, delivery.event_type)) &&
        (status === "" || deliveryStateOf(context, delivery) === status);
      return q === ""
        ? state.pageOfKinds("deliveries", matches, offset, ROWS_PER_PAGE)
        : searchDeliveries(state, q.slice(0, 255)).filter(matches);
    },
    get: (id) => state.get("deliveries", id),
    idOf: ({ delivery_id }) => delivery_id,
    headings: ["Created", "Status", "", "Event → receiver", "About"],
    title: (total) => `Deliveries: ${total}`,
    row: (delivery, isBeside) => deliveryRow(context, delivery, !isBeside),
    none: () =>
      state.endpoints().length === 0
        ? "None: add a receiver above."
        : "None: no event yet, or none of the types that a receiver takes.",
  };
}

/** Number of deliveries from which a receiver's health is computed. */
const HEALTH_DELIVERIES = 20;

/** Receivers with their health; one can be edited at a time. */
function receiversSection(context: PageContext, selected: Endpoint | undefined): Markup {
  const { state } = context.namespace.engine;
  const endpoints = state.endpoints().filter((endpoint) => isInMode(context, endpoint));
  return ui.section({
    id: "receivers",
    title: "Receivers",
    body: html`${ui.rowList(
      "Receivers",
      endpoints.flatMap((endpoint) => [
        receiverRow(context, endpoint),
        ...(endpoint === selected && endpoint.url !== null
          ? [html`<li data-key="edit" id="edit">${editForm(context, endpoint, endpoint.url)}</li>`]
          : []),
      ]),
      "None yet: add the address your app takes webhooks at.",
    )}
${addForm(context)}`,
  });
}

function receiverFields(label: string, url: string, events: string): Markup[] {
  return [
    ui.input({ name: "url", label, value: url, hint: "http://localhost:3000/webhooks", required: true }),
    ui.input({ name: "events", label: "Events (* for all)", value: events }),
  ];
}

function addForm(context: PageContext): Markup {
  const mode = context.mode === "live" && html`<input type="hidden" name="mode" value="live">`;
  const add = ui.submitButton({ does: ["createWebhookEndpoint"], label: "Add receiver", kind: "main" });
  const isOpen = context.submitted !== undefined || context.namespace.engine.state.endpoints().length === 0;
  return html`<details${isOpen && html` open`}><summary>Add a receiver…</summary>${ui.actionForm(
    context,
    [mode, receiverFields("URL", "", "*"), add],
    "Add a receiver",
  )}</details>`;
}

function editForm(context: PageContext, { webhook_id, events }: Endpoint, url: string): Markup {
  return ui.actionForm(
    context,
    html`${receiverFields("URL", url, events.join(", "))}
${ui.submitButton({ does: ["updateWebhookEndpoint", { webhook_id }], label: "Save", kind: "main" })}<a class="button"
href="${viewUrl(context, "webhooks")}">Done</a>
${ui.copyButton("Copy as curl", controlCurl(context, "updateWebhookEndpoint", { webhook_id, url, events }))}`,
    "Edit the receiver",
  );
}

function receiverRow(context: PageContext, endpoint: Endpoint): Markup {
  const { webhook_id, url, mode, signature } = endpoint;
  const { total } = findNewestDeliveries(context, webhook_id, () => true, 0);
  const isUndropped = (delivery: Delivery) => wasSent(delivery) || delivery.status !== "dropped";
  const { items } = findNewestDeliveries(context, webhook_id, isUndropped, HEALTH_DELIVERIES);
  const [word, tone, why] = healthOf(context, endpoint, items);
  const name = receiverName(endpoint);
  const edit = `${viewUrl(context, "webhooks", undefined, { edit: webhook_id })}#edit`;
  const scheme = signature === "standard" ? "Standard Webhooks" : signature;
  const signatureText = `${typeof scheme === "string" ? scheme : "custom"} signature`;
  const eventsText = endpoint.events.join(", ").replace(/^\*$/, "all events");
  return ui.listRow(context, {
    key: webhook_id,
    status: html`${ui.badge(word, tone)} ${healthBar(items)}`,
    title: html`${ui.breakable(name)} ${ui.liveModeTag(mode)}`,
    to: `${viewUrl(context, "webhooks", undefined, { receiver: webhook_id })}#deliveries`,
    subtitle: ui.joinWithDots([
      ui.reasonMarkup(why),
      eventsText,
      signatureText,
      total === 1 ? "1 delivery" : `${total} deliveries`,
    ]),
    rowButtons: html`${receiverSwitch(endpoint)}
${url !== null && html`<a class="button" href="${edit}">Edit<span class="unseen"> ${name}</span></a>`}`,
    tone: tone === "bad" ? "bad" : "",
  });
}

type Health = readonly [word: string, tone: ui.Tone, why?: string];

function healthOf({ namespace }: PageContext, { enabled }: Endpoint, items: readonly Delivery[]): Health {
  if (!enabled) return ["off", ""];
  const failing = items.filter(isFailing);
  const holds = items.flatMap((delivery) => (wasSent(delivery) ? [] : (namespace.findHold(delivery) ?? [])));
  // Prefers a hold caused by the receiver over holds that wait for an earlier delivery.
  const hold = holds.findLast(({ reason }) => !reason.startsWith("waits for the delivery")) ?? holds.at(-1);
  if (hold !== undefined && failing.length === 0)
    return [`${holds.length} held`, "warn", `${hold.reason}, since ${hold.since.slice(11, 19)}`];
  if (failing.length === 0) return ["ok", "good"];
  const share = Math.round((failing.length / items.filter(wasSent).length) * 100);
  return [`${share} % fail`, "bad", deliveryFailureText(failing[0]!)];
}

function wasSent({ attempts }: Delivery): boolean {
  return attempts.length > 0;
}

/** Failures are taller, so colour is not the only signal. */
const BARS = { good: "▄", bad: "█", open: "·" };

/** One character per delivery, oldest first. */
function healthBar(items: readonly Delivery[]): Markup | false {
  if (items.length === 0) return false;
  const count = { good: 0, bad: 0, open: 0 };
  const states = items.map((delivery) => {
    const state = isFailing(delivery) ? "bad" : delivery.status === "delivered" ? "good" : "open";
    count[state]++;
    return state;
  });
  const bars = ui
    .groupConsecutive(states.reverse(), (state) => state)
    .map((run) => html`<span class="${run[0]}">${BARS[run[0]].repeat(run.length)}</span>`);
  const label = `The last ${ui.formatCount(
    items.length,
    "webhook",
  )}: ${count.good} delivered, ${count.bad} failing, ${count.open} open or dropped`;
  return html`<span class="bars" role="img" aria-label="${label}" title="${label}">${bars}</span>`;
}
