import { eventToSend } from "../../../core/engine/event-variants.js";
import { receiverName } from "../../../core/engine/log-responses.js";
import type { Delivery, EventRecord } from "../../../core/engine/records.js";
import { html, type Markup } from "../../html.js";
import { attemptResult } from "../attention.js";
import {
  badge,
  deliveryState,
  form,
  input,
  jsonField,
  row,
  rowList,
  section,
  select,
  toJson,
} from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";

const SIGNATURES = [
  ["right", "the right secret"],
  ["wrong", "a wrong secret"],
  ["none", "no signature"],
  ["stale", "the right secret, 10 minutes ago"],
] as const;

/** Form to resend an event with other data, signature, URL or count. */
export function resendSection(context: PageContext, delivery: Delivery, event: EventRecord): Markup {
  const endpoint = context.namespace.engine.state.get("endpoints", delivery.webhook_id);
  if (endpoint === undefined)
    return section({
      id: "edit",
      title: "Edit & resend",
      body: html`<p class="soft">The receiver was deleted; <a href="${viewUrl(context, "webhooks")}">add it</a> to send to it.</p>`,
    });
  const fieldValue = (name: string, fallback: string) => context.submitted?.get(name) ?? fallback;
  const { data } = JSON.parse(eventToSend(event, delivery.mishap).body) as { data: unknown };
  return section({
    id: "edit",
    title: "Edit & resend",
    body: form(
      context,
      html`${jsonField("data", "Data (JSON)", fieldValue("data", toJson(data)), { rows: 12, kind: "object" })}
${select("sign", "Sign with", SIGNATURES, fieldValue("sign", "right"))}
${input({ name: "url", label: "To", value: fieldValue("url", ""), hint: receiverName(endpoint) })}
${input({ name: "times", label: "Times (1 to 100)", value: fieldValue("times", "1"), type: "number", min: 1, max: 100 })}
<button name="do" value="resend ${delivery.delivery_id}" class="main">Send as a new event</button>
<p class="soft">Each is attempted once. Leave “To” empty to send to the receiver.</p>`,
      "Edit and resend",
    ),
  });
}

/** All deliveries of one event, with their outcomes. */
export function copiesSection(context: PageContext, delivery: Delivery): Markup | false {
  const { state } = context.namespace.engine;
  const all = state.deliveriesOf(delivery.event_id);
  if (all.length < 2) return false;
  return section({
    id: "all",
    title: `This event was sent ${all.length} times`,
    body: rowList(
      "Deliveries of this event",
      all.map((copy) =>
        row(context, {
          key: copy.delivery_id,
          at: copy.attempts.at(-1)?.at ?? copy.created_at,
          status: badge(deliveryState(copy)),
          title: `→ ${copy.mishap?.to_url ?? receiverName(state.get("endpoints", copy.webhook_id))}`,
          to: viewUrl(context, "webhooks", copy.delivery_id),
          sub: `${attemptResult(copy)}${copy.attempts.length === 0 ? "" : ` in ${Math.round(copy.attempts.at(-1)!.duration_ms)} ms`}${copy === delivery ? " · this one" : ""}`,
        }),
      ),
      "",
    ),
  });
}
