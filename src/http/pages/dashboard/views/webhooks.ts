import type { Delivery, Endpoint } from "../../../../engine/records.js";
import { html, type Markup } from "../../html.js";
import { isFailing, placeOf } from "../attention.js";
import { command, controlCurl } from "../curl.js";
import {
  badge,
  button,
  choice,
  copy,
  filters,
  form,
  input,
  modeMark,
  pager,
  part,
  row,
  rows,
} from "../parts.js";
import { href, isShown, offsetOf, PAGE_ROWS, type Scene } from "../scene.js";
import { deliveryRow } from "./activity.js";

const LAST = 20;

/** Who hears of events and how they take them, and every delivery. */
export function webhooksView(scene: Scene): Markup {
  const { state } = scene.namespace.engine;
  const { query } = scene;
  const [status, receiver, type] = ["status", "receiver", "type"].map((name) => query.get(name) ?? "") as [
    string,
    string,
    string,
  ];
  const isMeant = (one: Delivery) =>
    isShown(scene, one) &&
    (receiver === "" || one.webhook_id === receiver) &&
    (type === "" || one.event_type === type) &&
    (status === "" || (status === "failing" ? isFailing(one) : one.status === status));
  const { total, items } = state.found("deliveries", isMeant, offsetOf(scene), PAGE_ROWS);
  const endpoints = state.endpoints();
  const asked = new URLSearchParams({
    ...(status === "" ? {} : status === "failing" ? { failing: "1" } : { status }),
    ...(receiver === "" ? {} : { webhook_id: receiver }),
    ...(type === "" ? {} : { type }),
  }).toString();
  return html`<h1>Webhooks</h1>
${part({
  id: "receivers",
  title: "Receivers",
  body: html`${rows(
    "Receivers",
    endpoints.filter((one) => isShown(scene, one)).map((one) => receiverRow(scene, one)),
    "None yet: add the address your app takes webhooks at.",
  )}
${form(scene, html`${input({ name: "url", label: "URL", hint: "http://localhost:3000/webhooks", required: true })}${input({ name: "events", label: "Events", value: "*" })}<button name="do" value="receiver" class="main">Add receiver</button>`, "Add a receiver")}
${
  receiver !== "" &&
  state.get("endpoints", receiver) !== undefined &&
  form(
    scene,
    html`${input({ name: "url", label: `New URL for ${placeOf(state.get("endpoints", receiver))}`, value: state.get("endpoints", receiver)?.url ?? "", required: true })}<button name="do" value="aim ${receiver}">Change the URL</button>`,
    "Change the URL",
  )
}`,
})}
${filters(
  scene,
  html`${choice(
    "status",
    "Status",
    ["", "failing", "pending", "delivered", "failed", "dropped"].map((one): [string, string] => [
      one,
      one === "" ? "any" : one,
    ]),
    status,
  )}
${choice(
  "type",
  "Event",
  ["", ...state.eventTypes().sort()].map((one): [string, string] => [one, one === "" ? "any" : one]),
  type,
)}
${choice("receiver", "Receiver", [["", "any"], ...endpoints.map((one): [string, string] => [one.webhook_id, placeOf(one)])], receiver)}`,
)}
${part({
  id: "deliveries",
  title: `Deliveries: ${total}`,
  tools: copy(
    "Copy as curl",
    controlCurl(scene, `GET /_sandbox/deliveries${asked === "" ? "" : `?${asked}`}`),
    "c",
  ),
  body: html`${rows(
    "Deliveries",
    items.map((one) => deliveryRow(scene, one)),
    endpoints.length === 0
      ? "None: no receiver is registered."
      : "None: no event has happened that a receiver wants.",
  )}${pager(scene, total)}`,
})}`;
}

function receiverRow(scene: Scene, endpoint: Endpoint): Markup {
  const { state } = scene.namespace.engine;
  const { webhook_id, enabled, url, mode } = endpoint;
  const { total, items } = state.found("deliveries", (one) => one.webhook_id === webhook_id, 0, LAST);
  const failing = items.filter(isFailing).length;
  const held = items.filter((one) => scene.namespace.holdOf(one) !== null).length;
  const bars = items
    .map((one) => (isFailing(one) ? "✗" : one.status === "delivered" ? "✓" : "·"))
    .reverse()
    .join("");
  const word = !enabled
    ? "off"
    : failing > 0
      ? `${Math.round((failing / items.length) * 100)} % fail`
      : held > 0
        ? `${held} held`
        : "ok";
  return row(scene, {
    key: webhook_id,
    status: badge(word, !enabled ? "" : failing > 0 ? "bad" : held > 0 ? "warn" : "good"),
    title: html`${placeOf(endpoint)} ${modeMark(mode)}`,
    to: `${href(scene, "webhooks", undefined, { receiver: webhook_id })}#deliveries`,
    sub: html`${endpoint.events.join(", ")} · ${typeof endpoint.signature === "string" ? endpoint.signature : "own signature"} · <span class="bars" title="the last ${items.length}, oldest first">${bars}</span>`,
    side: total === 1 ? "1 delivery" : `${total} deliveries`,
    acts: html`${url !== null && copy("Copy check", command(scene, `check-webhook ${url}`))}${button({ does: `enable ${webhook_id} ${enabled ? "off" : "on"}`, label: enabled ? "Turn off" : "Turn on", to: placeOf(endpoint) })}`,
    tone: enabled && failing > 0 ? "bad" : "",
  });
}
