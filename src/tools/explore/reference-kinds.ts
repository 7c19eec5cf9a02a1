import type { Deviation, DeviationKind, DeviationSet } from "./deviation-set.js";
import { AT_END } from "./places.js";

/**
 * Kinds that end the payment, or repeat a press, as a customer or the service may. A run of one of them alone is the
 * reference for runs with the same money; a later one may need an earlier one.
 */
const REFERENCE_KINDS: readonly DeviationKind[] = [
  "expired_unpaid",
  "declined",
  "cancelled_then_paid",
  "returned_unpaid",
  "refunded",
  "partly_refunded",
  "paid_late",
  "pressed_again",
  "meanwhile",
];

/** Reference kinds that let the payment end as it does. */
const NOT_ENDS: readonly DeviationKind[] = ["pressed_again", "meanwhile"];

/** Kinds that are no reference, and judged by the view of an unpaid order. */
const UNPAID_VIEW_KINDS: readonly DeviationKind[] = [
  "webhook_forged",
  "foreign_charge",
  "underpaid",
  "overpaid",
  "paid_in_other_currency",
  "awkward_value",
  "tried_again",
];

/** Puts the deviations whose runs are references before those that are compared with them. */
export function referencesFirst(deviations: readonly Deviation[]): Deviation[] {
  const references = REFERENCE_KINDS.flatMap((kind) => deviations.filter((one) => one.kind === kind));
  return [...references, ...deviations.filter((one) => !references.includes(one))];
}

/** Returns true if a run of the set is compared with the end of a run of the deviation alone. */
export function isReferenceFor({ kind, at }: Deviation, set: DeviationSet): boolean {
  const isPart = set.some((one) => one.kind === kind && one.at === at);
  if (isPart) return set.length > 1;
  const kinds = set.map((one) => one.kind);
  if (kind === "meanwhile") {
    const step = at.endsWith(AT_END) ? at.slice(0, -AT_END.length) : undefined;
    return set.some((one) => one.kind === kind && one.at.startsWith(`${step} after `));
  }
  if (kind === "pressed_again") return set.some((one) => one.kind === "pressed_twice" && one.at === at);
  if (kind === "refunded") return kinds.includes("partly_refunded");
  const isEnd = (one: DeviationKind) => REFERENCE_KINDS.includes(one) && !NOT_ENDS.includes(one);
  return kind === "expired_unpaid" && kinds.some((one) => isEnd(one) || UNPAID_VIEW_KINDS.includes(one));
}
