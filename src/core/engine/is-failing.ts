import type { Delivery } from "./records.js";

/** Returns true if attempts were made and none succeeded; false for manual resends. */
export function isFailing({ status, attempts, mishap }: Delivery): boolean {
  return attempts.length > 0 && (status === "failed" || status === "pending") && !mishap?.by_hand;
}
