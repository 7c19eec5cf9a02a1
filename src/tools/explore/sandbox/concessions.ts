import { isJsonObject } from "../../../core/schema/json-objects.js";
import { isMatcher } from "../../../core/schema/matcher-words.js";
import type { ObservedRun, RunFailure } from "../deviable.js";
import { countCompletedPayments } from "../judge.js";
import { atMost, partlyRefunded, refunded, unpaid } from "./payment-ends.js";
import type { Baseline, SandboxPlan } from "./sandbox-plan.js";
import { withStrangersCounted } from "./strangers.js";

/*
 * Right ends that differ from the end of a plain run: an unpaid order has no payout, a late payment may be returned, and
 * a refunded order need not be delivered.
 */

/** A difference from a plain run that is right after the events of this run. */
export interface Concession {
  /** The app returned a late payment, by one payout or by a refund, so the order is unpaid. */
  readonly returned?: "payout" | "refund";
  /** The charge was refunded before the app could know that it was paid, so it may deliver less. */
  readonly isUndelivered?: boolean;
  /** A number in a view of the app is lower than in a plain run, so a status such as `pending` may stay. */
  readonly isOpen?: boolean;
  /** Indexes of the flow's steps that the app refused, such as a payout before a late payment. They are repeated. */
  readonly refused?: readonly number[];
}

/** A run whose end differs from the plain runs. */
interface OtherEnd {
  readonly plan: SandboxPlan;
  readonly observed: ObservedRun;
  /** The first check that failed. */
  readonly failure: RunFailure;
  /** Indexes of the flow's steps that the app refused. */
  readonly refused: readonly number[];
}

/** Lists what a right app may have done differently in a run, the smallest difference first. */
export function concessionsFor(
  { plan, observed, failure, refused }: OtherEnd,
  plain: ObservedRun,
  baseline: Baseline,
): Concession[] {
  const returned = plan.isPaidLate ? returnOf(observed, plain) : undefined;
  const mayBeOpen = plan.isUnpaid || plan.end === "refunded";
  const isOpen = mayBeOpen && baseline.observed.some((view) => isLess(failure.body, view));
  return [
    ...(refused.length === 0 ? [] : [{ refused }]),
    ...(returned === undefined ? [] : [{ returned }]),
    ...(isOpen ? [{ isOpen }] : []),
    ...(wasRefundedFirst(observed) ? [{ isUndelivered: true }] : []),
  ];
}

/** Returns true if a number is less than in a plain run. */
function isLess(got: unknown, plain: unknown): boolean {
  if (typeof got === "number" && typeof plain === "number") return got < plain;
  if (typeof got !== "object" || got === null || typeof plain !== "object" || plain === null) return false;
  return Object.entries(plain).some(([key, part]) => isLess((got as Record<string, unknown>)[key], part));
}

function returnOf({ charges, withdrawals }: ObservedRun, plain: ObservedRun): Concession["returned"] {
  const morePaidOut = countCompletedPayments(withdrawals) - countCompletedPayments(plain.withdrawals);
  const lessPaid = countCompletedPayments(plain.charges) - countCompletedPayments(charges);
  const isRefunded = charges.some(({ status }) => status === "REFUNDED");
  if (morePaidOut === 1 && lessPaid === 0) return "payout";
  return isRefunded && lessPaid === 1 && morePaidOut <= 0 ? "refund" : undefined;
}

/** Returns true if a charge was refunded before the app had accepted the webhook of its payment. */
function wasRefundedFirst({ charges, deliveries }: ObservedRun): boolean {
  return charges.some(({ id, history }) => {
    const refundedMs = history.find(({ status }) => status === "REFUNDED")?.atMs;
    const paid = deliveries.filter(({ object_id, type }) => object_id === id && type === "charge.completed");
    const accepted = paid
      .flatMap(({ attempts }) => attempts)
      .filter(({ status }) => status !== null && status < 300);
    return refundedMs !== undefined && paid.length > 0 && accepted.every(({ atMs }) => atMs >= refundedMs);
  });
}

/** Returns the end that a run must have with the concession. */
export function endWith(
  baseline: Baseline,
  plan: SandboxPlan,
  { returned, isUndelivered, refused, isOpen }: Concession,
): Baseline {
  const { isUnpaid, end } = plan;
  const { completedCharges, completedWithdrawals = 0, observed } = baseline;
  if (plan.strangers !== undefined) return withStrangersCounted(baseline, plan);
  if (isUnpaid) return unpaid(baseline, isOpen);
  if (end === "refunded") return refunded(baseline, isOpen);
  if (end === "partly_refunded") return partlyRefunded(baseline);
  const payouts = typeof completedWithdrawals === "number" ? completedWithdrawals : completedWithdrawals.lte;
  if (returned === "payout")
    return { ...unpaid(baseline), completedCharges, completedWithdrawals: payouts + 1 };
  if (returned === "refund") return unpaid(baseline);
  if (isUndelivered) return { ...baseline, observed: observed.map(withFewer) };
  return refused === undefined ? baseline : { ...baseline, ...atMost(baseline) };
}

/** Allows each number of an expectation to be lower. */
export function withFewer(expected: unknown): unknown {
  if (typeof expected === "number" && expected > 0) return { gte: 0, lte: expected };
  if (Array.isArray(expected)) return expected.map(withFewer);
  if (!isJsonObject(expected) || isMatcher(expected)) return expected;
  return Object.fromEntries(Object.entries(expected).map(([key, part]) => [key, withFewer(part)]));
}
