import { isFailing } from "../../../core/engine/failing.js";
import type { Delivery, Endpoint } from "../../../core/engine/records.js";
import { html, type Markup } from "../../html.js";
import { failureOf, placeOf } from "../attention.js";
import { controlCurl } from "../curl.js";
import { badge, button, copy, form, input, many, modeMark, part, row, rows, type Tone } from "../parts.js";
import { href, isShown, type Scene } from "../scene.js";

/** Deliveries from which a receiver's health is computed. */
const LAST = 50;

/** Receivers with their health; one can be edited at a time. */
export function receiversPart(scene: Scene, chosen: Endpoint | undefined): Markup {
  const { state } = scene.namespace.engine;
  const shown = state.endpoints().filter((one) => isShown(scene, one));
  return part({
    id: "receivers",
    title: "Receivers",
    body: html`${rows(
      "Receivers",
      shown.map((one) => receiverRow(scene, one)),
      "None yet: add the address your app takes webhooks at.",
    )}
${chosen?.url == null ? addForm(scene) : editForm(scene, chosen)}`,
  });
}

function addForm(scene: Scene): Markup {
  const mode = scene.mode === "live" && html`<input type="hidden" name="mode" value="live">`;
  return form(
    scene,
    html`${mode}${input({ name: "url", label: "URL", hint: "http://localhost:3000/webhooks", required: true })}${input({ name: "events", label: "Events", value: "*" })}<button name="do" value="receiver" class="main">Add receiver</button>`,
    "Add a receiver",
  );
}

function editForm(scene: Scene, endpoint: Endpoint): Markup {
  const { webhook_id, url, events } = endpoint;
  const place = placeOf(endpoint);
  return html`<div id="edit">${form(
    scene,
    html`${input({ name: "url", label: `URL of ${place}`, value: url ?? "", required: true })}
${input({ name: "events", label: "Events", value: events.join(", ") })}
<button name="do" value="aim ${webhook_id}" class="main">Save</button><a class="button" href="${href(scene, "webhooks")}">Done</a>
${copy("Copy as curl", controlCurl(scene, `PATCH /_sandbox/webhook-endpoints/${webhook_id}`, { url, events }))}`,
    "Edit the receiver",
  )}</div>`;
}

interface Health {
  readonly word: string;
  readonly tone: Tone;
  readonly why: string | undefined;
}

function receiverRow(scene: Scene, endpoint: Endpoint): Markup {
  const { namespace } = scene;
  const { webhook_id, enabled, url, mode, signature } = endpoint;
  const { total, items } = namespace.engine.state.found(
    "deliveries",
    (one) => one.webhook_id === webhook_id && !one.mishap?.by_hand,
    0,
    LAST,
  );
  const { word, tone, why } = healthOf(scene, endpoint, items);
  const place = placeOf(endpoint);
  const edit = `${href(scene, "webhooks", undefined, { receiver: webhook_id })}#edit`;
  const signs = typeof signature === "string" ? signature : "own signature";
  return row(scene, {
    key: webhook_id,
    status: badge(word, tone),
    title: html`${place} ${modeMark(mode)}`,
    to: `${href(scene, "webhooks", undefined, { receiver: webhook_id })}#deliveries`,
    sub: html`${healthBar(items)} ${endpoint.events.join(", ")} · ${signs}${why !== undefined && html` · ${why}`}`,
    side: total === 1 ? "1 delivery" : `${total} deliveries`,
    acts: html`${url !== null && button({ does: `check ${webhook_id}`, label: "Check", to: place, there: `${href(scene, "checks")}#probes` })}
${url !== null && html`<a class="button" href="${edit}">Edit<span class="unseen"> ${place}</span></a>`}
${button({ does: `enable ${webhook_id} ${enabled ? "off" : "on"}`, label: enabled ? "Turn off" : "Turn on", to: place })}`,
    tone: tone === "bad" ? "bad" : "",
  });
}

function healthOf({ namespace }: Scene, { enabled }: Endpoint, items: readonly Delivery[]): Health {
  if (!enabled) return { word: "off", tone: "", why: undefined };
  const failing = items.filter(isFailing);
  const holds = items.flatMap((one) => (one.attempts.length === 0 ? (namespace.holdOf(one) ?? []) : []));
  // Prefers the delivery that waits for the receiver over those queued behind it.
  const hold = holds.findLast(({ reason }) => !reason.startsWith("waits for the delivery")) ?? holds.at(-1);
  if (hold !== undefined && failing.length === 0)
    return {
      word: `${holds.length} held`,
      tone: "warn",
      why: `${hold.reason}, since ${hold.since.slice(11, 19)}`,
    };
  if (failing.length === 0) return { word: "ok", tone: "good", why: undefined };
  const share = Math.round((failing.length / items.length) * 100);
  return { word: `${share} % fail`, tone: "bad", why: failureOf(failing[0]!) };
}

/** One character per delivery, oldest first. */
function healthBar(items: readonly Delivery[]): Markup | false {
  if (items.length === 0) return false;
  const count = { good: 0, bad: 0, open: 0 };
  const signs = items
    .map((one) => {
      const is = isFailing(one) ? "bad" : one.status === "delivered" ? "good" : "open";
      count[is]++;
      return { good: "▮", bad: "▯", open: "·" }[is];
    })
    .reverse()
    .join("");
  const words = `The last ${many(items.length, "webhook")}: ${count.good} delivered, ${count.bad} failing, ${count.open} open or dropped`;
  return html`<span class="bars" role="img" aria-label="${words}" title="${words}">${signs}</span>`;
}
