import type { Mode } from "../../schema/common.js";
import { type Refusal, refuse } from "../../schema/errors.js";
import { emit, planDelivery } from "../events.js";
import type { Delivery, EventRecord } from "../records.js";
import type { Command } from "../transaction.js";
import { chargeDetailJson } from "../views.js";
import { chargeSubject } from "./charges.js";

export interface Trigger {
  readonly type: string;
  readonly mode: Mode;
  readonly chargeId?: string | undefined;
  /** What the event carries instead of the charge's record. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** A new event that no status change caused: for an existing charge, or with data made up by the caller. */
export function triggerEvent({ type, mode, chargeId, data }: Trigger): Command<EventRecord | Refusal> {
  return (tx) => {
    const charge = chargeId === undefined ? undefined : tx.get("charges", chargeId);
    if (chargeId !== undefined && charge === undefined) return refuse("NOT_FOUND", "Charge not found");
    const dataJson =
      data !== undefined || charge === undefined
        ? JSON.stringify({ ...(charge === undefined ? {} : JSON.parse(chargeDetailJson(charge))), ...data })
        : chargeDetailJson(charge);
    return emit(tx, {
      type,
      mode: charge?.mode ?? mode,
      organizationId: charge?.organization_id ?? null,
      objectId: charge?.charge_id ?? null,
      source: dataJson,
      toJson: (json) => json,
      subject: () => (charge === undefined ? { fields: {}, metadata: {} } : chargeSubject(charge)),
      scenario: charge?.scenario_asked ?? null,
    });
  };
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
