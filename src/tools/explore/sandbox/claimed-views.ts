import { findMismatches } from "../../../core/domain/deep-match.js";
import { countCompletedPayments } from "../judge.js";
import type { RunPlan } from "../run-plan.js";
import type { ObservedCharge } from "../run-record.js";
import {
  type Bodies,
  type Claims,
  paidLateClaims,
  partlyRefundedClaims,
  refundedClaims,
  type Shown,
  type Unlike,
  unpaidClaims,
  wrongMoneyClaims,
} from "./claims.js";
import type { Baseline, LoadedRun } from "./facts.js";
import { chargesOf, hasBeenPaid } from "./money.js";
import { isLess, isThere, PRESENT, withPresent } from "./views.js";

/*
 * The claims on the views of a run that no other run vouches for. The unit is the order: a view of one of several orders
 * is judged by its own charges.
 */

type Orders = readonly (readonly ObservedCharge[])[];

interface JudgedViews {
  readonly shown: Shown;
  readonly seen: Bodies;
  readonly orders: Orders;
}

/** Views that a run must have, and must not have. */
export interface ClaimedViews {
  readonly views: readonly object[];
  /** A view that must not be as at another end, and why. */
  readonly unlike?: { readonly sentence: string; readonly view: number; readonly body: unknown } | undefined;
}

/** Any response but a server error. */
export const OPEN = { status: { lt: 500 } };

export function claimedViews(
  plan: RunPlan,
  run: LoadedRun,
  baseline: Baseline,
  { shown, seen, orders }: JudgedViews,
): ClaimedViews {
  // No payment has changed the view of an order that a plain run leaves unpaid.
  const claims = claimsOf(plan, run, baseline, { shown, seen, orders });
  const { views, unlike } = claimsIn(claims, (index) => baseline.plain.isPaid[index]!);
  const isOf = (one: number) => (charge: ObservedCharge) => orders[one]!.includes(charge);
  // Late money may be shown in any view of its order, an order's own state in the views of that order alone.
  const belongs = (one: number, to: number) =>
    plan.isPaidLate ? orders[one]!.some(isOf(to)) : orders[one]!.every(isOf(to));
  const alike = unlike && viewUnlike(unlike, seen, belongs);
  return {
    views: views.map((body, index) =>
      isThere(seen[index]) ? { ...OPEN, body: withPresent(body, seen[index]) } : OPEN,
    ),
    unlike: alike && { sentence: unlike!.sentence, view: alike.index, body: { not: alike.body } },
  };
}

function claimsOf(
  plan: RunPlan,
  run: LoadedRun,
  baseline: Baseline,
  { shown, seen, orders }: JudgedViews,
): Claims {
  const mayWait = isLess(seen, shown.plain);
  const own = chargesOf(run, { ...baseline, chargeMatch: {} });
  const isOwn = (charge: ObservedCharge) => own.includes(charge);
  if (plan.isWrongMoney) return claimsOn(wrongMoneyClaims(shown), orders, (order) => order.every(isOwn));
  if (plan.isUnpaid)
    return claimsOn(
      unpaidClaims(shown, mayWait),
      orders,
      (order) => !order.some((charge) => hasBeenPaid(charge)),
    );
  if (plan.end === "refunded") return refundedClaims(shown, mayWait);
  if (plan.end === "partly_refunded") return partlyRefundedClaims(shown);
  return claimsOn(paidLateClaims(shown, hasReturned(run, baseline)), orders, (order) => order.some(isOwn));
}

/** Returns true if the app returned a payment, by a payout or by a refund. */
function hasReturned({ observed }: LoadedRun, { plain }: Baseline): boolean {
  return (
    observed.charges.some(({ status }) => status === "REFUNDED") ||
    countCompletedPayments(observed.withdrawals) > (plain.completedWithdrawals ?? 0)
  );
}

/** Claims only on views whose charges are concerned: the view of several payments also has the others. */
function claimsOn(claims: Claims, orders: Orders, isConcerned: (charges: Orders[number]) => boolean): Claims {
  return claimsIn(claims, (index) => isConcerned(orders[index]!));
}

function claimsIn({ views, unlike }: Claims, isClaimed: (view: number) => boolean): Claims {
  const stated = unlike?.views.map((body, index) => (isClaimed(index) ? body : undefined));
  return {
    views: views.map((body, index) => (isClaimed(index) ? body : PRESENT)),
    ...(unlike === undefined ? {} : { unlike: { ...unlike, views: stated! } }),
  };
}

/** Selects the view by which to check that an end is unlike another: one that is as there with all that belong to it, if any. */
function viewUnlike(
  { views, others = [] }: Unlike,
  seen: Bodies,
  belongs: (one: number, to: number) => boolean,
): { readonly index: number; readonly body: unknown } | undefined {
  const listed = (bodies: Bodies) =>
    bodies.map((body, index) => ({ body, index })).filter(({ body }) => body !== undefined);
  const stated = listed(views);
  const all = [...stated, ...listed(others)];
  const isMet = ({ body, index }: (typeof stated)[number]) => findMismatches(body, seen[index]).length === 0;
  const isAlike = ({ index }: (typeof stated)[number]) =>
    all.filter((one) => belongs(one.index, index)).every(isMet);
  return stated.find(isAlike) ?? stated.find((one) => !isMet(one));
}
