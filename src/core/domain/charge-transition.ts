// The life of a charge as pure functions. `computeTransition` makes every status change; a late payment leads from
// EXPIRED to PROCESSING or COMPLETED. The engine calls the function and carries out the returned effects. Nothing here
// reads a clock, stores or sends.
import { type Actor, CHARGE_STATUSES, type ChargeStatus, isByHand } from "../schema/common.js";
import { chargeEventType } from "../schema/event-types.js";
import type { Charge, ChargeTasks } from "../schema/records/payment-records.js";
import { CHARGE_STATUS_TABLE, isOpen, isPaid, isRefunded } from "../schema/statuses.js";
import { iso } from "../schema/time.js";
import type { StatusRules } from "./timeline.js";

export type { Actor } from "../schema/common.js";
export type {
  Charge,
  ChargeTasks,
  PaymentInstructions,
  StatusChange,
} from "../schema/records/payment-records.js";

export const CHARGE_STATUS_RULES: StatusRules<ChargeStatus> = {
  first: "PENDING",
  statuses: CHARGE_STATUS_TABLE,
  expired: "EXPIRED",
};

/** Time of the first expiry, in ms, even if a late payment followed. */
export function firstExpiredMs(charge: Charge): number | undefined {
  const expired = charge.status_history.find((change) => change.status === "EXPIRED");
  return expired === undefined ? undefined : Date.parse(expired.at);
}

/** Returns true if the status needs a payment method, which the customer of a hosted charge has not picked yet. */
export function needsMethod(charge: Charge, to: ChargeStatus): boolean {
  return charge.payment_method === null && CHARGE_STATUS_TABLE[to].requiresMethod === true;
}

/** A side effect that the engine carries out after replacing the charge. */
export type ChargeEffect =
  | { readonly do: "post"; readonly kind: "payment" | "settlement" | "refund" }
  | { readonly do: "schedule_settlement"; readonly afterMs: number }
  | { readonly do: "cancel_task"; readonly task: keyof ChargeTasks }
  | { readonly do: "schedule_late_entries" }
  | { readonly do: "emit"; readonly type: string };

const CANCEL = {
  expiry: { do: "cancel_task", task: "expiry" },
  timeline: { do: "cancel_task", task: "timeline" },
  settlement: { do: "cancel_task", task: "settlement" },
} as const satisfies Record<keyof ChargeTasks, ChargeEffect>;

const EMIT = Object.fromEntries(
  CHARGE_STATUSES.map((status) => [status, { do: "emit", type: chargeEventType(status) }]),
) as Readonly<Record<ChargeStatus, ChargeEffect>>;

export interface ChargeTransition {
  readonly charge: Charge;
  readonly effects: readonly ChargeEffect[];
}

type TransitionRefusal = "illegal" | "unpriced";

/** Returns the new charge and its effects in order, or the reason for a refusal. */
export function computeTransition(
  charge: Charge,
  to: ChargeStatus,
  atMs: number,
  actor: Actor,
  reason?: string,
): ChargeTransition | TransitionRefusal {
  if (!CHARGE_STATUS_TABLE[charge.status].next.includes(to)) return "illegal";
  if (needsMethod(charge, to)) return "unpriced";
  const at = iso(atMs);
  const effects: ChargeEffect[] = [];
  let settledAt = charge.settled_at;

  if (isOpen(charge.status) && !isOpen(to)) effects.push(CANCEL.expiry);
  // Expiry ends the timeline except for entries with `after_expiry`. A manual change ends the whole timeline.
  const overruled = charge.overruled || isByHand(actor) || actor === "customer";
  if (overruled || to === "EXPIRED" || CHARGE_STATUS_TABLE[to].next.length === 0)
    effects.push(CANCEL.timeline);
  if (to === "EXPIRED" && !overruled) effects.push({ do: "schedule_late_entries" });

  if (isPaid(to) && !isPaid(charge.status)) {
    effects.push({ do: "post", kind: "payment" });
    if (charge.settlement_delay_ms === 0) {
      effects.push({ do: "post", kind: "settlement" });
      settledAt = at;
    } else effects.push({ do: "schedule_settlement", afterMs: charge.settlement_delay_ms });
  }
  if (isRefunded(to)) {
    if (settledAt === null) {
      effects.push(CANCEL.settlement, { do: "post", kind: "settlement" });
      settledAt = at;
    }
    effects.push({ do: "post", kind: "refund" });
  }
  effects.push(EMIT[to]);

  return {
    effects,
    charge: {
      ...charge,
      status: to,
      updated_at: at,
      settled_at: settledAt,
      failure_reason: to === "FAILED" ? (reason ?? "declined") : charge.failure_reason,
      status_history: [
        ...charge.status_history,
        reason === undefined ? { status: to, at } : { status: to, at, reason },
      ],
      actors: [...charge.actors, actor],
      overruled,
    },
  };
}

/** Settles a completed charge: sets `settled_at`; no status change, no event. */
export function markSettled(charge: Charge, atMs: number): Charge {
  const at = iso(atMs);
  return { ...charge, updated_at: at, settled_at: at };
}
