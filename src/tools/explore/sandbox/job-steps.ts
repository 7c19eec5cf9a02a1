import { durationToMs, formatDuration, parseDuration } from "../../../core/schema/time.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import { STEADY_DURATION } from "./app-pace.js";
import type { AppWaits } from "./app-waits.js";
import { type Flow, namesLaterVariable, readOf } from "./flow.js";
import { ANY_RESPONSE, type Placed, waitStep, withRole } from "./placed-steps.js";
import { inTurn, raceSteps } from "./race-steps.js";
import { type Baseline, JOB_DURATION, type SandboxPlan } from "./sandbox-plan.js";

/** Steps of the app's scheduled work, repeated after an error as a scheduler would. */
export function jobSteps({ scheduledWork }: Flow, deviations: number): RawStep[] {
  return scheduledWork.map((step) =>
    typeof step.app === "string" && deviations > 0 ? { ...step, tries: deviations + 1 } : step,
  );
}

/** Sandbox milliseconds of an `advance` step; undefined for other steps and unknown durations. */
export function advanceMs({ advance }: RawStep): number | undefined {
  return typeof advance === "string" ? parseDuration(advance) : undefined;
}

export function longestAdvanceMs({ drive }: Flow): number {
  return Math.max(0, ...drive.map((step) => advanceMs(step) ?? 0));
}

/** Returns true if every step that moves time has a known duration. Only then can a job run at a given time. */
export function hasKnownTimes({ drive, reset }: Flow): boolean {
  return [...drive, ...reset].every(
    (step) =>
      !["advance", "repeat", "parallel", "include"].includes(stepKindsOf(step)[0] ?? "") ||
      advanceMs(step) !== undefined,
  );
}

/** Inserts the app's scheduled work at the moments that the plan asks for. */
export function withJobs(
  placed: readonly Placed[],
  flow: Flow,
  plan: SandboxPlan,
  baseline: Baseline,
  { quiet }: AppWaits,
): Placed[] {
  const { unpaidSinceMs, variant, raceHeld } = plan;
  const ticks = jobSteps(flow, plan.set.length);
  const timed = plan.jobs.flatMap((job) => {
    if ("page" in job) return [];
    const { sinceMs, concurrent, isTwice = false } = job;
    if (concurrent === undefined) return [{ sinceMs, work: ticks, workMs: 0 }];
    const { webhook } = concurrent;
    const isPayout = webhook?.type.includes("withdrawal") === true;
    const arrival = { advance: JOB_DURATION, ...(quiet === undefined ? {} : { quiet }) };
    const work = raceSteps({
      name: isTwice ? JOB_TWICE_NAME : AT_ONCE_NAME,
      match:
        variant.side === "together"
          ? undefined
          : isPayout
            ? { operation: "getWithdrawal" }
            : baseline.readMatch,
      maxHeld: raceHeld,
      ...(isTwice ? { held: ticks, other: ticks } : inTurn(variant.side, ticks, [arrival])),
    });
    // The plan delays the webhook by the duration of the work. A change without one is not delayed: begin before it.
    const beginMs = webhook === undefined ? sinceMs - 1 : sinceMs;
    return [
      { sinceMs: beginMs, work: isTwice ? [...work, arrival] : work, workMs: durationToMs(JOB_DURATION) },
    ];
  });
  if (unpaidSinceMs !== undefined && hasKnownTimes(flow))
    timed.push({ sinceMs: unpaidSinceMs, work: [...ticks, ...looks(flow)], workMs: 0 });
  const startMs = flow.reset.reduce((sum, step) => sum + (advanceMs(step) ?? 0), 0);
  // Inserts the latest first, because an insertion shifts all later moments.
  return timed
    .sort((one, other) => other.sinceMs - one.sinceMs)
    .reduce(
      (all: Placed[], { sinceMs, work, workMs }) => inserted(all, sinceMs - startMs, work, workMs),
      [...placed],
    );
}

/** Steps that look at the app without judging it: some apps ask the service when they are looked at. */
function looks({ observe, scheduledWork }: Flow): RawStep[] {
  // Without scheduled work in the flow, the app may ask the service from time to time by itself.
  const pausesMs = [STEADY_DURATION, ...observe.map(({ steady = STEADY_DURATION }) => steady)].map(
    durationToMs,
  );
  const begins = { for: "request", match: { in_flight: true, runner: null } };
  const byItself =
    scheduledWork.length === 0 ? [waitStep(begins, formatDuration(Math.max(...pausesMs)))] : [];
  const views = observe.map((view) => {
    const { steady: _steady, ...read } = readOf(view);
    return { ...read, expect: ANY_RESPONSE };
  });
  return [...byItself, ...views];
}

export const JOB_TWICE_NAME = "The scheduled work runs twice at the same moment";
const AT_ONCE_NAME = "The scheduled work runs as the payment changes";

/** Inserts `steps` at `atMs`, in the middle of an advance. The steps themselves advance time by `lessMs`. */
function inserted(
  placed: readonly Placed[],
  atMs: number,
  steps: readonly RawStep[],
  lessMs: number,
): Placed[] {
  let nowMs = 0;
  for (const [index, { step, role }] of placed.entries()) {
    const byMs = advanceMs(step);
    if (byMs === undefined) continue;
    if (nowMs + byMs < atMs) {
      nowMs += byMs;
      continue;
    }
    const [beforeMs, afterMs] = [atMs - nowMs, nowMs + byMs - atMs - lessMs];
    const later = placed.slice(index + 1).map((one) => one.step);
    const advances = (ms: number, more: RawStep): RawStep[] =>
      ms > 0 ? [{ ...more, advance: formatDuration(ms) }] : [];
    return [
      ...placed.slice(0, index),
      ...withRole(role, advances(beforeMs, step)),
      ...withRole(
        "tail",
        steps.filter((one) => !namesLaterVariable(one, later)),
      ),
      ...withRole(role, advances(afterMs, {})),
      ...placed.slice(index + 1),
    ];
  }
  return [...placed];
}
