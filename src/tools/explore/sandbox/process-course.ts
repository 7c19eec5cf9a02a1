import { durationToMs, formatDuration } from "../../../core/schema/time.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { type RunHost, type Stop, stopsOf } from "../course.js";
import { JOB_DURATION, type RunPlan } from "../run-plan.js";
import { STEADY_DURATION } from "./app-pace.js";
import { ANY_RESPONSE, jobSteps } from "./drive.js";
import type { Baseline } from "./facts.js";
import { advanceMs, type Flow, hasKnownTimes, readOf } from "./flow.js";
import { type FlowRun, waitStep } from "./flow-run.js";
import { partialRefundSteps } from "./payment-steps.js";

/**
 * An app behind HTTP as the host of a run.
 *
 * @param plan undefined for a run without deviations
 * @param role `repeat` for an end that follows once more
 */
export function runHostOf(
  run: Pick<FlowRun, "advance" | "advanceInStop" | "knows" | "race" | "step" | "steps">,
  flow: Flow,
  plan?: RunPlan,
  customerMatch: Baseline["customerMatch"] = {},
  role: "tail" | "repeat" = "tail",
): RunHost {
  const work = jobSteps(flow, plan?.set.length ?? 0);
  // In the middle of the flow, a step may name an order that is not placed yet.
  const known = (steps: readonly RawStep[]) =>
    run.steps(
      role,
      steps.filter((step) => run.knows(step)),
    );
  const tick = () => known(work);
  return {
    hasJob: work.length > 0,
    advance: (byMs, isBeforeJob = false) =>
      run.advance(role, { advance: formatDuration(byMs) }, role === "tail" && !isBeforeJob),
    tick,
    job: tick,
    arrive: () => run.advanceInStop(JOB_DURATION),
    look: () => known(looks(flow)),
    race: (race) => run.race(race),
    refund: (amount) => run.steps(role, partialRefundSteps(amount, customerMatch)),
    endDeviations: () => run.step(role, { name: "Everything works again", fault: "clear" }),
  };
}

/** The stops of a run, by the time that passes in its flow. */
export function flowStops(host: RunHost, flow: Flow, plan: RunPlan, baseline: Baseline): Stop[] {
  if (!hasKnownTimes(flow)) return [];
  const resetMs = flow.reset.reduce((sum, step) => sum + (advanceMs(step) ?? 0), 0);
  return stopsOf(host, plan, baseline).map(({ sinceMs, work }) => ({ sinceMs: sinceMs - resetMs, work }));
}

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
