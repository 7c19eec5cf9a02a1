import { type Actor, CHARGE_STATUSES, type ChargeStatus } from "../schema/common.js";
import { chargeEventType } from "../schema/event-types.js";
import type {
  Charge,
  ChargeTasks,
  InstructionsWrittenLater,
  PaymentInstructions,
} from "../schema/records/payments.js";
import { isOpen, STATUSES } from "../schema/statuses.js";
import { iso } from "../schema/time.js";
import { withProgress } from "./charge-state.js";
import type { StatusRules } from "./timeline.js";

export type { Actor } from "../schema/common.js";
export type {
  Charge,
  ChargeNote,
  ChargeTasks,
  InstructionsWrittenLater,
  PaymentInstructions,
  StatusChange,
} from "../schema/records/payments.js";

/** What a charge's plan goes by. */
export const CHARGE_RULES: StatusRules<ChargeStatus> = {
  first: "PENDING",
  statuses: STATUSES,
  expired: "EXPIRED",
};

/** The instructions of a charge, for whoever reads them. */
export function writtenInstructions(given: Charge["payment_instructions"]): PaymentInstructions | null {
  return isWrittenLater(given) ? given.toJSON() : given;
}

export function isWrittenLater(value: unknown): value is InstructionsWrittenLater {
  return typeof (value as InstructionsWrittenLater | null)?.toJSON === "function";
}

/** When the charge expired, if it has: a late payment does not undo that. */
export function expiredAtMs(charge: Charge): number | undefined {
  const expired = charge.status_history.find((change) => change.status === "EXPIRED");
  return expired === undefined ? undefined : Date.parse(expired.at);
}

/**
 * Whether the charge would need a price to have that status, and has none: a hosted one is priced when its customer
 * picks a method, and without a price there is nothing to pay.
 */
export function needsPrice(charge: Charge, to: ChargeStatus): boolean {
  return charge.settlement_amount === null && STATUSES[to].priced === true;
}

/** What a transition asks the engine to do besides replacing the charge, in this order. */
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

/** Why a transition may not happen. The engine words it for the caller. */
export type TransitionRefusal = "illegal" | "unpriced";

/**
 * The only way a charge's status changes: the API, scenarios, the clock, the checkout page and the control
 * API all come through here. Pure: returns the new charge and what must happen with it, or why it may not.
 */
export function transition(
  charge: Charge,
  to: ChargeStatus,
  atMs: number,
  actor: Actor,
  reason?: string,
): ChargeTransition | TransitionRefusal {
  if (!STATUSES[charge.status].next.includes(to)) return "illegal";
  if (needsPrice(charge, to)) return "unpriced";
  const at = iso(atMs);
  const effects: ChargeEffect[] = [];
  let settledAt = charge.settled_at;

  if (isOpen(charge.status) && !isOpen(to)) effects.push(CANCEL.expiry);
  // Expiry lets the customer pay late if the scenario says so; a person's word ends the whole timeline.
  const overruled = charge.overruled || actor === "control" || actor === "customer";
  if (overruled || to === "EXPIRED" || STATUSES[to].next.length === 0) effects.push(CANCEL.timeline);
  if (to === "EXPIRED" && !overruled && actor !== "api") effects.push({ do: "schedule_late_entries" });

  if (to === "COMPLETED") {
    effects.push({ do: "post", kind: "payment" });
    if (charge.settlement_delay_ms === 0) {
      effects.push({ do: "post", kind: "settlement" });
      settledAt = at;
    } else effects.push({ do: "schedule_settlement", afterMs: charge.settlement_delay_ms });
  }
  if (to === "REFUNDED") {
    if (settledAt === null) {
      effects.push(CANCEL.settlement, { do: "post", kind: "settlement" });
      settledAt = at;
    }
    effects.push({ do: "post", kind: "refund" });
  }
  effects.push(EMIT[to]);

  return {
    effects,
    charge: withProgress(
      charge,
      {
        status: to,
        updated_at: at,
        settled_at: settledAt,
        failure_reason: to === "FAILED" ? (reason ?? "declined") : charge.failure_reason,
        status_history: historyWith(charge.status_history, to, at, reason),
        actors: actorsWith(charge.actors, actor),
        overruled,
        notes: charge.notes,
      },
      charge.tasks,
    ),
  };
}

type History = Charge["status_history"];

const NO_HISTORY: History = [];
let lastBefore: History | undefined;
let lastAfter: History = NO_HISTORY;

/**
 * The history as it goes on; from undefined, as it begins. What becomes of many charges at one instant is kept once: an
 * advance would make the same history thousands of times over.
 */
export function historyWith(
  before: History | undefined,
  status: ChargeStatus,
  at: string,
  reason?: string,
): History {
  const old = before ?? NO_HISTORY;
  const last = lastAfter[old.length];
  if (old === lastBefore && last?.status === status && last.at === at && last.reason === reason)
    return lastAfter;
  lastBefore = old;
  lastAfter = old.concat(reason === undefined ? { status, at } : { status, at, reason });
  return lastAfter;
}

type Actors = readonly Actor[];

/** The lists that were made last. A charge's moves are mostly those of many others. */
const ACTORS_MADE: { readonly before: Actors; readonly actor: Actor; readonly after: Actors }[] = [];
const MOST_MADE = 16;
const NO_ACTORS: Actors = [];
let madeNext = 0;

/** Who has moved a charge, and then that one; from undefined, who made it. */
export function actorsWith(before: Actors | undefined, actor: Actor): Actors {
  const old = before ?? NO_ACTORS;
  for (const made of ACTORS_MADE) if (made.before === old && made.actor === actor) return made.after;
  const after = old.concat(actor);
  ACTORS_MADE[madeNext] = { before: old, actor, after };
  madeNext = (madeNext + 1) % MOST_MADE;
  return after;
}

/** Settlement that comes later than COMPLETED: sets `settled_at`, changes no status, makes no event. */
export function settle(charge: Charge, atMs: number): Charge {
  const at = iso(atMs);
  const { status, failure_reason, status_history, actors, overruled, notes } = charge;
  const settled = {
    status,
    updated_at: at,
    settled_at: at,
    failure_reason,
    status_history,
    actors,
    overruled,
    notes,
  };
  return withProgress(charge, settled, charge.tasks);
}
