import { durationToMs } from "../../../core/schema/duration.js";
import type { QuietReport } from "../../../core/time/app-activity.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import type { ObservedRun } from "../deviable.js";
import type { Flow } from "./flow.js";
import { STEADY_DURATION } from "./run-document.js";

/** Response time of a small app on an idle machine, in milliseconds. */
const PROMPT_MS = 20;
const MAX_PACE = 5;

/** Returns how many times slower than `PROMPT_MS` the app responds, from 1 to `MAX_PACE`. */
export function paceOf(responseMs: number): number {
  return Math.max(1, Math.min(MAX_PACE, Math.round(responseMs / PROMPT_MS)));
}

const MIN_QUIET_MS = 20;
/** Minimum wait after each webhook while a plain run measures how long the app keeps working. */
const LEARNING_QUIET_MS = 100;

export function learningQuietMs({ observe }: Flow): number {
  return Math.max(LEARNING_QUIET_MS, ...observe.map(({ steady = "0ms" }) => durationToMs(steady)));
}

export function steadyMs(flow: Flow): number {
  return Math.max(durationToMs(STEADY_DURATION), learningQuietMs(flow));
}

/**
 * Returns how long the app must make no calls after a webhook before time advances. The period is twice the longest
 * work after a response in the plain run, within limits. Returns undefined if no work followed a response.
 */
export function quietPeriodOf(
  flow: Flow,
  observed: ObservedRun,
  reports: readonly QuietReport[],
  waitedMs: number,
): string | undefined {
  if (!isAsynchronous(flow, observed) && reports.every(({ calls }) => calls === 0)) return undefined;
  const longestMs = Math.max(0, waitedMs, ...reports.map(({ longest_ms }) => longest_ms));
  return `${Math.max(MIN_QUIET_MS, Math.min(2 * longestMs, steadyMs(flow)))}ms`;
}

/** Returns true if the app keeps working after a response: it responds with 202, or the flow has a `wait_for` step. */
function isAsynchronous({ drive }: Flow, { deliveries }: ObservedRun): boolean {
  return (
    deliveries.some(({ attempts }) => attempts.some(({ status }) => status === 202)) ||
    drive.some((step) => stepKindsOf(step)[0] === "wait_for")
  );
}

/** Returns true if the app may keep working after its responses: `isAsynchronous`, or it calls after a webhook. */
export function canContinueAfterResponse(flow: Flow, observed: ObservedRun): boolean {
  const { calls, deliveries } = observed;
  const firstMs = Math.min(...deliveries.flatMap(({ attempts }) => attempts.map(({ atMs }) => atMs)));
  return isAsynchronous(flow, observed) || calls.some(({ isByFlow, atMs }) => !isByFlow && atMs >= firstMs);
}
