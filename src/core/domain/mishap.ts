import { durationToMs } from "../schema/duration.js";
import type { Mishap } from "../schema/records/webhook-records.js";
import type { WebhookRule } from "../schema/scenario-rules.js";

export type Downtime = NonNullable<Mishap["down"]>;

/** Resolves a rule's downtime, which counts from `beganMs`. */
export function resolveDowntime(down: NonNullable<WebhookRule["down"]>, beganMs: number): Downtime {
  const { from = "0s", for: length, answer = "refused" } = typeof down === "string" ? { for: down } : down;
  const from_ms = beganMs + durationToMs(from);
  return { from_ms, until_ms: from_ms + durationToMs(length), answer };
}

/**
 * Returns the simulated failure of an attempt, which is then not sent; null if the attempt is sent.
 *
 * @param attempt from 1
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
