import { matchesAnyGlob } from "../../../core/domain/glob.js";
import type { Delivery, Endpoint } from "../../../core/engine/records.js";
import { receiverName } from "../../../core/reports/delivery-text.js";
import type { ReceiverHealth } from "../../../core/schema/control-log-responses.js";
import { searchDeliveries } from "../../../server/control/deliveries.js";
import { receiverHealth } from "../../../server/control/receivers.js";
import { groupDigits } from "../../format.js";

import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { deliveryStateOf, isOpenFailure } from "../deliveries.js";
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

/** Failing or given up. */
const NOT_ACCEPTED = "not accepted";

export function deliveryListing(context: PageContext): Listing<Delivery> {
  const { state } = context.namespace.engine;
  const asked = context.query.get("type")?.trim() ?? "";
  const types = ["charge.*", "withdrawal.*", ...state.eventTypes().sort(), ...(asked === "" ? [] : [asked])];
  return {
    choices: {
      status: [NOT_ACCEPTED, "failing", "given up", "held", "queued", "off", "delivered", "dropped"],
      type: [...new Set(types)],
      receiver: state.endpoints().map((endpoint) => [endpoint.webhook_id, receiverName(endpoint)] as const),
    },
    find: ({ status, q = "", type = "", receiver }, offset) => {
      const matches = (delivery: Delivery) =>
        isInMode(context, delivery) &&
        (receiver === "" || delivery.webhook_id === receiver) &&
        (type === "" || matchesAnyGlob(type, delivery.event_type)) &&
        (status === "" ||
          (status === NOT_ACCEPTED
            ? isOpenFailure(context, delivery)
            : deliveryStateOf(context, delivery) === status));
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
  const { namespace } = context;
  const isOwn = (delivery: Delivery) => delivery.webhook_id === webhook_id;
  const { total } = namespace.engine.state.pageOfKinds("deliveries", isOwn, 0, 0);
  const health = receiverHealth(namespace, endpoint);
  const [word, tone] = HEALTH_WORDS[health.state];
  const count = health.state === "failing" ? `${groupDigits(String(health.open_failures))} ` : "";
  const name = receiverName(endpoint);
  const edit = `${viewUrl(context, "webhooks", undefined, { edit: webhook_id })}#edit`;
  const scheme = signature === "standard" ? "Standard Webhooks" : signature;
  const signatureText = `${typeof scheme === "string" ? scheme : "custom"} signature`;
  const eventsText = endpoint.events.join(", ").replace(/^\*$/, "all events");
  return ui.listRow(context, {
    key: webhook_id,
    status: ui.badge(`${count}${word}`, tone),
    title: html`${ui.breakable(name)} ${ui.liveModeTag(mode)}`,
    to: `${viewUrl(context, "webhooks", undefined, { receiver: webhook_id })}#deliveries`,
    subtitle: ui.joinWithDots([
      tone === "bad" && ui.reasonMarkup(health.last_error),
      ...healthTexts(health),
      eventsText,
      signatureText,
      total === 1 ? "1 delivery" : `${total} deliveries`,
    ]),
    rowButtons: html`${receiverSwitch(endpoint)}
${url !== null && html`<a class="button" href="${edit}">Edit<span class="unseen"> ${name}</span></a>`}`,
    tone: tone === "bad" ? "bad" : "",
  });
}

const HEALTH_WORDS: Readonly<Record<ReceiverHealth["state"], readonly [word: string, tone: ui.Tone]>> = {
  ok: ["ok", "good"],
  failing: ["failing", "bad"],
  held: ["held", "warn"],
  off: ["off", ""],
};

/** What makes receivers comparable: the share of the last 50 deliveries that it accepted, and its times. */
function healthTexts({ delivered_share, p50_ms, p95_ms }: ReceiverHealth): string[] {
  if (delivered_share === null) return ["nothing sent yet"];
  const times = p50_ms === null ? [] : [`p50 ${Math.round(p50_ms)} ms, p95 ${Math.round(p95_ms!)} ms`];
  return [`${Math.floor(delivered_share * 100)} % of the last 50 accepted`, ...times];
}

/** Button that turns a receiver off or on. */
function receiverSwitch(endpoint: Endpoint): Markup {
  const { webhook_id, enabled } = endpoint;
  const to = receiverName(endpoint);
  return ui.button({
    does: ["updateWebhookEndpoint", { webhook_id, enabled: String(!enabled) }],
    label: enabled ? "Turn off" : "Turn on",
    to,
  });
}
