import type { Mode, WithdrawalStatus } from "../schema/common.js";
import { withdrawalEventType } from "../schema/event-types.js";
import type { WithdrawalEntry } from "../schema/scenario.js";
import { iso } from "../schema/time.js";
import type { Actor, ChargeNote } from "./charge.js";
import type { StatusRules } from "./timeline.js";

/** A withdrawal as the engine keeps it: the wire fields first (contract section 2: withdrawal). */
export interface Withdrawal {
  readonly withdrawal_id: string;
  readonly destination_id: string;
  readonly organization_id: string;
  readonly amount: string;
  readonly fee: string;
  readonly currency: string;
  readonly status: WithdrawalStatus;
  readonly failure_reason: string | null;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly updated_at: string;

  readonly seq: number;
  readonly mode: Mode;
  /** The scenario asked for by name, and the one whose rule matched. */
  readonly scenario_asked: string | null;
  readonly scenario: string | null;
  readonly timeline: readonly WithdrawalEntry[];
  /** The task that carries on the timeline, if it goes on. */
  readonly timeline_task: number | null;
  /** Entries that came too late, names that matched nothing. */
  readonly notes: readonly ChargeNote[];
}

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
