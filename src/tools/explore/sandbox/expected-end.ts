import type { ClaimedViews } from "./claimed-views.js";

export type Count = number | { readonly lte: number };

export interface ExpectedEnd extends ClaimedViews {
  /** The undisturbed run that ended so. */
  readonly name: string;
  readonly completedCharges: Count;
  /** Undefined if the app makes no withdrawals. */
  readonly completedWithdrawals?: Count | undefined;
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
