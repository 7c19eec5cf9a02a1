import type { WithdrawalStatus } from "../schema/common.js";
import { withdrawalEventType } from "../schema/event-types.js";
import type { Withdrawal } from "../schema/records/payments.js";
import { iso } from "../schema/time.js";
import type { Actor } from "./charge.js";
import type { StatusRules } from "./timeline.js";

export type { Withdrawal } from "../schema/records/payments.js";

export const WITHDRAWAL_TRANSITIONS: Readonly<Record<WithdrawalStatus, readonly WithdrawalStatus[]>> = {
  PENDING: ["PROCESSING", "CANCELLED"],
  PROCESSING: ["COMPLETED", "FAILED"],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
};

/** What a withdrawal's plan goes by. */
export const WITHDRAWAL_RULES: StatusRules<WithdrawalStatus> = {
  first: "PENDING",
  transitions: WITHDRAWAL_TRANSITIONS,
  expired: null,
};

export interface WithdrawalTransition {
  readonly withdrawal: Withdrawal;
  /** What happens to the funds in transit, if anything. */
  readonly funds: "arrived" | "returned" | null;
  readonly event: string;
  readonly cancelTimeline: boolean;
}

/** The only way a withdrawal's status changes. Pure, like the charge's. */
export function transitionWithdrawal(
  withdrawal: Withdrawal,
  to: WithdrawalStatus,
  atMs: number,
  actor: Actor,
  reason?: string,
): WithdrawalTransition | "illegal" {
  if (!WITHDRAWAL_TRANSITIONS[withdrawal.status].includes(to)) return "illegal";
  return {
    withdrawal: {
      ...withdrawal,
      status: to,
      updated_at: iso(atMs),
      failure_reason: to === "FAILED" ? (reason ?? "rejected") : withdrawal.failure_reason,
    },
    funds: to === "COMPLETED" ? "arrived" : to === "FAILED" || to === "CANCELLED" ? "returned" : null,
    event: withdrawalEventType(to),
    cancelTimeline: actor === "control" || WITHDRAWAL_TRANSITIONS[to].length === 0,
  };
}
