import type * as z from "zod/mini";
import type { DeliveryHold } from "../../core/delivery/dispatcher.js";
import { eventToSend } from "../../core/engine/event-mishaps.js";
import type {
  Delivery,
  Endpoint,
  EventRecord,
  Mishap,
  StoredFault,
  StoredScenario,
} from "../../core/engine/records.js";
import type { State } from "../../core/engine/state.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { DeliveryState, eventPayloadSchema } from "../../core/schema/control-log-responses.js";
import { iso } from "../../core/schema/time.js";
import { receiverHealth } from "./receivers.js";

/* Events, deliveries, endpoints, faults and scenarios as the control API shows them. */

function objectIds(objectId: string | null): Record<string, string> {
  if (objectId === null) return {};
  return objectId.startsWith("wd_") ? { withdrawal_id: objectId } : { charge_id: objectId };
}

export function eventView(event: EventRecord) {
  const payload = JSON.parse(event.body) as z.infer<typeof eventPayloadSchema>;
  return {
    event_id: event.event_id,
    type: event.type,
    at: event.at,
    mode: event.mode,
    organization_id: event.organization_id,
    ...objectIds(event.object_id),
    data: payload.data,
    payload,
  };
}

export function deliveryState(
  state: State,
  { status, attempts, webhook_id }: Delivery,
  hold: DeliveryHold | null,
): DeliveryState {
  if (status === "failed") return "given_up";
  if (status !== "pending") return status;
  if (state.get("endpoints", webhook_id)?.enabled === false) return "off";
  if (hold !== null) return "held";
  return attempts.length > 0 ? "failing" : "queued";
}

/** Adds what the delivery carries. */
export function deliveryView(state: State, delivery: Delivery, hold: DeliveryHold | null) {
  const event = state.get("events", delivery.event_id);
  const carried = event && eventToSend(event, delivery.mishap);
  return {
    ...deliveryRow(state, delivery, hold),
    /** Exact bytes that every attempt sends. */
    body: carried?.body ?? null,
    data:
      carried === undefined ? null : (JSON.parse(carried.body) as z.infer<typeof eventPayloadSchema>).data,
  };
}

export function deliveryRow(state: State, delivery: Delivery, hold: DeliveryHold | null) {
  const last = delivery.attempts.at(-1);
  return {
    delivery_id: delivery.delivery_id,
    event_id: delivery.event_id,
    type: delivery.event_type,
    mode: delivery.mode,
    webhook_id: delivery.webhook_id,
    url: state.get("endpoints", delivery.webhook_id)?.url ?? null,
    ...objectIds(delivery.object_id),
    status: delivery.status,
    state: deliveryState(state, delivery, hold),
    answered: last?.status ?? null,
    created_at: delivery.created_at,
    next_attempt_at: delivery.next_attempt_at,
    hold,
    mishap: mishapView(delivery.mishap),
    attempts: delivery.attempts,
  };
}

function mishapView(mishap: Mishap | null) {
  if (mishap === null) return null;
  const { down, forged, copy_id, at_once, retried = [], ...others } = mishap;
  return {
    response_lost: false,
    ...others,
    copy_id: copy_id ?? null,
    at_once: at_once ?? 1,
    forged: forged !== undefined,
    down:
      down === undefined ? null : { from: iso(down.from_ms), until: iso(down.until_ms), answer: down.answer },
    retried: retried.map(({ scenario: _scenario, index: _index, ...retry }) => retry),
  };
}

export function controlEndpointView(namespace: Namespace, endpoint: Endpoint) {
  const { seq: _, previous_secret: _secret, previous_secret_until_ms: _until, ...shown } = endpoint;
  return { ...shown, lease_ms: endpoint.lease_ms ?? null, health: receiverHealth(namespace, endpoint) };
}

export function faultView(fault: StoredFault, applied: number) {
  return { fault_id: fault.fault_id, ...fault.rule, applied };
}

export function scenarioView(
  { scenario, activated }: StoredScenario,
  applied: Readonly<Record<string, number>>,
) {
  return { ...scenario, active: activated > 0, applied };
}
