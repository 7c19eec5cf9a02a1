import { CHARGE_STATUS_RULES, type Charge, firstExpiredMs } from "../domain/charge-transition.js";
import { applyPostings, bookedPayment, holdingsKey, refundPostings } from "../domain/ledger-postings.js";
import { type StatusRules, simulateTimeline, type TimelineProgress } from "../domain/timeline.js";
import { WITHDRAWAL_STATUS_RULES, type Withdrawal } from "../domain/withdrawal.js";
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

/** A planned change of a payment's status. */
export interface PlannedMove {
  readonly to: string;
  readonly dueMs: number;
}

/** Planned changes of the status in their order; skips entries that change nothing. */
export function plannedMoves(reader: Reader, payment: Charge | Withdrawal): PlannedMove[] {
  const moves: PlannedMove[] = [];
  let dueMs = 0;
  const timeOf = (ms: number) => (dueMs = ms);
  const steps =
    "charge_id" in payment ? stepsOf(reader, payment, timeOf) : payoutSteps(reader, payment, timeOf);
  for (const { verdict, status } of steps) if (verdict === "moves") moves.push({ to: status, dueMs });
  return moves;
}

function payoutSteps(reader: Reader, payout: Withdrawal, timeOf: (dueMs: number) => number) {
  const task = payout.timeline_task === null ? undefined : reader.get("tasks", payout.timeline_task);
  const next = task && { step: task.step!, dueMs: task.due_ms };
  const standing = { status: payout.status, expiredMs: undefined, expiryMs: undefined, next };
  return simulateTimeline(WITHDRAWAL_STATUS_RULES, payout.timeline, standing, timeOf);
}

function stepsOf(reader: Reader, charge: Charge, timeOf: (dueMs: number) => number) {
  const timeline = charge.overruled ? [] : charge.timeline;
  return simulateTimeline(rulesFor(reader, charge), timeline, standingOf(reader, charge), timeOf);
}

export function refuseUnreachableStatus(until: ChargeStatus): Refusal {
  return refuse("INVALID_TRANSITION", `No scheduled task makes the charge ${until}.`);
}
