import { durationToMs, formatDuration } from "../../../core/schema/time.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { type RunHost, type Stop, stopsOf } from "../course.js";
import { JOB_DURATION, type RunPlan } from "../run-plan.js";
import type { StepRole } from "../run-record.js";
import { STEADY_DURATION } from "./app-pace.js";
import type { Baseline } from "./facts.js";
import { advanceMs, type Flow, hasKnownTimes, readOf } from "./flow.js";
import { type FlowRun, waitStep } from "./flow-run.js";
import { customerEmail } from "./money.js";
import { DURING_TIME_NAME, lookName, savedVariable } from "./saved-variable.js";

/** Expects a response, whatever its status. */
export const ANY_RESPONSE = { status: { gte: 100 } };
const READ_TIME: RawStep = { request: "GET /_sandbox/clock", save: { [DURING_TIME_NAME]: "body.now" } };

/**
 * An app behind HTTP as the host of a run.
 *
 * @param plan undefined for a run without deviations
 * @param role `repeat` for an end that follows once more
 */
export function runHostOf(
  run: Pick<
    FlowRun,
    "access" | "advance" | "advanceInStop" | "isAlone" | "knows" | "loaded" | "ownPart" | "race" | "step"
  >,
  flow: Flow,
  plan?: RunPlan,
  customerMatch: Baseline["customerMatch"] = {},
  role: "tail" | "repeat" = "tail",
): RunHost {
  const tries = (plan?.set.length ?? 0) + 1;
  const work = flow.scheduledWork.map((step) =>
    typeof step.app === "string" && tries > 1 ? { ...step, tries } : step,
  );
  // In the middle of the flow, a step may name an order that is not placed yet.
  const known = async (of: StepRole, steps: readonly RawStep[]) => {
    for (const step of steps) if (run.knows(step)) await run.step(of, step);
  };
  const tick = () => known(role, work);
  return {
    hasJob: work.length > 0,
    email: customerEmail({ customerMatch }, run.loaded.runId),
    advance: (byMs, isBeforeJob = false) =>
      run.advance(role, { advance: formatDuration(byMs) }, role === "tail" && !isBeforeJob),
    pause: async (ms) => {
      // Runs of one clock go on together: this one is repeated by itself.
      if (!run.isAlone) throw new Error("the app refuses the customer, who comes back later");
      await run.advance("tail", { advance: formatDuration(ms) });
    },
    tick,
    job: tick,
    arrive: () => run.advanceInStop(JOB_DURATION),
    look: () => known(role, looks(flow)),
    lookAt: async (moment) => {
      const views = flow.observe.map((view, index) => ({
        ...readOf(view),
        expect: ANY_RESPONSE,
        save: { [lookName(moment, index)]: "body" },
      }));
      await known("drive", moment === "during" ? [...views, READ_TIME] : views);
      for (const index of flow.observe.keys()) {
        const name = lookName(moment, index);
        run.loaded.scope.save(name, run.ownPart(savedVariable(run.loaded, name)));
      }
    },
    race: (race) => run.race(race),
    // A step repeats its own call.
    repeat: (press) => press(),
    settle: (press) => press(),
    others: (act) => act(run.access),
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
