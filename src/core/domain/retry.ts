import { isSuccessStatus } from "../schema/http-response.js";

interface ReceiverResponse {
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;
}

type RetryDecision =
  | { readonly next: "delivered" | "disable" | "give_up" }
  | { readonly next: "retry"; readonly afterMs: number };

/** Maximum Retry-After, unless a step of the schedule is longer. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Decides what follows an attempt. Status 410 disables the endpoint; other failures are retried by the schedule.
 * After status 429 or 503, a Retry-After that exceeds the scheduled pause postpones the retry.
 */
export function decideRetry(
  answer: ReceiverResponse,
  attemptsMade: number,
  scheduleMs: readonly number[],
): RetryDecision {
  if (isSuccessStatus(answer.status)) return { next: "delivered" };
  if (answer.status === 410) return { next: "disable" };
  const afterMs = scheduleMs[attemptsMade - 1];
  if (afterMs === undefined) return { next: "give_up" };
  const retryAfterMs = answer.status === 429 || answer.status === 503 ? (answer.retryAfterMs ?? 0) : 0;
  const allowedMs = Math.min(retryAfterMs, Math.max(MAX_RETRY_AFTER_MS, ...scheduleMs));
  return { next: "retry", afterMs: Math.max(afterMs, allowedMs) };
}
