import { anyGlobMatches } from "../domain/glob.js";
import type { Mode } from "../schema/common.js";
import type { Endpoint, EventRecord } from "./records.js";
import type { Transaction } from "./transaction.js";

export interface Emission {
  readonly type: string;
  readonly mode: Mode;
  readonly organizationId: string | null;
  /** The charge or withdrawal it is about; its events are delivered in order. */
  readonly objectId: string | null;
  /** Exactly what a read of the object answers at this moment. */
  readonly dataJson: string;
}

/** Records an event and plans its delivery to each endpoint that wants it. */
export function emit(tx: Transaction, emission: Emission): EventRecord {
  const { type, mode, organizationId, objectId } = emission;
  const event_id = tx.id("event");
  const name = tx.settings.event_names[type] ?? type;
  const event: EventRecord = {
    event_id,
    seq: tx.next("event_seq"),
    type,
    at: tx.at,
    mode,
    organization_id: organizationId,
    object_id: objectId,
    body: `{"id":"${event_id}","type":${JSON.stringify(name)},"timestamp":"${tx.at}","mode":"${mode}","data":${emission.dataJson}}`,
  };
  tx.put("events", event_id, event);
  for (const endpoint of tx.state.endpoints()) if (hears(endpoint, event)) planDelivery(tx, event, endpoint);
  trimLog(tx);
  return event;
}

function hears(endpoint: Endpoint, event: EventRecord): boolean {
  return (
    endpoint.enabled &&
    endpoint.mode === event.mode &&
    (endpoint.organization_id === null ||
      event.organization_id === null ||
      endpoint.organization_id === event.organization_id) &&
    anyGlobMatches(endpoint.events, event.type)
  );
}

/**
 * One delivery of an event to an endpoint. The events of one object go in order: a delivery starts when the
 * first attempt at the one before it is over, whatever came of that.
 */
export function planDelivery(tx: Transaction, event: EventRecord, endpoint: Endpoint): string {
  const delivery_id = tx.id("delivery");
  const lane = event.object_id === null ? null : `${endpoint.webhook_id}|${event.object_id}`;
  const queue = lane === null ? undefined : tx.get("lanes", lane);
  const startsNow = queue === undefined;
  tx.put("deliveries", delivery_id, {
    delivery_id,
    seq: tx.next("delivery_seq"),
    event_id: event.event_id,
    event_type: event.type,
    object_id: event.object_id,
    webhook_id: endpoint.webhook_id,
    mode: event.mode,
    status: "pending",
    created_at: tx.at,
    next_attempt_at: startsNow ? tx.at : null,
    attempts: [],
    lane,
  });
  if (lane !== null) tx.put("lanes", lane, { lane, waiting: [...(queue?.waiting ?? []), delivery_id] });
  if (startsNow) scheduleAttempt(tx, delivery_id, tx.atMs);
  return delivery_id;
}

export function scheduleAttempt(tx: Transaction, deliveryId: string, dueMs: number): void {
  tx.schedule({ due_ms: dueMs, rank: 1, kind: "attempt", ref: deliveryId });
}

const TRIM_AT_ONCE = 2;

/** Keeps the log within its retention: the oldest events go, with their deliveries, unless one is still open. */
function trimLog(tx: Transaction): void {
  const { state } = tx;
  let excess = state.count("events") + 1 - tx.settings.retention.events;
  for (const event of excess > 0 ? state.oldestOf("events", TRIM_AT_ONCE) : []) {
    const deliveries = state.page("deliveries", `deliveries|${event.event_id}`, 0, Number.MAX_SAFE_INTEGER);
    if (excess-- <= 0 || deliveries.some((delivery) => delivery.status === "pending")) return;
    for (const delivery of deliveries) tx.remove("deliveries", delivery.delivery_id);
    tx.remove("events", event.event_id);
  }
}
