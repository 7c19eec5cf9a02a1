import { isByHand, type WithdrawalStatus } from "../schema/common.js";
import { withdrawalEventType } from "../schema/event-types.js";
import type { Withdrawal } from "../schema/records/payment-records.js";
import { iso } from "../schema/time.js";
import type { Actor } from "./charge-transition.js";
import type { StatusRules } from "./timeline.js";

export type { Withdrawal } from "../schema/records/payment-records.js";

interface StatusRow {
  readonly next: readonly WithdrawalStatus[];
  /** Effect on the funds in transit. */
  readonly funds?: "completed" | "returned";
}

const STATUSES: Readonly<Record<WithdrawalStatus, StatusRow>> = {
  PENDING: { next: ["PROCESSING", "CANCELLED"] },
  PROCESSING: { next: ["COMPLETED", "FAILED"] },
  COMPLETED: { next: [], funds: "completed" },
  FAILED: { next: [], funds: "returned" },
  CANCELLED: { next: [], funds: "returned" },
};

export const WITHDRAWAL_STATUS_RULES: StatusRules<WithdrawalStatus> = {
  first: "PENDING",
  statuses: STATUSES,
  expired: null,
};

/** Changes the status of a withdrawal; the counterpart for charges is `computeTransition`. */
export function transitionWithdrawal(
  withdrawal: Withdrawal,
  to: WithdrawalStatus,
  atMs: number,
  actor: Actor,
  reason?: string,
) {
  if (!STATUSES[withdrawal.status].next.includes(to)) return "illegal";
  const at = iso(atMs);
  const changed: Withdrawal = {
    ...withdrawal,
    status: to,
    updated_at: at,
    failure_reason: to === "FAILED" ? (reason ?? "rejected") : withdrawal.failure_reason,
    status_history: [
      ...withdrawal.status_history,
      reason === undefined ? { status: to, at } : { status: to, at, reason },
    ],
    actors: [...withdrawal.actors, actor],
  };
  return {
    withdrawal: changed,
    funds: STATUSES[to].funds ?? null,
    event: withdrawalEventType(to),
    shouldCancelTimeline: isByHand(actor) || STATUSES[to].next.length === 0,
  };
}
