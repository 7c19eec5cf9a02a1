import type { ChargeStatus } from "../../../core/schema/common.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import { durationToMs, formatDuration } from "../../../core/schema/time.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import type { AppWaits } from "./app-waits.js";
import {
  type Flow,
  findJobs,
  findPresses,
  isAppWrite,
  lookOracle,
  namesLaterVariable,
  readOf,
} from "./flow.js";
import { advanceMs, JOB_TWICE_NAME, jobSteps } from "./job-steps.js";
import { meanwhileSteps } from "./meanwhile-steps.js";
import { cancelStep, findPages, foreignSteps, returnSteps, unpaidStep } from "./payment-steps.js";
import { ANY_RESPONSE, waitStep } from "./placed-steps.js";
import { inTurn, raceSteps } from "./race-steps.js";
import type { Baseline, RunVariables, SandboxPlan } from "./sandbox-plan.js";
import { DURING_TIME_NAME, type LookMoment, lookName, savedVariable } from "./saved-variable.js";
import { pressOfList, withStrangers } from "./strangers.js";
import { PRESENT } from "./views.js";

const PRESSED = "The customer presses again before there is a response";
/** Variables with the newest call to the service before and after a press, each as a list. */
export function pressMarkNames(press: number): [before: string, after: string] {
  return [`before_press_${press}`, `after_press_${press}`];
}

/** Makes a plain run save the newest call to the service before and after each press of the customer. */
export function withPressMarks(flow: Flow): RawStep[] {
  const presses = findPresses(flow);
  return flow.drive.flatMap((step) => {
    const press = presses.indexOf(step);
    if (press === -1) return [step];
    const [before, after] = pressMarkNames(press).map((name) => ({
      request: "GET /_sandbox/requests?limit=1",
      save: { [name]: "body.items" },
    }));
    return [before!, step, after!];
  });
}

/** Adapts the flow's steps to deviations. A step that calls the app repeats a failed call. */
export function driveSteps(
  flow: Flow,
  plan: SandboxPlan,
  baseline: Baseline,
  { flowWait }: AppWaits,
): RawStep[] {
  const { pressedTwice, set, strangers, foreignCharge } = plan;
  const presses = findPresses(flow);
  const jobs = findJobs(flow);
  const pages = findPages(flow);
  const isReadByJob = strangers !== undefined && pressOfList(plan, baseline) === undefined;
  // A write of the flow that is no press is one that the scheduled work makes too.
  const jobInFlow = isReadByJob ? jobs[0] : undefined;
  const looked = plan.end === "expired" ? paymentSteps(flow, baseline.payableMs) : {};
  const adapted = (step: RawStep) =>
    plan.flowVariant !== undefined && presses.includes(step)
      ? acceptedPress(step)
      : tolerantStep(step, set.length + 1, flowWait);
  const stepsOf = (step: RawStep, index: number): RawStep[] => {
    const page = pages.indexOf(step);
    if (page !== -1) {
      const isBusy = plan.jobs.some((job) => "page" in job && job.page === page);
      return [...(isBusy ? jobSteps(flow, set.length) : []), ...pageSteps(step, page, plan, baseline)];
    }
    if (step.pay !== undefined && unpaidUntil(plan) !== undefined)
      return [unpaidStep(step, unpaidUntil(plan))];
    const press = presses.indexOf(step);
    const tolerant = adapted(step);
    if (step === jobInFlow) return withStrangers([tolerant], plan, baseline);
    if (strangers !== undefined && press !== -1 && press === pressOfList(plan, baseline))
      return [...withStrangers([tolerant], plan, baseline), withoutSave(tolerant)];
    if (plan.doubledJobs.has(jobs.indexOf(step))) return doubledJob(tolerant, plan);
    if (isAwaitedJob(flow, index)) return Array.from({ length: set.length + 1 }, () => tolerant);
    const once = isAppWrite(step) && !expectsRefusal(step) ? withAnswer(tolerant, index) : tolerant;
    if (pressedTwice.has(press)) return pressTwice(once, plan, baseline.pressMatches[press]);
    return plan.pressedAgain.has(press) ? [once, withoutSave(tolerant)] : [once];
  };
  const steps = flow.drive.flatMap((step, index) => [
    ...(step === looked.before ? looksAt(flow, "before", step) : []),
    ...(lookOracle(step) === undefined ? stepsOf(step, index) : lookInPassing(step)),
    ...(step === looked.during ? [...looksAt(flow, "during", step), READ_TIME] : []),
    ...meanwhileSteps(flow, plan, index),
  ]);
  return [
    ...steps,
    ...meanwhileSteps(flow, plan),
    ...(isReadByJob && jobInFlow === undefined
      ? withStrangers(jobSteps(flow, set.length), plan, baseline)
      : []),
    ...(foreignCharge === undefined ? [] : foreignSteps(foreignCharge, baseline.customerMatch)),
  ];
}

/** The step in which the customer pays, and the step after which the app has heard that the payment is under way. */
function paymentSteps(flow: Flow, payableMs: number): Partial<Record<LookMoment, RawStep>> {
  const { drive } = flow;
  const press = drive.findIndex(isAppWrite);
  const pages = findPages(flow);
  const isPayment = (step: RawStep) => step.pay !== undefined || pages.includes(step);
  const index = drive.findIndex((step, at) => at > press && (isPayment(step) || step.advance !== undefined));
  if (index === -1) return {};
  const during = drive.slice(index).find((step) => step.advance !== undefined);
  const isEarly = during !== undefined && (advanceMs(during) ?? Infinity) < payableMs;
  return { before: drive[index]!, ...(isEarly ? { during } : {}) };
}

const READ_TIME: RawStep = { request: "GET /_sandbox/clock", save: { [DURING_TIME_NAME]: "body.now" } };

/** Looks at the app before or during the payment, and saves what it shows. */
function looksAt({ drive, observe }: Flow, moment: LookMoment, step: RawStep): RawStep[] {
  const later = drive.slice(drive.indexOf(step));
  return observe.flatMap((view, index) =>
    namesLaterVariable(view, later)
      ? []
      : [{ ...readOf(view), expect: ANY_RESPONSE, save: { [lookName(moment, index)]: "body" } }],
  );
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

/** The status until which a run waits for a charge that is not paid in time; undefined if the charge is paid. */
function unpaidUntil({ isPaidLate, end }: SandboxPlan): ChargeStatus | undefined {
  if (end === "declined") return "FAILED";
  return isPaidLate || end === "expired" ? "AWAITING_PAYMENT" : undefined;
}

function pageSteps(step: RawStep, page: number, plan: SandboxPlan, baseline: Baseline): RawStep[] {
  if (page === plan.returnedPage)
    return returnSteps(step, baseline.pages[page]!.returnPath!, plan.variant.side, plan.set.length + 1);
  const changed = page === plan.cancelledPage ? cancelStep(step) : step;
  const until = baseline.pages[page]?.isOwn === false ? undefined : unpaidUntil(plan);
  return [until === undefined ? changed : unpaidStep(changed, until)];
}

/** Prefix of the variables with the statuses of the app's responses, by the index of the step. */
const ANSWER_NAME = "answer_";

function expectsRefusal({ expect }: RawStep): boolean {
  const status = isJsonObject(expect) ? expect.status : undefined;
  return status !== undefined && !/^2/.test(String(status));
}

/** A press of the customer that ends the run if the app refuses it. */
function acceptedPress(step: RawStep): RawStep {
  if (expectsRefusal(step)) return step;
  return { ...step, expect: { status: { lt: 400 }, ...savedFields(step.save) } };
}

function withAnswer(step: RawStep, index: number): RawStep {
  return { ...step, save: { ...(step.save as object), [`${ANSWER_NAME}${index}`]: "status" } };
}

function withoutSave({ save: _save, expect: _expect, ...step }: RawStep): RawStep {
  return { ...step, expect: { status: { lt: 500 } } };
}

/** The customer goes on with the response to the held press, or, if `side` is `second`, to the other press. */
function pressTwice(
  press: RawStep,
  { variant, raceHeld }: SandboxPlan,
  matches: Baseline["pressMatches"][number],
): RawStep[] {
  const { side } = variant;
  const { held, other } = inTurn(side, [press], [withoutSave(press)]);
  const match = side === "together" ? undefined : matches?.[side === "early" ? "first" : "last"];
  return raceSteps({ name: PRESSED, match, maxHeld: raceHeld, held, other });
}

/** Runs a step that is scheduled work twice at once, the first held at the app's first call unless nothing is held. */
function doubledJob(step: RawStep, { variant, raceHeld }: SandboxPlan): RawStep[] {
  const match = variant.side === "together" ? undefined : {};
  return raceSteps({
    name: JOB_TWICE_NAME,
    match,
    maxHeld: raceHeld,
    held: [step],
    other: [withoutSave(step)],
  });
}

/** Returns the indexes of the flow's steps that the app refused. */
export function refusedSteps(loaded: RunVariables): number[] {
  return loaded.scope.names
    .filter((name) => name.startsWith(ANSWER_NAME) && Number(savedVariable(loaded, name)) >= 400)
    .map((name) => Number(name.slice(ANSWER_NAME.length)));
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
