import { isFailing } from "../../../core/engine/failing.js";
import { carriedEvent } from "../../../core/engine/forged-event.js";
import type { Attempt, Delivery } from "../../../core/engine/records.js";
import { html, type Markup } from "../../html.js";
import { failureOf, placeOf } from "../attention.js";
import { command, controlCurl } from "../curl.js";
import {
  badge,
  button,
  deliveryState,
  facts,
  modeMark,
  part,
  pretty,
  quoted,
  snippet,
  span,
  toneOfHttp,
  when,
} from "../parts.js";
import { href, type Scene } from "../scene.js";
import { differenceOf } from "./payloads.js";
import { copiesPart, resendPart } from "./resend.js";

/** A delivery: attempts, body, changes since the previous event, and a form to resend it. */
export function deliveryView(scene: Scene, delivery: Delivery): Markup {
  const { namespace, nowMs } = scene;
  const { state } = namespace.engine;
  const { delivery_id, event_id, object_id } = delivery;
  const endpoint = state.get("endpoints", delivery.webhook_id);
  const event = state.get("events", event_id);
  const body = event === undefined ? null : carriedEvent(event, delivery.mishap).body;
  const failing = isFailing(delivery);
  const isPending = delivery.status === "pending";
  const next = delivery.next_attempt_at;
  const about = object_id?.startsWith("ch_") ? href(scene, "charges", object_id) : undefined;
  return html`<p class="back"><a href="${href(scene, "webhooks")}">← Webhooks</a>${about !== undefined && html` · <a href="${about}">${object_id}</a>`}</p>
<div class="object" data-part id="delivery"><h1>${delivery.event_type} ${badge(deliveryState(delivery))} ${modeMark(delivery.mode)}</h1>
<p class="big">→ ${delivery.mishap?.to_url ?? placeOf(endpoint)}</p>
<p class="why"><strong>Why:</strong> ${whyWords(scene, delivery)}</p>
<div class="actions">${isPending && failing && button({ does: `retry ${delivery_id}`, label: "Retry now", kind: "main", key: "r" })}
${next !== null && Date.parse(next) > nowMs && button({ does: `to ${next}`, label: "Run time to the next try" })}
${button({ does: `redeliver ${delivery_id}`, label: "Redeliver", ...(isPending && failing ? {} : { key: "r" }) })}
<a class="button" href="#edit">Edit &amp; resend</a></div></div>
${part({
  id: "attempts",
  title: `Attempts: ${delivery.attempts.length}`,
  body:
    delivery.attempts.length === 0
      ? html`<p class="soft">None yet.</p>`
      : html`<ol class="attempts">${[...delivery.attempts].reverse().map((one) => attempt(scene, one))}</ol>`,
})}
${copiesPart(scene, delivery)}
${body !== null && part({ id: "body", title: "Body", body: html`<pre tabindex="0" aria-label="Body">${pretty(body)}</pre>` })}
${part({ id: "diff", title: "What changed since the event before", body: difference(scene, delivery, body) })}
${event !== undefined && resendPart(scene, delivery, event)}
${part({
  id: "copies",
  title: "Copy",
  body: html`${body !== null && endpoint?.url != null && snippet("curl: this very request", bodyCurl(endpoint.url, delivery.attempts.at(-1), body), "c")}
${snippet("curl: redeliver", controlCurl(scene, `POST /_sandbox/deliveries/${delivery_id}/redeliver`, { times: 1 }))}
${snippet("Command line", command(scene, `webhook redeliver ${delivery_id}`))}
${facts([
  ["Delivery", html`<code>${delivery_id}</code>`],
  ["Event", html`<code>${event_id}</code>`],
  ["Created", when(scene, delivery.created_at)],
])}`,
})}`;
}

/** Cause of the delivery's state, as a sentence. */
function whyWords({ namespace, nowMs }: Scene, delivery: Delivery): Markup {
  const { status, mishap, attempts, next_attempt_at: next } = delivery;
  const hold = namespace.holdOf(delivery);
  const isRefused = isFailing(delivery) || isTriedByHand(delivery);
  const dropped = `it was not sent${mishap === null ? ": the receiver is deleted or disabled" : `, by scenario ${mishap.scenario}`}`;
  const words =
    hold?.reason ??
    (isRefused
      ? failureOf(delivery)
      : status === "dropped"
        ? dropped
        : status === "delivered"
          ? `the receiver took it at attempt ${attempts.length}`
          : "it is on its way");
  return html`${words}${next !== null && html` · next try in ${span(Date.parse(next) - nowMs)}`}${byHandWords(delivery)}`;
}

/** A manual resend that failed. Not counted as failing, since the failure may be intended. */
function isTriedByHand({ mishap, status }: Delivery): boolean {
  return mishap?.by_hand === true && status === "failed";
}

/** How a manual resend was signed. */
function byHandWords({ mishap }: Delivery): string | false {
  if (!mishap?.by_hand) return false;
  const signed = mishap.unsigned
    ? "without a signature"
    : mishap.bad_signature
      ? "signed with a wrong secret"
      : mishap.stale_ms > 0
        ? "signed 10 minutes ago"
        : "signed with the right secret";
  return ` · written by hand, ${signed}, tried once`;
}

function attempt(scene: Scene, one: Attempt): Markup {
  const said = one.response_body ?? one.error ?? "";
  const status = badge(one.status === null ? "no response" : String(one.status), toneOfHttp(one.status));
  const times = html`${when(scene, one.at)} · ${Math.round(one.duration_ms)} ms · sent ${one.sent_at.slice(11, 19)} wall time`;
  return html`<li id="attempt-${one.attempt}" data-key="attempt-${one.attempt}"><p>${status} attempt ${one.attempt} · ${times}</p>
${said !== "" && html`<pre tabindex="0" aria-label="Response of attempt ${one.attempt}">${pretty(said)}</pre>`}
<details><summary>Request headers, with the signature</summary>${facts(Object.entries(one.request_headers).map(([name, value]): [string, Markup] => [name, html`<code>${value}</code>`]))}</details></li>`;
}

function difference(scene: Scene, delivery: Delivery, body: string | null): Markup {
  const { state } = scene.namespace.engine;
  const others = delivery.object_id === null ? [] : state.eventsOf(delivery.object_id);
  const place = others.findIndex(({ event_id }) => event_id === delivery.event_id);
  const asked = scene.query.get("with");
  const other = others.find(({ event_id }) => event_id === asked) ?? others[place + 1];
  if (body === null || other === undefined)
    return html`<p class="soft">It is the first event about its object.</p>`;
  return html`<p class="soft">Compared with ${other.type}, ${when(scene, other.at)}. ${others
    .filter((one) => one.event_id !== delivery.event_id && one !== other)
    .slice(0, 6)
    .map(
      (one) =>
        html`<a href="${href(scene, "webhooks", delivery.delivery_id, { with: one.event_id })}#diff">${one.type}</a> `,
    )}</p>
${differenceOf(other.body, body)}`;
}

function bodyCurl(url: string, attempt: Attempt | undefined, body: string): string {
  const headers = Object.entries(attempt?.request_headers ?? { "content-type": "application/json" });
  return [
    "curl",
    quoted(url),
    ...headers.flatMap(([name, value]) => ["-H", quoted(`${name}: ${value}`)]),
    "-d",
    quoted(body),
  ].join(" ");
}
