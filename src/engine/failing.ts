import type { Delivery } from "./records.js";

/** It was tried, and nobody has taken it; what was sent by hand to see what comes of it fails nobody. */
export function isFailing({ status, attempts, mishap }: Delivery): boolean {
  return attempts.length > 0 && (status === "failed" || status === "pending") && !mishap?.by_hand;
}
