import type { RawStep } from "../../scenario/loaded-steps.js";
import type { Baseline, SandboxPlan } from "./sandbox-plan.js";

/** Makes steps that count paid charges. Two presses may place two orders, each paid at most as in a plain run. */
export function chargeChecks(
  { chargeMatch, completedCharges, orderCharges }: Baseline,
  { isPressedTwice, end }: SandboxPlan,
): RawStep[] {
  if (end === "refunded") return [];
  const paid = { ...chargeMatch, status: "COMPLETED" };
  if (orderCharges === undefined || !isPressedTwice)
    return [{ name: "Paid as often as ordered", expect_charge: { ...paid, count: completedCharges } }];
  const once = { ...orderCharges.match, status: "COMPLETED", count: { lte: orderCharges.completed } };
  return [
    { name: "Paid no more often than ordered", expect_charge: once },
    { name: "Paid as often as ordered", expect_charge: { ...paid, count: { gte: completedCharges } } },
  ];
}

/** Makes steps that count completed withdrawals. One order is paid out at most as often as in a plain run. */
export function withdrawalChecks(
  { completedWithdrawals, orderWithdrawals }: Baseline,
  { isPressedTwice }: SandboxPlan,
): RawStep[] {
  if (completedWithdrawals === undefined) return [];
  const paidOut = (count: unknown, match = {}) => ({
    expect_withdrawal: { ...match, status: "COMPLETED", count },
  });
  const name = "Paid out as often as asked";
  if (!isPressedTwice) return [{ name, ...paidOut(completedWithdrawals) }];
  const isExact = typeof completedWithdrawals === "number";
  const all = { name, ...paidOut(isExact ? { gte: completedWithdrawals } : completedWithdrawals) };
  if (orderWithdrawals === undefined) return [all];
  const { completed, match } = orderWithdrawals;
  return [{ name: "Paid out no more often than asked", ...paidOut({ lte: completed }, match) }, all];
}
