import { carriedEvent } from "../../../core/engine/forged-event.js";
import type { Delivery, EventRecord } from "../../../core/engine/records.js";
import { html, type Markup } from "../../html.js";
import { answerOf, placeOf } from "../attention.js";
import { badge, choice, deliveryState, form, input, json, jsonField, part, row, rows } from "../parts.js";
import { href, type Scene } from "../scene.js";

const SIGNED = [
  ["right", "the right secret"],
  ["wrong", "a wrong secret"],
  ["none", "no signature"],
  ["stale", "the right secret, 10 minutes ago"],
] as const;

/** Form to resend an event with other data, signature, URL or count. */
export function resendPart(scene: Scene, delivery: Delivery, event: EventRecord): Markup {
  const endpoint = scene.namespace.engine.state.get("endpoints", delivery.webhook_id);
  if (endpoint === undefined)
    return part({
      id: "edit",
      title: "Edit & resend",
      body: html`<p class="soft">The receiver is gone; <a href="${href(scene, "webhooks")}">add it</a> to send to it.</p>`,
    });
  const typed = (name: string, otherwise: string) => scene.typed?.get(name) ?? otherwise;
  const { data } = JSON.parse(carriedEvent(event, delivery.mishap).body) as { data: unknown };
  return part({
    id: "edit",
    title: "Edit & resend",
    body: form(
      scene,
      html`${jsonField("data", "Data (JSON)", typed("data", json(data)), { rows: 12, kind: "object" })}
${choice("sign", "Sign with", SIGNED, typed("sign", "right"))}
${input({ name: "url", label: "To", value: typed("url", ""), hint: placeOf(endpoint) })}
${input({ name: "times", label: "Times (1 to 100)", value: typed("times", "1"), type: "number", min: 1, max: 100 })}
<button name="do" value="resend ${delivery.delivery_id}" class="main">Send as a new event</button>
<p class="soft">Each is tried once. An empty “To” is the receiver.</p>`,
      "Edit and resend",
    ),
  });
}

/** All deliveries of one event, with their outcomes. */
export function copiesPart(scene: Scene, delivery: Delivery): Markup | false {
  const { state } = scene.namespace.engine;
  const all = state.deliveriesOf(delivery.event_id);
  if (all.length < 2) return false;
  return part({
    id: "all",
    title: `This event was sent ${all.length} times`,
    body: rows(
      "Deliveries of this event",
      all.map((one) =>
        row(scene, {
          key: one.delivery_id,
          at: one.attempts.at(-1)?.at ?? one.created_at,
          status: badge(deliveryState(one)),
          title: `→ ${one.mishap?.to_url ?? placeOf(state.get("endpoints", one.webhook_id))}`,
          to: href(scene, "webhooks", one.delivery_id),
          sub: `${answerOf(one)}${one.attempts.length === 0 ? "" : ` in ${Math.round(one.attempts.at(-1)!.duration_ms)} ms`}${one === delivery ? " · this one" : ""}`,
        }),
      ),
      "",
    ),
  });
}
