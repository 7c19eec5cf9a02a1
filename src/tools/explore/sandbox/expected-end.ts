import type { RunPlan } from "../run-plan.js";
import type { ClaimedViews } from "./claimed-views.js";
import type { Sums } from "./facts.js";
import type { ListedView } from "./seen-views.js";

export type Count = number | { readonly lte: number };

export interface ExpectedEnd extends ClaimedViews {
  /** The undisturbed run that ended so. */
  readonly name: string;
  readonly listed?: ListedView;
  readonly completedCharges: Count;
  /** Undefined if the app makes no withdrawals. */
  readonly completedWithdrawals?: Count | undefined;
  /** The number of payments may differ if their totals are these; absent if the numbers decide. */
  readonly sums?: Sums;
  /** The flow's own expectations hold, as they describe a plain run. */
  readonly isPlain?: boolean;
  /** Counts the payments of each of several orders, not of all. */
  readonly isByOrder?: boolean;
}

export function isWithin(count: number, expected: Count): boolean {
  return typeof expected === "number" ? count === expected : count <= expected.lte;
}

export function withFewerPayouts(end: ExpectedEnd): ExpectedEnd {
  const { completedWithdrawals: most } = end;
  return typeof most === "number" ? { ...end, completedWithdrawals: { lte: most } } : end;
}

/** Prefixes of the names of ends. */
export const PRESSED = "pressed ";
export const MEANWHILE = "meanwhile ";

/** Names the end of a payment that a plan decides on; undefined if it ends as in a plain run. */
export function endKeyOf(plan: RunPlan): string | undefined {
  const { cancelledPage, returnedPage, end, isPaidLate, variant, set, others } = plan;
  if (cancelledPage !== undefined) return `cancelled ${cancelledPage}`;
  if (returnedPage !== undefined) return `returned ${returnedPage} ${variant.side}`;
  if (end !== undefined) return end;
  if (isPaidLate) return "paid late";
  if (set.length === 1 && others !== undefined && others.after === undefined) return othersKeyOf(others.step);
  return set.length === 1 && plan.pressedAgain.size > 0 ? pressKeyOf(plan) : undefined;
}

export function othersKeyOf(step: number): string {
  return `${MEANWHILE}${step}`;
}

export function pressKeyOf({ pressedTwice, pressedAgain }: RunPlan): string | undefined {
  const presses = [...new Set([...pressedTwice, ...pressedAgain])];
  return presses.length === 0 ? undefined : `${PRESSED}${presses.sort().join()}`;
}

/** Returns true for a run in which only the end of the payment deviates. */
export function isReference(plan: RunPlan): boolean {
  const { set, foreignCharge, webhooks } = plan;
  return (
    set.length === 1 && foreignCharge === undefined && webhooks.length === 0 && endKeyOf(plan) !== undefined
  );
}
