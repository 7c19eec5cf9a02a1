import { CHARGE_STATUS_RULES, type Charge, firstExpiredMs } from "../domain/charge-transition.js";
import { applyPostings, bookedPayment, holdingsKey, refundPostings } from "../domain/ledger-postings.js";
import { type StatusRules, simulateTimeline, type TimelineProgress } from "../domain/timeline.js";
import type { ChargeStatus } from "../schema/common.js";
import { type Refusal, refuse } from "../schema/refusals.js";
import { CHARGE_STATUS_TABLE, isPaid, isRefunded } from "../schema/statuses.js";
import { amountReturned } from "./ledger-posting.js";
import type { State } from "./state.js";
import type { Transaction } from "./transaction.js";

type Reader = State | Transaction;

function standingOf(reader: Reader, charge: Charge): TimelineProgress<ChargeStatus> {
  const taskOf = (id: number | undefined) => (id === undefined ? undefined : reader.get("tasks", id));
  const entry = taskOf(charge.tasks.timeline);
  return {
    status: charge.status,
    expiredMs: firstExpiredMs(charge),
    expiryMs: taskOf(charge.tasks.expiry)?.due_ms,
    next: entry === undefined ? undefined : { step: entry.step!, dueMs: entry.due_ms },
  };
}

/** Status rules of a charge. A settled charge cannot be refunded if the balance is too low. */
function rulesFor(reader: Reader, charge: Charge): StatusRules<ChargeStatus> {
  const { status, settled_at, mode, organization_id } = charge;
  const booked = isPaid(status) && settled_at !== null ? bookedPayment(charge) : undefined;
  if (booked === undefined) return CHARGE_STATUS_RULES;
  const account = reader.get("holdings", holdingsKey(mode, organization_id, booked.currency));
  const returned = amountReturned("state" in reader ? reader.state : reader, charge);
  const refund = refundPostings(booked, returned, booked.amount);
  if (account === undefined || !("overdrawn" in applyPostings(account, refund))) return CHARGE_STATUS_RULES;
  const next = CHARGE_STATUS_TABLE[status].next.filter((to) => !isRefunded(to));
  return { ...CHARGE_STATUS_RULES, statuses: { ...CHARGE_STATUS_RULES.statuses, [status]: { next } } };
}

/** Statuses that a person may set. A chargeback leaves nothing to refund. */
export function settableStatuses(state: State, { charge_id, status }: Charge): readonly ChargeStatus[] {
  const isChargedBack = state.entriesOf(charge_id).some(({ kind }) => kind === "chargeback");
  return isChargedBack ? [] : CHARGE_STATUS_TABLE[status].next;
}

/** Returns true if the charge has the status `until`, or would reach that status by running its tasks now. */
export function willReachStatus(reader: Reader, charge: Charge, until: ChargeStatus, nowMs: number): boolean {
  if (charge.status === until) return true;
  for (const { status } of stepsOf(reader, charge, () => nowMs)) if (status === until) return true;
  return false;
}

/** A planned change of a charge's status. */
export interface PlannedMove {
  readonly to: ChargeStatus;
  readonly dueMs: number;
}

/** Planned changes of the status in their order; skips entries that change nothing. */
export function plannedMoves(reader: Reader, charge: Charge): PlannedMove[] {
  const moves: PlannedMove[] = [];
  let dueMs = 0;
  const steps = stepsOf(reader, charge, (ms) => (dueMs = ms));
  for (const { verdict, status } of steps) if (verdict === "moves") moves.push({ to: status, dueMs });
  return moves;
}

function stepsOf(reader: Reader, charge: Charge, timeOf: (dueMs: number) => number) {
  const timeline = charge.overruled ? [] : charge.timeline;
  return simulateTimeline(rulesFor(reader, charge), timeline, standingOf(reader, charge), timeOf);
}

export function refuseUnreachableStatus(until: ChargeStatus): Refusal {
  return refuse("INVALID_TRANSITION", `No scheduled task makes the charge ${until}.`);
}
