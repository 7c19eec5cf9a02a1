import type { Charge } from "../../domain/charge-transition.js";
import type { MatchSubject } from "../../domain/rule-matching.js";
import type { Mode } from "../../schema/common.js";
import { eventTypeOf, subjectOfEvent } from "../../schema/event-types.js";
import { isRefusal, type Refusal, refuse } from "../../schema/refusals.js";
import { emit, type ManualEvent, planDelivery, sendManualEvent } from "../event-emission.js";
import type { Delivery, Endpoint, EventRecord } from "../records.js";
import { chargeSubject, withdrawalSubject } from "../subjects.js";
import type { Command, Transaction } from "../transaction.js";
import { chargeDetailView, withdrawalView } from "../wire-views.js";
import { buildSampleCharge, buildSampleWithdrawal } from "./sample-records.js";

export interface Trigger {
  /** Type of the event, or the name under which events of the type are sent. */
  readonly type: string;
  readonly mode: Mode;
  readonly chargeId?: string | undefined;
  /** Fields that override those of the record. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** Allows an unknown type; no sample record is added to the data. */
  readonly force?: boolean | undefined;
}

/** Emits an event without a status change, for an existing charge or a sample record. */
export function triggerEvent(trigger: Trigger): Command<EventRecord | Refusal> {
  return (tx) => {
    const { event_names } = tx.settings;
    const type = eventTypeOf(trigger.type, event_names);
    const topic = topicOf(tx, trigger, type);
    if (isRefusal(topic)) return topic;
    const { charge } = topic;
    return emit(tx, {
      type: type ?? trigger.type,
      owner: charge ?? { mode: trigger.mode, organization_id: null, scenario_asked: null },
      objectId: charge?.charge_id ?? null,
      source: JSON.stringify(merge(topic.record, trigger.data ?? {})),
      toJson: (json) => json,
      subject: () => topic.subject,
    });
  };
}

interface Topic {
  readonly record: object;
  readonly subject: MatchSubject;
  /** Undefined for a sample record. */
  readonly charge?: Charge;
}

function topicOf(tx: Transaction, trigger: Trigger, type: string | undefined): Topic | Refusal {
  const { chargeId, mode, force } = trigger;
  if (chargeId !== undefined) {
    const charge = tx.get("charges", chargeId);
    if (charge === undefined) return refuse("NOT_FOUND", "Charge not found");
    return { record: chargeDetailView(charge), subject: chargeSubject(charge), charge };
  }
  const meaning = force === true || type === undefined ? undefined : subjectOfEvent(type);
  if (meaning === undefined) return { record: {}, subject: { fields: {}, metadata: {} } };
  if (meaning.object === "charge") {
    const charge = buildSampleCharge(tx, meaning.status, mode);
    return { record: chargeDetailView(charge), subject: chargeSubject(charge) };
  }
  const withdrawal = buildSampleWithdrawal(tx, meaning.status, mode);
  return { record: withdrawalView(withdrawal), subject: withdrawalSubject(withdrawal, undefined) };
}

/** Merges objects at every depth; lists and other values are replaced. */
function merge(record: unknown, changes: unknown): unknown {
  if (!isObject(record) || !isObject(changes)) return changes;
  const fields = new Map(Object.entries(record));
  for (const [name, value] of Object.entries(changes)) fields.set(name, merge(fields.get(name), value));
  return Object.fromEntries(fields);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sendAgain(
  deliveryId: string,
  send: (tx: Transaction, event: EventRecord, endpoint: Endpoint) => Delivery[],
): Command<Delivery[] | Refusal> {
  return (tx) => {
    const delivery = tx.get("deliveries", deliveryId);
    const event = delivery && tx.get("events", delivery.event_id);
    const endpoint = delivery && tx.get("endpoints", delivery.webhook_id);
    if (event === undefined || endpoint === undefined) return refuse("NOT_FOUND", "Delivery not found");
    return send(tx, event, endpoint);
  };
}

/** Delivers an event to the same endpoint again, with new signatures. */
export function redeliver(deliveryId: string, times: number): Command<Delivery[] | Refusal> {
  return sendAgain(deliveryId, (tx, event, endpoint) =>
    Array.from({ length: times }, () => planDelivery(tx, event, endpoint, { goesAlone: true })),
  );
}

/** Sends a copy of a delivery's event, with a new id and the user's data, to the same endpoint. */
export function resendWithData(
  deliveryId: string,
  { data, ...how }: { readonly data: Readonly<Record<string, unknown>> } & Omit<ManualEvent, "json">,
): Command<Delivery[] | Refusal> {
  return sendAgain(deliveryId, (tx, event, endpoint) =>
    sendManualEvent(tx, event, endpoint, { json: JSON.stringify(data), ...how }),
  );
}
