import { durationToMs, formatDuration } from "../../../core/schema/time.js";
import type { QuietReport, RetryReport } from "../../../core/time/app-activity.js";
import { systemWallClock } from "../../../core/time/wall-clock.js";
import type { LogRow } from "../../scenario/running/control-lists.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import type { RunPlan } from "../run-plan.js";
import type { ObservedCall, ObservedRun } from "../run-record.js";
import type { Flow } from "./flow.js";

/** Wall time that a view of the app must stay unchanged before a step accepts the view. */
export const STEADY_DURATION = "250ms";

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
  const maxMs = Math.max(steadyMs(flow), ownQuietMs(flow));
  return `${Math.max(MIN_QUIET_MS, Math.min(2 * longestMs, maxMs))}ms`;
}

/** The longest quiet period that the flow's own advances ask for; 0 if none does. */
function ownQuietMs({ drive }: Flow): number {
  return Math.max(0, ...drive.map(({ quiet = "0ms" }) => durationToMs(String(quiet))));
}

/** Returns true if the app keeps working after a response: it responds with 202, or a step of the flow waits for it. */
function isAsynchronous(flow: Flow, { deliveries }: ObservedRun): boolean {
  const { drive } = flow;
  return (
    ownQuietMs(flow) > 0 ||
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

/** Maximum wall time to wait for the app's next call after a failed one, in a patient and in an eager run. */
const PATIENT_RETRY_MS = 10_000;
const EAGER_RETRY_MS = 2_000;
/** Room for a retry that takes longer than the earlier ones. */
const RETRY_MARGIN_MS = 500;
/** A call that comes sooner may not be a retry. */
const MIN_PAUSE_MS = 100;
/** Minimum wait in a `wait_for` step of the flow, in which nothing may come. */
const MIN_FLOW_WAIT_MS = 100;

/** A run that made a call fail, and did not wait for the app to repeat the call. */
interface WatchedRun {
  readonly plan: RunPlan;
  readonly runId: string;
  readonly untilMs: number;
}

/** Learns how long the app pauses before it repeats a failed call, by operation. */
export class RetryPace {
  /** Operation → longest pause in milliseconds of wall time; 0 if the app was not seen to repeat the call. */
  readonly #pauses = new Map<string, number>();
  /** Operations for which a patient run waited in vain. */
  readonly #vain = new Set<string>();
  #watched: WatchedRun[] = [];
  /** The app has repeated a call after the end of its run. From then on, each run waits. */
  #hasLateCalls = false;

  /** Returns true if an eager run need not wait: the app is not known to pause before it repeats a call. */
  canWatch({ failingOperations, faults }: RunPlan): boolean {
    const isUnknown = [...this.#pauses.values()].every((pauseMs) => pauseMs === 0);
    const areOwn = faults.every(({ match }) => match?.customer_email !== undefined);
    const isNew = failingOperations.some((operation) => !this.#pauses.has(operation));
    return !this.#hasLateCalls && isUnknown && areOwn && isNew;
  }

  /**
   * Looks for the app's repeats of a failed call among the calls of later runs.
   *
   * @param last calls of the run after its end
   */
  watch(plan: RunPlan, runId: string, last: readonly Pick<ObservedCall, "operation">[]): void {
    this.#watched.push({ plan, runId, untilMs: systemWallClock.nowMs() + EAGER_RETRY_MS });
    this.#hasLateCalls ||= last.some(({ operation }) => plan.failingOperations.includes(operation));
  }

  /** Searches the calls of a later run. An operation that the app does not repeat in time needs no further wait. */
  noteLater(requests: readonly LogRow[]): void {
    this.#hasLateCalls ||= this.#watched.some(({ plan, runId }) =>
      requests.some(
        ({ operation, runner, request_body, response_body }) =>
          runner === null &&
          plan.failingOperations.includes(String(operation)) &&
          JSON.stringify([request_body, response_body]).includes(runId),
      ),
    );
    if (this.#hasLateCalls) return;
    const isOver = ({ untilMs }: WatchedRun) => untilMs <= systemWallClock.nowMs();
    for (const { plan } of this.#watched.filter(isOver))
      for (const one of plan.failingOperations) this.#pauses.set(one, this.#pauses.get(one) ?? 0);
    this.#watched = this.#watched.filter((run) => !isOver(run));
  }

  /** Wall time until the last watch ends, in milliseconds. */
  get watchMs(): number {
    if (this.#hasLateCalls) return 0;
    return Math.max(0, ...this.#watched.map(({ untilMs }) => untilMs - systemWallClock.nowMs()));
  }

  /** Returns the watched runs, which must be repeated, and forgets them. */
  takeWatched(): RunPlan[] {
    return this.#watched.splice(0).map(({ plan }) => plan);
  }

  learn(plan: RunPlan, reports: readonly RetryReport[]): void {
    const { failingOperations, variant, isWatched } = plan;
    const longestMs = longestPauseMs(reports);
    const hasCalled = longestMs >= MIN_PAUSE_MS;
    if (!hasCalled && (isWatched || reports.every(({ in_vain }) => in_vain === 0))) return;
    for (const operation of failingOperations) {
      this.#pauses.set(operation, Math.max(hasCalled ? longestMs : 0, this.#pauses.get(operation) ?? 0));
      if (variant.isPatient && !hasCalled) this.#vain.add(operation);
    }
  }

  /**
   * Returns true if the app repeated a failed call after a longer pause than an eager run waits.
   *
   * @param canWatch an eager run does not wait
   */
  hasPausedLonger(
    { failingOperations }: RunPlan,
    reports: readonly RetryReport[],
    canWatch: boolean,
  ): boolean {
    const eagerMs = canWatch ? MIN_PAUSE_MS : this.#eagerMs(failingOperations);
    return failingOperations.length > 0 && longestPauseMs(reports) > eagerMs;
  }

  /** Returns how long a run waits for the app's next call after a failed one; undefined if it makes no call fail. */
  waitFor(plan: RunPlan): string | undefined {
    // Waits 1 ms at least, because only a wait reports the app's pauses.
    return plan.failingOperations.length === 0 ? undefined : formatDuration(Math.max(1, this.#waitMs(plan)));
  }

  /** Returns how long a run waits in a `wait_for` step of the flow. @param plainMs wait in a plain run */
  flowWaitFor(plan: RunPlan, plainMs: number): string {
    return formatDuration(MIN_FLOW_WAIT_MS + 3 * plainMs + this.#waitMs(plan));
  }

  #waitMs({ failingOperations, variant, isWatched }: RunPlan): number {
    if (isWatched) return 0;
    if (!variant.isPatient) return this.#eagerMs(failingOperations);
    const waits = failingOperations.map((one) => (this.#vain.has(one) ? EAGER_RETRY_MS : PATIENT_RETRY_MS));
    return Math.max(0, ...waits);
  }

  #eagerMs(operations: readonly string[]): number {
    // The pause before a retry of an unknown operation may be as long as that of a known one.
    const longestMs = Math.max(0, ...this.#pauses.values());
    const waits = operations.map((operation) => {
      const pauseMs = this.#pauses.get(operation);
      if (pauseMs === 0) return 0;
      const knownMs = 3 * (pauseMs ?? longestMs) + RETRY_MARGIN_MS;
      return Math.min(PATIENT_RETRY_MS, pauseMs === undefined ? Math.max(EAGER_RETRY_MS, knownMs) : knownMs);
    });
    return Math.max(0, ...waits);
  }
}

function longestPauseMs(reports: readonly RetryReport[]): number {
  return Math.max(0, ...reports.map(({ longest_ms }) => longest_ms));
}
