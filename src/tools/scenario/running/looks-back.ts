import type { LoadedStep } from "../step-places.js";
import type { StepKind } from "../steps/kinds.js";

/** Kinds of steps that look at nothing from before the run, whatever they say. */
const HERE_AND_NOW: readonly StepKind[] = [
  ...(["app", "request", "advance", "expect_charge", "transition", "fault"] as const),
  ...(["pay", "pay_twice", "cancel_then_pay", "close_page"] as const),
  ...(["repeat", "parallel", "include"] as const),
];

/** Whether a step may ask how things stood when the run began. */
export function looksBack({ kind, raw }: LoadedStep): boolean {
  if (kind === "wait_for") return raw.wait_for !== "idle" && raw.wait_for !== "charge";
  return !HERE_AND_NOW.includes(kind);
}
