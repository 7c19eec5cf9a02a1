import { anyGlobMatches } from "../../domain/glob.js";
import { retryDelivery } from "../../engine/commands/deliveries.js";
import { redeliver } from "../../engine/commands/events.js";
import { deliveryView } from "../../engine/log-views.js";
import type { Delivery } from "../../engine/records.js";
import type { Namespace } from "../../namespace/namespace.js";
import {
  deliveryQuerySchema,
  emptyRequestSchema,
  redeliverRequestSchema,
} from "../../schema/control-webhooks.js";
import { refuse } from "../../schema/errors.js";
import { pageOf } from "../query.js";
import { controlOperation, listed, shown } from "./operation.js";

export const DELIVERIES = [
  controlOperation(
    {
      id: "listDeliveries",
      method: "GET",
      path: "/_sandbox/deliveries",
      query: deliveryQuerySchema,
      reads: true,
      answer: "DeliveryList",
      says: {
        summary: "List deliveries",
        about: "The log of deliveries, newest first, with every attempt and its answer.",
      },
    },
    ({ namespace, query }) => {
      const { limit: _limit, offset: _offset, ...filter } = query;
      const { type, charge_id, event_id, status, failing, mode } = filter;
      const { state } = namespace.engine;
      const total = state.count("deliveries");
      if (Object.keys(filter).length === 0) {
        // A page of all of them costs no more than the page.
        const { limit, offset } = pageOf(query);
        return { total, items: state.page("deliveries", "deliveries", offset, limit).map(viewIn(namespace)) };
      }
      const among =
        event_id === undefined
          ? state.page("deliveries", "deliveries", 0, total)
          : state.deliveriesOf(event_id);
      const found = among.filter(
        (delivery) =>
          (type === undefined || anyGlobMatches(type, delivery.event_type)) &&
          (charge_id === undefined || delivery.object_id === charge_id) &&
          (status === undefined || delivery.status === status) &&
          (failing === undefined || isFailing(delivery)) &&
          (mode === undefined || delivery.mode === mode),
      );
      return listed(found, query, viewIn(namespace));
    },
  ),
  controlOperation(
    {
      id: "getDelivery",
      method: "GET",
      path: "/_sandbox/deliveries/:delivery_id",
      reads: true,
      answer: "Delivery",
      says: {
        summary: "Read a delivery",
        about: "One delivery: exact bytes, headers, answers, next attempt.",
      },
    },
    ({ namespace, param }) =>
      shown(
        namespace.engine.state.get("deliveries", param("delivery_id")) ??
          refuse("NOT_FOUND", "Delivery not found"),
        viewIn(namespace),
      ),
  ),
  controlOperation(
    {
      id: "redeliver",
      method: "POST",
      path: "/_sandbox/deliveries/:delivery_id/redeliver",
      body: redeliverRequestSchema,
      answer: "DeliveryList",
      says: {
        summary: "Deliver again",
        about: "New deliveries of the same event to the same receiver, freshly signed.",
      },
    },
    ({ namespace, body, param }) =>
      shown(namespace.execute(redeliver(param("delivery_id"), body.times ?? 1)), (made) => ({
        total: made.length,
        items: made.map(viewIn(namespace)),
      })),
  ),
  controlOperation(
    {
      id: "retryDelivery",
      method: "POST",
      path: "/_sandbox/deliveries/:delivery_id/retry",
      body: emptyRequestSchema,
      answer: "Delivery",
      says: {
        summary: "Try a delivery again now",
        about:
          "Makes the next attempt at the same delivery now rather than when it is planned; it counts like any other.",
        refuses: ["INVALID_TRANSITION"],
      },
    },
    ({ namespace, param }) =>
      shown(namespace.execute(retryDelivery(param("delivery_id"))), viewIn(namespace)),
  ),
];

/** It was tried, and nobody has taken it. */
function isFailing({ status, attempts }: Delivery): boolean {
  return attempts.length > 0 && (status === "failed" || status === "pending");
}

export function viewIn({ engine }: Namespace): (delivery: Delivery) => object {
  return (delivery) => deliveryView(engine.state, delivery);
}
