import { anyGlobMatches } from "../../../core/domain/glob.js";
import type { Delivery } from "../../../core/engine/records.js";
import { deliveriesWithWords } from "../../../server/control/deliveries.js";
import { html, type Markup } from "../../html.js";
import { placeOf } from "../attention.js";
import { deliveryState } from "../parts.js";
import { isShown, PAGE_ROWS, type Scene } from "../scene.js";
import { listing } from "./listing.js";
import { receiversPart } from "./receivers.js";
import { deliveryRow } from "./rows.js";

/** Receivers and deliveries. */
export function webhooksView(scene: Scene): Markup {
  const { state } = scene.namespace.engine;
  const [type, receiver] = ["type", "receiver"].map((name) => scene.query.get(name)?.trim() ?? "") as [
    string,
    string,
  ];
  const types = new Set([
    "charge.*",
    "withdrawal.*",
    ...state.eventTypes().sort(),
    ...(type === "" ? [] : [type]),
  ]);
  return html`<h1>Webhooks</h1>
${receiversPart(scene, state.get("endpoints", receiver))}
${listing<Delivery>(scene, "deliveries", {
  choices: {
    status: ["failing", "pending", "delivered", "failed", "dropped"],
    type: [...types],
    receiver: state.endpoints().map((one) => [one.webhook_id, placeOf(one)] as const),
  },
  find: ({ status, q = "" }, offset) => {
    const isMeant = (one: Delivery) =>
      isShown(scene, one) &&
      (receiver === "" || one.webhook_id === receiver) &&
      (type === "" || anyGlobMatches(type, one.event_type)) &&
      (status === "" || deliveryState(one) === status);
    return q === ""
      ? state.found("deliveries", isMeant, offset, PAGE_ROWS)
      : deliveriesWithWords(state, q.slice(0, 255)).filter(isMeant);
  },
  title: (total) => `Deliveries: ${total}`,
  hasChips: true,
  row: (one) => deliveryRow(scene, one, { at: one.created_at }),
  none: (isFiltered) =>
    isFiltered
      ? "None matches the filter."
      : state.endpoints().length === 0
        ? "None: no receiver is registered."
        : "None: no event has happened that a receiver wants.",
})}`;
}
