import { matchesAnyGlob } from "../../../core/domain/glob.js";
import { receiverName } from "../../../core/engine/log-responses.js";
import type { Delivery } from "../../../core/engine/records.js";
import { searchDeliveries } from "../../../server/control/deliveries.js";
import { html, type Markup } from "../../html.js";
import { deliveryState } from "../components.js";
import { isInMode, PAGE_ROWS, type PageContext } from "../page-context.js";
import { filteredList } from "./filtered-list.js";
import { receiversSection } from "./receivers.js";
import { deliveryRow } from "./record-rows.js";

/** Receivers and deliveries. */
export function webhooksView(context: PageContext): Markup {
  const { state } = context.namespace.engine;
  const [type, receiver] = ["type", "receiver"].map((name) => context.query.get(name)?.trim() ?? "") as [
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
${receiversSection(context, state.get("endpoints", receiver))}
${filteredList<Delivery>(context, "deliveries", {
  choices: {
    status: ["failing", "pending", "delivered", "failed", "dropped"],
    type: [...types],
    receiver: state.endpoints().map((endpoint) => [endpoint.webhook_id, receiverName(endpoint)] as const),
  },
  find: ({ status, q = "" }, offset) => {
    const matches = (delivery: Delivery) =>
      isInMode(context, delivery) &&
      (receiver === "" || delivery.webhook_id === receiver) &&
      (type === "" || matchesAnyGlob(type, delivery.event_type)) &&
      (status === "" || deliveryState(delivery) === status);
    return q === ""
      ? state.pageOfKinds("deliveries", matches, offset, PAGE_ROWS)
      : searchDeliveries(state, q.slice(0, 255)).filter(matches);
  },
  title: (total) => `Deliveries: ${total}`,
  hasChips: true,
  row: (delivery) => deliveryRow(context, delivery, { at: delivery.created_at }),
  none: (isFiltered) =>
    isFiltered
      ? "None matches the filter."
      : state.endpoints().length === 0
        ? "None: no receiver is registered."
        : "None: no event matches a receiver's event types.",
})}`;
}
