import { matchesAnyGlob } from "../../core/domain/glob.js";
import { retryDelivery } from "../../core/engine/commands/delivery-commands.js";
import { redeliver, triggerEvent } from "../../core/engine/commands/event-commands.js";
import type { Delivery, EventRecord } from "../../core/engine/records.js";
import type { State } from "../../core/engine/state.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { isFailing } from "../../core/reports/delivery-text.js";
import {
  deliveryQuerySchema,
  eventQuerySchema,
  redeliverRequestSchema,
  retryRequestSchema,
  triggerRequestSchema,
} from "../../core/schema/control-log-requests.js";
import type { DeliveryState } from "../../core/schema/control-log-responses.js";
import { refuse } from "../../core/schema/refusals.js";
import { viewOrRefusal } from "../http/reply.js";
import { defineControlOperation, kindsReply, pageReply } from "./control-operation.js";
import { deliveryState, deliveryView, eventView } from "./record-views.js";

export const EVENT_OPERATIONS = [
  defineControlOperation({
    id: "listEvents",
    call: "GET /_sandbox/events",
    summary: "List events",
    description: "The log of events, newest first.",
    input: eventQuerySchema,
    runsDueTasks: true,
    output: "EventList",
    run: ({ namespace, input }) => {
      const { type, charge_id, mode } = input;
      const { state } = namespace.engine;
      const isListed = (event: EventRecord) =>
        (type === undefined || matchesAnyGlob(type, event.type)) &&
        (mode === undefined || event.mode === mode);
      if (charge_id !== undefined)
        return pageReply(state.eventsOf(charge_id).filter(isListed), input, eventView);
      return kindsReply(state, "events", isListed, input, eventView);
    },
  }),
  defineControlOperation({
    id: "createEvent",
    call: "POST /_sandbox/events",
    summary: "Trigger an event",
    description:
      "An event that no status change caused: about an existing charge, or a sample that has the shape of one.",
    input: triggerRequestSchema,
    output: "TriggeredEvent",
    example: { type: "webhook.test", data: { hello: "app" } },
    run: ({ namespace, input, mode: keyMode }) => {
      const { type, charge_id, data, force, mode } = input;
      const trigger = triggerEvent({ type, mode: mode ?? keyMode, chargeId: charge_id, data, force });
      return viewOrRefusal(namespace.execute(trigger), (event) => ({
        ...eventView(event),
        deliveries: namespace.engine.state.deliveriesOf(event.event_id).length,
      }));
    },
  }),
];

export const DELIVERY_OPERATIONS = [
  defineControlOperation({
    id: "listDeliveries",
    call: "GET /_sandbox/deliveries",
    summary: "List deliveries",
    description: "The log of deliveries, newest first, with every attempt and its response.",
    input: deliveryQuerySchema,
    runsDueTasks: true,
    output: "DeliveryList",
    run: ({ namespace, input }) => {
      const { type, charge_id, event_id, webhook_id, status, failing, state: stands, mode, q } = input;
      const { state } = namespace.engine;
      const isOfKind = (delivery: Delivery) =>
        (type === undefined || matchesAnyGlob(type, delivery.event_type)) &&
        (status === undefined || delivery.status === status) &&
        (webhook_id === undefined || delivery.webhook_id === webhook_id) &&
        (failing === undefined || isFailing(delivery)) &&
        (stands === undefined || mayStand(state, delivery, stands)) &&
        (mode === undefined || delivery.mode === mode);
      const view = createDeliveryMapper(namespace);
      const isWaiting = stands === "held" || stands === "failing" || stands === "queued";
      const isListed = (delivery: Delivery) =>
        isOfKind(delivery) && (!isWaiting || (namespace.findHold(delivery) !== null) === (stands === "held"));
      if ((event_id ?? charge_id ?? q) === undefined && !isWaiting)
        return kindsReply(state, "deliveries", isOfKind, input, view);
      const candidates =
        charge_id !== undefined
          ? deliveriesOfObject(state, charge_id)
          : event_id !== undefined
            ? state.deliveriesOf(event_id)
            : q !== undefined
              ? searchDeliveries(state, q)
              : state.allOfKinds("deliveries", isOfKind);
      const withWords = q === undefined ? undefined : new Set(searchDeliveries(state, q));
      return pageReply(
        candidates.filter(
          (delivery) =>
            isListed(delivery) &&
            (event_id === undefined || delivery.event_id === event_id) &&
            (withWords === undefined || withWords.has(delivery)),
        ),
        input,
        view,
      );
    },
  }),
  defineControlOperation({
    id: "getDelivery",
    call: "GET /_sandbox/deliveries/{delivery_id}",
    summary: "Get a delivery",
    description: "One delivery: its exact bytes, headers, responses and next attempt.",
    runsDueTasks: true,
    output: "Delivery",
    run: ({ namespace, param }) =>
      viewOrRefusal(
        namespace.engine.state.get("deliveries", param("delivery_id")) ??
          refuse("NOT_FOUND", "Delivery not found"),
        createDeliveryMapper(namespace),
      ),
  }),
  defineControlOperation({
    id: "redeliver",
    call: "POST /_sandbox/deliveries/{delivery_id}/redeliver",
    summary: "Redeliver a webhook",
    description: "New deliveries of the same event to the same receiver, freshly signed.",
    input: redeliverRequestSchema,
    output: "DeliveryList",
    example: { times: 2 },
    run: ({ namespace, input, param }) =>
      viewOrRefusal(namespace.execute(redeliver(param("delivery_id"), input.times ?? 1)), (deliveries) =>
        pageReply(deliveries, { limit: String(deliveries.length) }, createDeliveryMapper(namespace)),
      ),
  }),
  defineControlOperation({
    id: "retryDelivery",
    call: "POST /_sandbox/deliveries/{delivery_id}/retry",
    summary: "Retry a delivery now",
    description:
      "Makes the next attempt of the same delivery now instead of when it is due; it counts like any other attempt.",
    input: retryRequestSchema,
    output: "Delivery",
    errors: ["INVALID_TRANSITION"],
    run: ({ namespace, param }) =>
      viewOrRefusal(namespace.execute(retryDelivery(param("delivery_id"))), createDeliveryMapper(namespace)),
  }),
];

/** Returns true if a delivery is, or may be, in that state: its kind does not tell a held one from one that waits. */
function mayStand(state: State, delivery: Delivery, wanted: DeliveryState | "not_accepted"): boolean {
  const isOn = state.get("endpoints", delivery.webhook_id)?.enabled !== false;
  if (wanted === "not_accepted") return isFailing(delivery) && isOn;
  if (wanted === "held") return delivery.status === "pending" && isOn;
  return deliveryState(state, delivery, null) === wanted;
}

/** Deliveries of an object's events, newest first. */
export function deliveriesOfObject(state: State, objectId: string): Delivery[] {
  return deliveriesOfEvents(state, state.eventsOf(objectId));
}

/** Deliveries of events, newest first. */
export function deliveriesOfEvents(state: State, events: readonly EventRecord[]): Delivery[] {
  return events.flatMap(({ event_id }) => state.deliveriesOf(event_id)).sort((a, b) => b.seq - a.seq);
}

/** Maximum number of charges, newest first, whose deliveries a search covers. */
const SEARCHED_CHARGES_MAX = 500;

/** Finds deliveries, newest first. `words` is the id of a delivery, event or object, or a text search for charges. */
function searchDeliveries(state: State, words: string): Delivery[] {
  const byId = state.get("deliveries", words.trim());
  const objects = state.chargesWithWords(words).slice(0, SEARCHED_CHARGES_MAX);
  const ids = new Set([...objects.map(({ charge_id }) => charge_id), words.trim()]);
  const found = [...ids].flatMap((id) => deliveriesOfObject(state, id));
  found.push(...state.deliveriesOf(words.trim()), ...(byId === undefined ? [] : [byId]));
  return [...new Set(found)].sort((a, b) => b.seq - a.seq);
}

export function createDeliveryMapper(namespace: Namespace) {
  return (delivery: Delivery) => deliveryView(namespace.engine.state, delivery, namespace.findHold(delivery));
}
