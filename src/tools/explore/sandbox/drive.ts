import { findMismatches } from "../../../core/domain/deep-match.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import { durationToMs, formatDuration } from "../../../core/schema/time.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { readNewestId } from "../../scenario/running/control-lists.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import { Acts } from "../acts.js";
import { otherSide, type RunHost } from "../course.js";
import type { RunPlan } from "../run-plan.js";
import { holdsNothing } from "../run-record.js";
import type { Baseline } from "./facts.js";
import { advanceMs, type Flow, findJobs, findPresses, isAppWrite, lookOracle } from "./flow.js";
import { type FlowRun, StoppedRun, waitStep } from "./flow-run.js";
import { cancelStep, cancelThenPayStep, findPages, unpaidStep } from "./payment-steps.js";
import { ANY_RESPONSE } from "./process-course.js";
import { MEANWHILE_STATUS } from "./saved-variable.js";
import { failPayment } from "./second-try.js";
import { PRESENT } from "./views.js";

/** Carries out the flow as the user wrote it, and marks the customer's presses among the calls to the service. */
export async function drivePlain(run: FlowRun, flow: Flow): Promise<void> {
  const presses = findPresses(flow);
  const newestCall = () => readNewestId(run.access.client, "requests");
  for (const step of flow.drive) {
    const before = presses.includes(step) ? await newestCall() : undefined;
    if (step.advance === undefined) await run.step("drive", step);
    else await run.advance("drive", step);
    if (presses.includes(step)) run.pressMarks.push([before, await newestCall()]);
  }
}

/** The headers, such as a session's, with which the customer makes the call that leads to a page. */
function customerHeaders(page: RawStep, presses: readonly RawStep[], drive: readonly RawStep[]): unknown {
  const text = JSON.stringify(page);
  const before = presses.filter((press) => drive.indexOf(press) < drive.indexOf(page));
  const leadsTo = ({ save }: RawStep) =>
    Object.keys(Object(save)).some((name) => text.includes(`\${${name}}`));
  return (before.findLast(leadsTo) ?? before.at(-1))?.headers;
}

/** Carries out the flow with the deviations of a plan. A step that calls the app repeats a failed call. */
export function driveAsPlanned(
  run: FlowRun,
  host: RunHost,
  flow: Flow,
  plan: RunPlan,
  baseline: Baseline,
): Promise<void> {
  const { timeAdvance, set, variant, doubledJobs } = plan;
  const { drive } = flow;
  const acts = new Acts(host, plan, baseline);
  const [presses, jobs, pages] = [findPresses(flow), findJobs(flow), findPages(flow)];
  const tries = set.length + 1;
  const take = (step: RawStep) => run.step("drive", step);
  /** The app lacks what later steps need. */
  let stuck: StoppedRun | undefined;

  const paymentBy = (step: RawStep, page: number): Parameters<Acts["pay"]>[1] => {
    const known = baseline.pages[page];
    return {
      pay: (until) => take(until === undefined ? step : unpaidStep(step, until)),
      cancel: () => take(cancelStep(step)),
      cancelThenPay: () => take(cancelThenPayStep(step)),
      open: () =>
        take({
          name: "The customer opens success_url",
          app: `GET ${known!.returnPath!}`,
          headers: customerHeaders(step, presses, drive),
          tries,
          expect: { status: { lt: 500 } },
        }),
      isRuled: known?.isOwn !== false,
    };
  };

  /** Takes a step of the flow, whose response may lack what the step saves. */
  const takingStep = (step: RawStep, index: number, tolerant: RawStep, canEnd: boolean) => async () => {
    stuck = undefined;
    const mayRefuse = canEnd && step.app !== undefined && !expectsRefusal(step);
    const response = await take(tolerant).catch((error: unknown) => {
      if (!mayRefuse || !hasResponded(error)) throw error;
      stuck = error;
      return error.failure;
    });
    const isRefused = stuck !== undefined || Number(Object(response).status) >= 400;
    if (mayRefuse && isAppWrite(step) && isRefused) run.refused.add(index);
  };

  const retryRefused = async (index: number, once: () => Promise<void>): Promise<void> => {
    const isRefused = () => stuck !== undefined || run.refused.has(index);
    const retry = () => {
      run.refused.delete(index);
      return once();
    };
    // An app may refuse one of two presses at once, as it works on the other.
    if (isRefused() && plan.pressedTwice.size > 0) await retry();
    if (isRefused() && (await acts.waitForNews())) await retry();
    if (stuck !== undefined && !plan.changesPayment) throw stuck;
    if (acts.isUnheard && isAppWrite(flow.drive[index]!)) run.refused.add(index);
  };

  const act = async (step: RawStep, index: number): Promise<void> => {
    const page = pages.indexOf(step);
    if (page !== -1 || step.pay !== undefined) return acts.pay(page, paymentBy(step, page));
    if (step.advance !== undefined)
      return acts.advance(advanceMs(step) ?? Infinity, () => run.advance("drive", step));
    const press = presses.indexOf(step);
    const isAccepted = plan.flowVariant !== undefined && press !== -1;
    const tolerant = isAccepted ? acceptedPress(step) : tolerantStep(step, tries, run.waits.flowWait);
    const once = takingStep(step, index, tolerant, !isAccepted);
    const again = () => take(withoutSave(tolerant));
    if (press !== -1) {
      await acts.press(press, { once, again });
      return retryRefused(index, once);
    }
    acts.hasBegun ||= isAppWrite(step);
    const job = jobs.indexOf(step);
    // Holds the first at the app's first call.
    const match = holdsNothing(variant.side) ? undefined : {};
    const times = isAwaitedJob(flow, index) ? tries : 1;
    if (job === 0 && acts.isListReadByJob) await acts.amongStrangers(once);
    else if (doubledJobs.has(job))
      await run.race({ match, held: once, other: otherSide(variant.side, again) });
    else for (let time = 0; time < times; time++) await once();
    if (stuck !== undefined) return retryRefused(index, once);
  };

  const driveFlow = async (): Promise<void> => {
    acts.hasBegun = !drive.some(isAppWrite);
    for (const [index, step] of drive.entries()) {
      if (index === flow.secondTry) await failPayment(host, plan.flowVariant!.failing!, baseline.payableMs);
      if (lookOracle(step) !== undefined) await run.steps("drive", lookInPassing(step));
      else await act(step, index);
      await run.steps("drive", meanwhileSteps(flow, plan, index));
      if (stuck !== undefined) break;
    }
    await run.steps("drive", meanwhileSteps(flow, plan));
    await acts.afterFlow(jobs.length > 0);
  };

  if (timeAdvance === undefined) return driveFlow();
  // Time advances while the app waits for a response.
  const { by, call } = timeAdvance;
  const { customer_email } = baseline.customerMatch;
  const begin =
    call === undefined
      ? { wait_for: "charge", ...(customer_email === undefined ? {} : { match: { customer_email } }) }
      : { wait_for: "request", match: { operation: call.operation }, count: call.earlierCount + 1 };
  return run.together(driveFlow, () => run.steps("drive", [begin, { advance: by }]));
}

/** The step of others that the plan puts after an act of the flow, or at the end of the flow. */
function meanwhileSteps({ meanwhile }: Flow, { others, set }: RunPlan, after?: number): RawStep[] {
  const step = others?.after === after ? meanwhile[others?.step ?? -1] : undefined;
  if (step === undefined) return [];
  if (step.app === undefined) return [step];
  const { expect: _expect, save, ...call } = step;
  const saved = { ...(save as object), [MEANWHILE_STATUS]: "status" };
  return [{ ...call, tries: set.length + 1, expect: { status: { lt: 500 } }, save: saved }];
}

/** A look in the middle of the flow. It may show anything in a run that deviates, but it may change the app. */
function lookInPassing({ expect: _expect, ...look }: RawStep): RawStep[] {
  return look.app === undefined && look.run === undefined ? [] : [{ ...look, expect: ANY_RESPONSE }];
}

/** Returns true for scheduled work whose result a later step saves. In production, it runs until it succeeds. */
function isAwaitedJob({ drive, scheduledWork }: Flow, index: number): boolean {
  const { app } = drive[index]!;
  const isJob = app !== undefined && scheduledWork.some((step) => step.app === app);
  const later = drive.slice(index + 1);
  return (
    isJob && later.some((step) => step.app !== undefined && !isAppWrite(step) && step.save !== undefined)
  );
}

function hasResponded(error: unknown): error is StoppedRun {
  const { status = Infinity } = error instanceof StoppedRun ? error.failure : {};
  return status < 500;
}

function expectsRefusal({ expect }: RawStep): boolean {
  const status = isJsonObject(expect) ? expect.status : undefined;
  if (status === undefined) return false;
  return [200, 201, 202, 204].every((one) => findMismatches({ status }, { status: one }).length > 0);
}

/** A press of the customer that ends the run if the app refuses it. */
function acceptedPress(step: RawStep): RawStep {
  if (expectsRefusal(step)) return step;
  return { ...step, expect: { status: { lt: 400 }, ...savedFields(step.save) } };
}

export function withoutSave({ save: _save, expect: _expect, ...step }: RawStep): RawStep {
  return { ...step, expect: { status: { lt: 500 } } };
}

/** Maximum wait in a step of the flow, unless a shorter one is known to be enough. */
const MAX_FLOW_WAIT = "10s";

/** Makes a step of the flow that goes on although something deviates. */
export function tolerantStep(step: RawStep, tries: number, flowWait: string | undefined): RawStep {
  const [kind] = stepKindsOf(step);
  if (kind === "app") {
    const { expect, ...call } = step;
    const expectsFailure = isJsonObject(expect) && ("dropped" in expect || "timeout" in expect);
    return expectsFailure
      ? step
      : { ...call, tries, expect: { status: { lt: 500 }, ...savedFields(step.save) } };
  }
  if (kind !== "wait_for" || step.wait_for === "idle") return step;
  if (step.save === undefined) return tolerantWait(step, flowWait);
  // Later steps need the saved record, whatever its status.
  const { status: _status, ...match } = (step.match ?? {}) as Record<string, unknown>;
  return { ...step, match };
}

/** Waits as the flow does, for `flowWait` at most, and passes even if nothing comes in this run. */
function tolerantWait({ name, wait_for, match, count, within }: RawStep, flowWait = MAX_FLOW_WAIT): RawStep {
  const maxMs = Math.min(durationToMs(flowWait), durationToMs((within as string | undefined) ?? flowWait));
  const condition = {
    for: wait_for,
    match: { ...(match as object), ...(wait_for === "request" ? { runner: null } : {}) },
    ...(count === undefined ? {} : { count }),
  };
  return { ...(name === undefined ? {} : { name }), ...waitStep(condition, formatDuration(maxMs)) };
}

/** Returns the expectation that the response body has every field that `save` reads. */
function savedFields(save: unknown): { readonly body?: unknown } {
  const bodies = Object.values(isJsonObject(save) ? save : {}).flatMap((path) =>
    typeof path === "string" && /^body(\.[A-Za-z_]\w*)+$/.test(path) ? [path.split(".").slice(1)] : [],
  );
  if (bodies.length === 0) return {};
  return { body: Object.fromEntries(bodies.map(([field]) => [field, PRESENT])) };
}
