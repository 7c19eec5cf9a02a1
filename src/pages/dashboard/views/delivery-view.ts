import { eventToSend } from "../../../core/engine/event-mishaps.js";
import type { Attempt, Delivery } from "../../../core/engine/records.js";
import { decodeEntities } from "../../../core/reports/body-summary.js";
import { isFailing, receiverName } from "../../../core/reports/delivery-text.js";

import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { deliveryStateOf } from "../deliveries.js";
import { changeList, fieldChanges } from "../field-changes.js";
import type { PageContext } from "../page-context.js";
import { cliCommand, controlCurl, curlCommand } from "../shell-commands.js";
import { deliveryOutcome, deliveryRow, nextStepText, objectText, objectUrl } from "./record-rows.js";

/** A delivery: attempts, body, and changes since the previous event. */
export function deliveryDetailView(context: PageContext, delivery_id: string): Markup | undefined {
  const { namespace, nowMs } = context;
  const { state } = namespace.engine;
  const delivery = state.get("deliveries", delivery_id);
  if (delivery === undefined) return undefined;
  const { event_id, object_id } = delivery;
  const endpoint = state.get("endpoints", delivery.webhook_id);
  const event = state.get("events", event_id);
  const body = event === undefined ? null : eventToSend(event, delivery.mishap).body;
  const failing = isFailing(delivery);
  const copies = state.deliveriesOf(event_id);
  const [newest, ...older] = [...delivery.attempts].reverse();
  const next = delivery.next_attempt_at;
  const url = objectUrl(context, object_id);
  const about = [
    ...objectText(context, object_id, true),
    state.get("charges", object_id ?? "")?.customer_email,
  ];
  return html`${ui.backLink(context, "webhooks")}
<div class="object" data-part id="delivery"><h1>${delivery.event_type} ${ui.badge(
    deliveryStateOf(context, delivery),
  )} ${ui.liveModeTag(delivery.mode)}</h1>
<p class="big">→ ${receiverName(endpoint)}${
    url !== undefined &&
    html` · about <a
href="${url}">${ui.joinWithDots(about)}</a>`
  }</p>
<p class="why"><strong>Why:</strong> ${ui.joinWithDots([
    ...deliveryOutcome(context, delivery),
    nextStepText(delivery, endpoint),
  ])}</p>
<div class="actions">${
    failing &&
    ui.button({
      does: ["retryDelivery", { delivery_id }],
      label: "Retry",
      kind: "main",
      hint: "The next attempt of this delivery, now",
    })
  }
${
  next !== null &&
  endpoint?.enabled &&
  Date.parse(next) > nowMs &&
  ui.button({ does: ["advanceClock", { to: next }], label: "Run time to the next try" })
}
${ui.button({ does: ["redeliver", { delivery_id }], label: "Redeliver", hint: "A new delivery of the same event" })}
${ui.menu("Copy", [
  body !== null &&
    endpoint?.url != null &&
    ui.snippet(
      "curl: this very request",
      curlCommand(endpoint.url, newest?.request_headers ?? { "content-type": "application/json" }, body),
    ),
  ui.snippet("curl: redeliver", controlCurl(context, "redeliver", { delivery_id, times: 1 })),
  ui.snippet("Command line", cliCommand(context, `webhook redeliver ${delivery_id}`)),
  ui.snippet(
    "curl: the same type, with your own data",
    controlCurl(context, "createEvent", ownEvent(delivery)),
  ),
])}${ui.copyableId(delivery_id)}</div></div>
${ui.section({
  id: "attempts",
  title: `Attempts: ${delivery.attempts.length}`,
  body:
    newest === undefined
      ? html`<p class="soft">None yet.</p>`
      : html`<ol class="attempts">${attemptItem(context, newest)}</ol>${
          older.length > 0 &&
          html`<details><summary>${ui.formatCount(older.length, "earlier attempt")}</summary><ol
class="attempts">${older.map((attempt) => attemptItem(context, attempt))}</ol></details>`
        }`,
})}
${diffSection(context, delivery, body)}
${
  body !== null &&
  ui.section({
    id: "body",
    title: "Body",
    body: html`<pre tabindex="0"
aria-label="Body">${ui.formatJson(body)}</pre>`,
  })
}
${
  copies.length > 1 &&
  ui.section({
    id: "all",
    title: `Deliveries of this event: ${copies.length}`,
    body: ui.rowList(
      "Deliveries of this event",
      copies.map((copy) => deliveryRow(context, copy, false)),
      "",
    ),
  })
}`;
}

/** Input of an event of the same type about the same object. */
function ownEvent({ event_type: type, object_id }: Delivery) {
  return { type, ...(object_id?.startsWith("ch_") ? { charge_id: object_id } : {}), data: {} };
}

function attemptItem(context: PageContext, attempt: Attempt): Markup {
  const sent = attempt.response_body ?? attempt.error ?? "";
  const response = /^\s*</.test(sent) ? decodeEntities(sent) : ui.formatJson(sent);
  const status = ui.badge(String(attempt.status ?? "no response"), ui.httpTone(attempt.status));
  const times = html`${ui.timeTag(context, attempt.at)} · ${Math.round(
    attempt.duration_ms,
  )} ms · sent ${attempt.sent_at.slice(11, 19)} wall time`;
  return html`<li id="attempt-${attempt.attempt}"
data-key="attempt-${attempt.attempt}"><p>${status} attempt ${attempt.attempt} · ${times}</p>
${response !== "" && html`<pre tabindex="0" aria-label="Response of attempt ${attempt.attempt}">${response}</pre>`}
<details><summary>Request headers, with the signature</summary>${ui.factList(
    Object.entries(attempt.request_headers).map(([name, value]): [string, Markup] => [
      name,
      html`<code>${value}</code>`,
    ]),
  )}</details></li>`;
}

/** Changes since the object's previous event; nothing for its first event. */
function diffSection(context: PageContext, delivery: Delivery, body: string | null): Markup | false {
  const { state } = context.namespace.engine;
  const events = delivery.object_id === null ? [] : state.eventsOf(delivery.object_id);
  const previous = events[events.findIndex(({ event_id }) => event_id === delivery.event_id) + 1];
  if (body === null || previous === undefined) return false;
  const changes = fieldChanges(JSON.parse(previous.body), JSON.parse(body), /^(id|timestamp)$|\bupdated_at$/);
  return ui.section({
    id: "diff",
    title: `Changes since ${previous.type}`,
    body: html`<p class="soft">The event before, at ${ui.timeTag(context, previous.at)}.</p>${changeList(changes)}`,
  });
}
