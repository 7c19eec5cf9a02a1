import type { Delivery } from "./records.js";

/** Attempted and not delivered. Manual resends are ignored. */
export function isFailing({ status, attempts, mishap }: Delivery): boolean {
  return attempts.length > 0 && (status === "failed" || status === "pending") && !mishap?.by_hand;
}
