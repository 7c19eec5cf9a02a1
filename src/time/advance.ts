import type { Task } from "../engine/records.js";
import { type Refusal, refuse } from "../schema/errors.js";
import { iso } from "../schema/time.js";

/** One thing that happened because its time came. */
export interface Fired {
  readonly at: string;
  readonly task: Task["kind"];
  readonly ref: string;
}

export interface AdvanceReport {
  readonly from: string;
  readonly to: string;
  readonly fired: readonly Fired[];
  readonly fired_total: number;
}

/** Until when an advance goes: an instant, the next thing due, or until nothing is planned any more. */
export type AdvanceTarget =
  | { readonly toMs: number }
  | { readonly byMs: number }
  | { readonly until: "next" | "idle" };

/** Webhooks that lead to calls, and those to webhooks, so many times in a row will never come to rest. */
export const LONGEST_CHAIN = 1_000;

export function clockBusy(): Refusal {
  return refuse("CLOCK_BUSY", "The clock is being advanced. Try again when that is done, or pass ?wait=10s.");
}

export function beyondTime(field: "by" | "to"): Refusal {
  return refuse("VALIDATION_ERROR", "Sandbox time ends with the year 9999.", {
    [field]: "goes beyond the year 9999",
  });
}

export function neverPast(nowMs: number): Refusal {
  return refuse(
    "VALIDATION_ERROR",
    `Time does not get past ${iso(nowMs)}: each webhook gives rise to another.`,
    { by: "what happens at one instant never ends" },
  );
}

export function neverIdle(nowMs: number): Refusal {
  return refuse(
    "VALIDATION_ERROR",
    `It never comes to rest: by ${iso(nowMs)} webhooks have led to calls, and those to webhooks, ${LONGEST_CHAIN} times in a row. Advance by a duration or to an instant instead.`,
    { until: "what is planned never ends" },
  );
}
