import { durationToMs, formatDuration } from "../../../core/schema/time.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import type { ObservedRun } from "../deviable.js";
import { JOB_INTERVAL } from "./app-waits.js";
import type { Flow } from "./flow.js";
import { jobSteps } from "./job-steps.js";
import type { Placed } from "./placed-steps.js";

/** Sandbox time longer than all retries and repetitions of a webhook. */
const LONG = "5d";
/** Room for what follows the last deadline: a late payment, its webhooks and their retries. */
const AFTER_DEADLINE_MS = durationToMs("4d");

/**
 * Sandbox time from the flow's end to the run's: the same for all runs of a flow, as a job may add to each day.
 *
 * @param longestAdvanceMs the longest time that the flow advances at once
 */
export function restDuration(longestAdvanceMs: number, { charges }: ObservedRun): string {
  const expiriesMs = charges.map(({ createdMs, expiresMs }) => expiresMs - createdMs);
  const deadlineMs = Math.max(longestAdvanceMs, ...expiriesMs);
  return formatDuration(
    Math.max(durationToMs(LONG), Math.ceil(deadlineMs / DAY_MS) * DAY_MS + AFTER_DEADLINE_MS),
  );
}

const DAY_MS = durationToMs("1d");

/** Variables with sandbox times: the end of the flow's steps, the start of the quiet end, the end of the run. */
export const MOMENT_NAMES = { driven: "driven_until", quiet: "quiet_since", end: "ended_at" } as const;

interface QuietEndOptions {
  readonly deviations?: number;
  /** Number of calls that deviate. Each may be one of the scheduled work. */
  readonly deviatingCalls?: number;
  /** The customer pays late: the scheduled work may return the money, and see an hour later that it is returned. */
  readonly isPaidLate?: boolean;
  /** Refunds a part of the charge, which the scheduled work may have to create first. */
  readonly refund?: readonly RawStep[];
  /** Result of `restDuration`. */
  readonly rest?: string | undefined;
}

/**
 * Makes the steps that follow the flow. The scheduled work runs hourly: each deviating call may disturb one of its runs,
 * and the next one comes while an Idempotency-Key is still valid. In the quiet end nothing deviates, and time passes for
 * all retries.
 */
export function quietEnd(
  flow: Flow,
  { deviations = 0, deviatingCalls = 0, isPaidLate = false, refund = [], rest = LONG }: QuietEndOptions = {},
): Placed[] {
  const work = jobSteps(flow, deviations);
  const hours = deviatingCalls + 1;
  const end = { [MOMENT_NAMES.end]: "to" };
  const first = { name: "Time passes", save: { [MOMENT_NAMES.driven]: "from" } };
  const hourly =
    work.length === 0
      ? [{ ...first, advance: formatDuration(hours * durationToMs(JOB_INTERVAL)) }]
      : Array.from({ length: hours }, (_, hour) => [
          { ...(hour === 0 ? first : {}), advance: JOB_INTERVAL },
          ...work,
        ]).flat();
  const steps: RawStep[] = [
    ...hourly,
    ...refund,
    { name: "Everything works again", fault: "clear" },
    { advance: rest, save: { [MOMENT_NAMES.quiet]: "from", ...end } },
    ...work,
    ...(isPaidLate && work.length > 0 ? [{ advance: JOB_INTERVAL, save: end }, ...work] : []),
    { wait_for: "idle" },
  ];
  return steps.map((step) => ({ step, role: "wait_for" in step ? "rest" : "tail" }));
}
