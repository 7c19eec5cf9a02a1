import type { Charge } from "../../domain/charge.js";
import type { Subject } from "../../domain/scenario.js";
import type { Mode } from "../../schema/common.js";
import { isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import { eventTypeOf, toldBy } from "../../schema/event-types.js";
import { emit, planDelivery, sendWritten, type Written } from "../events.js";
import type { Delivery, EventRecord } from "../records.js";
import { chargeSubject, withdrawalSubject } from "../subjects.js";
import type { Command, Transaction } from "../transaction.js";
import { chargeDetail, withdrawalView } from "../views.js";
import { sampleCharge, sampleWithdrawal } from "./samples.js";

export interface Trigger {
  /** The sandbox's own name of it, or the one it is sent under. */
  readonly type: string;
  readonly mode: Mode;
  readonly chargeId?: string | undefined;
  /** What the event says otherwise than the record it is about. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** It goes out as it is given: a type there is none of, and data that nothing is added to but the charge named. */
  readonly force?: boolean | undefined;
}

/** A new event that no status change caused: for an existing charge, or for a record that nobody made. */
export function triggerEvent(trigger: Trigger): Command<EventRecord | Refusal> {
  return (tx) => {
    const { event_names } = tx.settings;
    const type = eventTypeOf(trigger.type, event_names);
    const about = whatAbout(tx, trigger, type);
    if (isRefusal(about)) return about;
    const { charge } = about;
    return emit(tx, {
      type: type ?? trigger.type,
      owner: charge ?? { mode: trigger.mode, organization_id: null, scenario_asked: null },
      objectId: charge?.charge_id ?? null,
      source: JSON.stringify(overlaid(about.record, trigger.data ?? {})),
      toJson: (json) => json,
      subject: () => about.subject,
    });
  };
}

interface About {
  readonly record: object;
  readonly subject: Subject;
  /** Only one that is kept. */
  readonly charge?: Charge;
}

function whatAbout(tx: Transaction, trigger: Trigger, type: string | undefined): About | Refusal {
  const { chargeId, mode, force } = trigger;
  if (chargeId !== undefined) {
    const charge = tx.get("charges", chargeId);
    if (charge === undefined) return refuse("NOT_FOUND", "Charge not found");
    return { record: chargeDetail(charge), subject: chargeSubject(charge), charge };
  }
  const told = force === true || type === undefined ? undefined : toldBy(type);
  switch (told?.object) {
    case "charge": {
      const charge = sampleCharge(tx, told.status, mode);
      return { record: chargeDetail(charge), subject: chargeSubject(charge) };
    }
    case "withdrawal": {
      const withdrawal = sampleWithdrawal(tx, told.status, mode);
      return { record: withdrawalView(withdrawal), subject: withdrawalSubject(withdrawal, undefined) };
    }
    default:
      return { record: {}, subject: { fields: {}, metadata: {} } };
  }
}

/** The record with the other on top, field by field at every depth; lists and single values are replaced. */
function overlaid(record: unknown, top: unknown): unknown {
  if (!isObject(record) || !isObject(top)) return top;
  const fields = new Map(Object.entries(record));
  for (const [name, value] of Object.entries(top)) fields.set(name, overlaid(fields.get(name), value));
  return Object.fromEntries(fields);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** New deliveries of the same event to the same endpoint, freshly signed. */
export function redeliver(deliveryId: string, times: number): Command<Delivery[] | Refusal> {
  return (tx) => {
    const delivery = tx.get("deliveries", deliveryId);
    const event = delivery && tx.get("events", delivery.event_id);
    const endpoint = delivery && tx.get("endpoints", delivery.webhook_id);
    if (event === undefined || endpoint === undefined) return refuse("NOT_FOUND", "Delivery not found");
    return Array.from({ length: times }, () => planDelivery(tx, event, endpoint, { goesAlone: true }));
  };
}

/** A new event like that of a delivery, with data of somebody's own, to the same endpoint alone. */
export function resend(
  deliveryId: string,
  { data, ...how }: { readonly data: Readonly<Record<string, unknown>> } & Omit<Written, "json">,
): Command<Delivery[] | Refusal> {
  return (tx) => {
    const delivery = tx.get("deliveries", deliveryId);
    const event = delivery && tx.get("events", delivery.event_id);
    const endpoint = delivery && tx.get("endpoints", delivery.webhook_id);
    if (event === undefined || endpoint === undefined) return refuse("NOT_FOUND", "Delivery not found");
    return sendWritten(tx, event, endpoint, { json: JSON.stringify(data), ...how });
  };
}
