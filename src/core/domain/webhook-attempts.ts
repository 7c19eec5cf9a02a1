import { isSuccessStatus } from "../schema/http-response.js";
import type { Mishap } from "../schema/records/webhook-records.js";
import type { WebhookRule } from "../schema/scenario-rules.js";
import { clampInstant, durationToMs } from "../schema/time.js";

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

type Downtime = NonNullable<Mishap["down"]>;

/** Converts a rule's downtime to instants. The rule's `from` is relative to `beganMs`. */
export function resolveDowntime(down: NonNullable<WebhookRule["down"]>, beganMs: number): Downtime {
  const { from = "0s", for: length, answer = "refused" } = typeof down === "string" ? { for: down } : down;
  const from_ms = clampInstant(beganMs + durationToMs(from));
  return { from_ms, until_ms: clampInstant(from_ms + durationToMs(length)), answer };
}

/** The failure to simulate at the attempt, counted from 1; null if the request must be sent. */
export function simulatedFailure(
  mishap: Mishap | null,
  attempt: number,
  atMs: number,
): Downtime["answer"] | "lost" | null {
  if (mishap === null) return null;
  if (attempt <= mishap.fail_first) return "lost";
  const { down } = mishap;
  return down !== undefined && down.from_ms <= atMs && atMs < down.until_ms ? down.answer : null;
}
