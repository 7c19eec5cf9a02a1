import type { RawStep } from "../../scenario/loaded-steps.js";
import type { RunPlan } from "../run-plan.js";
import type { ExpectedEnd } from "./expected-end.js";
import type { Baseline } from "./facts.js";
import type { FlowVariant } from "./flow-variant.js";

/** The facts by which a run of a variant is judged. */
export function variedBaseline(baseline: Baseline, variant: FlowVariant | undefined): Baseline {
  return { ...baseline, chargeMatch: { ...baseline.chargeMatch, ...variant?.chargeMatch } };
}

/** Makes steps that count paid charges. Two presses may place two orders, each paid at most as in a plain run. */
export function chargeChecks(
  { chargeMatch, orderCharges, plain }: Baseline,
  { completedCharges, isByOrder }: ExpectedEnd,
): RawStep[] {
  const paid = { ...chargeMatch, status: "COMPLETED" };
  if (orderCharges === undefined || !isByOrder)
    return [{ name: "Paid as often as ordered", expect_charge: { ...paid, count: completedCharges } }];
  const once = { ...orderCharges.match, status: "COMPLETED", count: { lte: orderCharges.completed } };
  return [
    { name: "Paid no more often than ordered", expect_charge: once },
    { name: "Paid as often as ordered", expect_charge: { ...paid, count: { gte: plain.completedCharges } } },
  ];
}

/** Makes steps that count completed withdrawals. One order is paid out at most as often as in a plain run. */
export function withdrawalChecks(
  { orderWithdrawals }: Baseline,
  { completedWithdrawals, isByOrder }: ExpectedEnd,
): RawStep[] {
  if (completedWithdrawals === undefined) return [];
  const paidOut = (count: unknown, match = {}) => ({
    expect_withdrawal: { ...match, status: "COMPLETED", count },
  });
  const name = "Paid out as often as asked";
  if (!isByOrder) return [{ name, ...paidOut(completedWithdrawals) }];
  const isExact = typeof completedWithdrawals === "number";
  const all = { name, ...paidOut(isExact ? { gte: completedWithdrawals } : completedWithdrawals) };
  if (orderWithdrawals === undefined) return [all];
  const { completed, match } = orderWithdrawals;
  return [{ name: "Paid out no more often than asked", ...paidOut({ lte: completed }, match) }, all];
}

/** Statuses that ask the sender to send an event again later; 503 with Retry-After only. */
const LATER = [409, 425, 429, 503];

/** Makes steps that fail if the app refused a signed event of a type that it accepts in a plain run. */
export function refusalChecks({ refusedTypes }: Baseline, plan: RunPlan): RawStep[] {
  if (plan.excusesErrors) return [];
  const type = refusedTypes.length === 0 ? {} : { type: { not: { in: refusedTypes } } };
  const none = (refused: object): RawStep => ({
    name: "The app refused no signed event",
    expect_delivery: { ...type, ...refused, count: 0 },
  });
  // While the app works on the same charge, "again later" is right, if the event is accepted then.
  return [
    none({ answered: { gte: 300, not: { in: LATER } } }),
    none({ answered: 503, retry_after_ms: { exists: false } }),
    none({ answered: { in: LATER }, status: "failed" }),
  ];
}
