import { carriedEvent } from "../../../core/engine/forged-event.js";
import { receiverName } from "../../../core/engine/log-views.js";
import type { Delivery, EventRecord } from "../../../core/engine/records.js";
import { html, type Markup } from "../../html.js";
import { answerOf } from "../attention.js";
import { badge, choice, deliveryState, form, input, json, jsonField, part, row, rows } from "../parts.js";
import { href, type Scene } from "../scene.js";

const SIGNATURES = [
  ["right", "the right secret"],
  ["wrong", "a wrong secret"],
  ["none", "no signature"],
  ["stale", "the right secret, 10 minutes ago"],
] as const;

/** Form to resend an event with other data, signature, URL or count. */
export function resendPart(context: Scene, delivery: Delivery, event: EventRecord): Markup {
  const endpoint = context.namespace.engine.state.get("endpoints", delivery.webhook_id);
  if (endpoint === undefined)
    return part({
      id: "edit",
      title: "Edit & resend",
      body: html`<p class="soft">The receiver was deleted; <a href="${href(context, "webhooks")}">add it</a> to send to it.</p>`,
    });
  const fieldValue = (name: string, fallback: string) => context.typed?.get(name) ?? fallback;
  const { data } = JSON.parse(carriedEvent(event, delivery.mishap).body) as { data: unknown };
  return part({
    id: "edit",
    title: "Edit & resend",
    body: form(
      context,
      html`${jsonField("data", "Data (JSON)", fieldValue("data", json(data)), { rows: 12, kind: "object" })}
${choice("sign", "Sign with", SIGNATURES, fieldValue("sign", "right"))}
${input({ name: "url", label: "To", value: fieldValue("url", ""), hint: receiverName(endpoint) })}
${input({ name: "times", label: "Times (1 to 100)", value: fieldValue("times", "1"), type: "number", min: 1, max: 100 })}
<button name="do" value="resend ${delivery.delivery_id}" class="main">Send as a new event</button>
<p class="soft">Each is attempted once. Leave “To” empty to send to the receiver.</p>`,
      "Edit and resend",
    ),
  });
}

/** All deliveries of one event, with their outcomes. */
export function copiesPart(context: Scene, delivery: Delivery): Markup | false {
  const { state } = context.namespace.engine;
  const all = state.deliveriesOf(delivery.event_id);
  if (all.length < 2) return false;
  return part({
    id: "all",
    title: `This event was sent ${all.length} times`,
    body: rows(
      "Deliveries of this event",
      all.map((copy) =>
        row(context, {
          key: copy.delivery_id,
          at: copy.attempts.at(-1)?.at ?? copy.created_at,
          status: badge(deliveryState(copy)),
          title: `→ ${copy.mishap?.to_url ?? receiverName(state.get("endpoints", copy.webhook_id))}`,
          to: href(context, "webhooks", copy.delivery_id),
          sub: `${answerOf(copy)}${copy.attempts.length === 0 ? "" : ` in ${Math.round(copy.attempts.at(-1)!.duration_ms)} ms`}${copy === delivery ? " · this one" : ""}`,
        }),
      ),
      "",
    ),
  });
}
