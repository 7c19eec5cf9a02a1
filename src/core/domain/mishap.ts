import { durationToMs } from "../schema/duration.js";
import type { Mishap } from "../schema/records/webhook-records.js";
import type { WebhookRule } from "../schema/scenario-rules.js";
import { clampInstant } from "../schema/time.js";

export type Downtime = NonNullable<Mishap["down"]>;

/** Converts a rule's downtime to instants. The rule's `from` is relative to `beganMs`. */
export function resolveDowntime(down: NonNullable<WebhookRule["down"]>, beganMs: number): Downtime {
  const { from = "0s", for: length, answer = "refused" } = typeof down === "string" ? { for: down } : down;
  const from_ms = clampInstant(beganMs + durationToMs(from));
  return { from_ms, until_ms: clampInstant(from_ms + durationToMs(length)), answer };
}

/**
 * Returns the failure to simulate in place of a request; null if the request must be sent.
 *
 * @param attempt number of the attempt, from 1
 */
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
