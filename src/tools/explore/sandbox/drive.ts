import type { ChargeStatus } from "../../../core/schema/common.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import { durationToMs, formatDuration } from "../../../core/schema/time.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { readNewestId } from "../../scenario/running/control-lists.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import { inTurn } from "../course.js";
import type { RunPlan } from "../run-plan.js";
import type { Baseline } from "./facts.js";
import { advanceMs, type Flow, findJobs, findPresses, isAppWrite, lookOracle, readOf } from "./flow.js";
import { type FlowRun, waitStep } from "./flow-run.js";
import { meanwhileSteps } from "./meanwhile-steps.js";
import { LIST_OPERATION } from "./observation.js";
import { cancelStep, findPages, foreignSteps, returnSteps, unpaidStep } from "./payment-steps.js";
import { DURING_TIME_NAME, type LookMoment, lookName } from "./saved-variable.js";
import { payStep, pressOfList } from "./strangers.js";
import { PRESENT } from "./views.js";

/** Expects a response, whatever its status. */
export const ANY_RESPONSE = { status: { gte: 100 } };

/** Carries out the flow as the user wrote it, and marks the customer's presses among the calls to the service. */
export async function drivePlain(run: FlowRun, flow: Flow): Promise<void> {
  const presses = findPresses(flow);
  const newestCall = () => readNewestId(run.client, "requests");
  for (const step of flow.drive) {
    const before = presses.includes(step) ? await newestCall() : undefined;
    if (step.advance === undefined) await run.step("drive", step);
    else await run.advance("drive", step);
    if (presses.includes(step)) run.pressMarks.push([before, await newestCall()]);
  }
}

/** Carries out the flow with the deviations of a plan. A step that calls the app repeats a failed call. */
export class PlannedDrive {
  readonly #run: FlowRun;
  readonly #flow: Flow;
  readonly #plan: RunPlan;
  readonly #baseline: Baseline;
  readonly #presses: readonly RawStep[];
  readonly #jobs: readonly RawStep[];
  readonly #pages: readonly RawStep[];

  constructor(run: FlowRun, flow: Flow, plan: RunPlan, baseline: Baseline) {
    this.#run = run;
    this.#flow = flow;
    this.#plan = plan;
    this.#baseline = baseline;
    this.#presses = findPresses(flow);
    this.#jobs = findJobs(flow);
    this.#pages = findPages(flow);
  }

  /** Advances time in parallel with the flow if the plan says so, while the app waits for a response. */
  drive(): Promise<void> {
    const { timeAdvance } = this.#plan;
    if (timeAdvance === undefined) return this.#drive();
    const { by, call } = timeAdvance;
    const { customerMatch } = this.#baseline;
    const match = customerMatch.customer_email === undefined ? {} : { match: customerMatch };
    const begin =
      call === undefined
        ? { wait_for: "charge", ...match }
        : { wait_for: "request", match: { operation: call.operation }, count: call.earlierCount + 1 };
    return this.#run.together(
      () => this.#drive(),
      () => this.#run.steps("drive", [begin, { advance: by }]),
    );
  }

  async #drive(): Promise<void> {
    const run = this.#run;
    const { set, strangers, foreignCharge } = this.#plan;
    const isReadByJob = strangers !== undefined && pressOfList(this.#plan, this.#baseline) === undefined;
    // A write of the flow that is no press is one that the scheduled work makes too.
    const readingJob = isReadByJob ? this.#jobs[0] : undefined;
    const looked = this.#plan.end === "expired" ? this.#paymentSteps() : {};
    for (const [index, step] of this.#flow.drive.entries()) {
      if (step === looked.before) await this.#lookAt("before");
      if (lookOracle(step) !== undefined) await run.steps("drive", lookInPassing(step));
      else if (step === readingJob) await this.#amongStrangers([this.#tolerant(step)]);
      else await this.#act(step, index);
      if (step === looked.during) {
        await this.#lookAt("during");
        await run.step("drive", READ_TIME);
      }
      await run.steps("drive", meanwhileSteps(this.#flow, this.#plan, index));
    }
    await run.steps("drive", meanwhileSteps(this.#flow, this.#plan));
    if (isReadByJob && readingJob === undefined) await this.#amongStrangers(jobSteps(this.#flow, set.length));
    if (foreignCharge !== undefined)
      await run.steps("drive", foreignSteps(foreignCharge, this.#baseline.customerMatch));
  }

  async #act(step: RawStep, index: number): Promise<void> {
    const run = this.#run;
    const { pressedTwice, pressedAgain, doubledJobs, set, strangers } = this.#plan;
    const until = unpaidUntil(this.#plan);
    const page = this.#pages.indexOf(step);
    if (page !== -1) return this.#payOnPage(step, page);
    if (step.advance !== undefined) return void (await run.advance("drive", step));
    if (step.pay !== undefined && until !== undefined)
      return void (await run.step("drive", unpaidStep(step, until)));
    const tolerant = this.#tolerant(step);
    const press = this.#presses.indexOf(step);
    if (strangers !== undefined && press !== -1 && press === pressOfList(this.#plan, this.#baseline)) {
      await this.#amongStrangers([tolerant]);
      return void (await run.step("drive", withoutSave(tolerant)));
    }
    if (doubledJobs.has(this.#jobs.indexOf(step))) return this.#doubleJob(tolerant);
    if (isAwaitedJob(this.#flow, index))
      return run.steps(
        "drive",
        Array.from({ length: set.length + 1 }, () => tolerant),
      );
    const once = async () => this.#noteRefusal(step, index, await run.step("drive", tolerant));
    if (pressedTwice.has(press)) return this.#pressTwice(press, once, withoutSave(tolerant));
    await once();
    if (pressedAgain.has(press)) await run.step("drive", withoutSave(tolerant));
  }

  #tolerant(step: RawStep): RawStep {
    if (this.#plan.flowVariant !== undefined && this.#presses.includes(step)) return acceptedPress(step);
    return tolerantStep(step, this.#plan.set.length + 1, this.#run.waits.flowWait);
  }

  #noteRefusal(step: RawStep, index: number, result: unknown): void {
    if (!isAppWrite(step) || expectsRefusal(step)) return;
    if (Number(Object(result).status) >= 400) this.#run.refused.add(index);
  }

  async #payOnPage(step: RawStep, page: number): Promise<void> {
    const run = this.#run;
    const { jobs, set, returnedPage, cancelledPage, variant } = this.#plan;
    const known = this.#baseline.pages[page];
    if (jobs.some((job) => "page" in job && job.page === page))
      await run.steps("drive", jobSteps(this.#flow, set.length));
    if (page === returnedPage)
      return run.steps("drive", returnSteps(step, known!.returnPath!, variant.side, set.length + 1));
    const changed = page === cancelledPage ? cancelStep(step) : step;
    const until = known?.isOwn === false ? undefined : unpaidUntil(this.#plan);
    await run.step("drive", until === undefined ? changed : unpaidStep(changed, until));
  }

  /** The customer goes on with the response to the held press, or, if `side` is `second`, to the other press. */
  #pressTwice(press: number, once: () => Promise<void>, other: RawStep): Promise<void> {
    const { side } = this.#plan.variant;
    const matches = this.#baseline.pressMatches[press];
    return this.#run.race({
      match: side === "together" ? undefined : matches?.[side === "early" ? "first" : "last"],
      ...inTurn(side, once, () => this.#run.step("drive", other)),
    });
  }

  /** Runs a step that is scheduled work twice at once, the first held at the app's first call unless nothing is held. */
  #doubleJob(step: RawStep): Promise<void> {
    return this.#run.race({
      match: this.#plan.variant.side === "together" ? undefined : {},
      held: () => this.#run.step("drive", step),
      other: () => this.#run.step("drive", withoutSave(step)),
    });
  }

  /** Strangers pay while the app reads a list: between two of its pages, or before it. */
  async #amongStrangers(reading: readonly RawStep[]): Promise<void> {
    const { strangers } = this.#plan;
    const { list } = this.#baseline;
    const read = () => this.#run.steps("drive", reading);
    if (strangers === undefined || list === undefined) return read();
    const paying = payStep(list.payment);
    if (strangers.areBetween)
      return this.#run.race({
        match: { operation: LIST_OPERATION },
        held: read,
        other: () => this.#run.step("drive", paying),
      });
    await this.#run.step("drive", { repeat: strangers.strangers, steps: [paying] });
    await read();
  }

  /** The step in which the customer pays, and the step after which the app has heard that the payment is under way. */
  #paymentSteps(): Partial<Record<LookMoment, RawStep>> {
    const { drive } = this.#flow;
    const press = drive.findIndex(isAppWrite);
    const isPayment = (step: RawStep) => step.pay !== undefined || this.#pages.includes(step);
    const index = drive.findIndex(
      (step, at) => at > press && (isPayment(step) || step.advance !== undefined),
    );
    if (index === -1) return {};
    const during = drive.slice(index).find((step) => step.advance !== undefined);
    const isEarly = during !== undefined && (advanceMs(during) ?? Infinity) < this.#baseline.payableMs;
    return { before: drive[index]!, ...(isEarly ? { during } : {}) };
  }

  /** Looks at the app before or during the payment, and saves what it shows. */
  async #lookAt(moment: LookMoment): Promise<void> {
    for (const [index, view] of this.#flow.observe.entries()) {
      const look = { ...readOf(view), expect: ANY_RESPONSE, save: { [lookName(moment, index)]: "body" } };
      if (this.#run.knows(look)) await this.#run.step("drive", look);
    }
  }
}

/** Steps of the app's scheduled work, repeated after an error as a scheduler would. */
export function jobSteps({ scheduledWork }: Flow, deviations: number): RawStep[] {
  return scheduledWork.map((step) =>
    typeof step.app === "string" && deviations > 0 ? { ...step, tries: deviations + 1 } : step,
  );
}

const READ_TIME: RawStep = { request: "GET /_sandbox/clock", save: { [DURING_TIME_NAME]: "body.now" } };

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
function unpaidUntil({ isPaidLate, end }: RunPlan): ChargeStatus | undefined {
  if (end === "declined") return "FAILED";
  return isPaidLate || end === "expired" ? "AWAITING_PAYMENT" : undefined;
}

function expectsRefusal({ expect }: RawStep): boolean {
  const status = isJsonObject(expect) ? expect.status : undefined;
  return status !== undefined && !/^2/.test(String(status));
}

/** A press of the customer that ends the run if the app refuses it. */
function acceptedPress(step: RawStep): RawStep {
  if (expectsRefusal(step)) return step;
  return { ...step, expect: { status: { lt: 400 }, ...savedFields(step.save) } };
}

function withoutSave({ save: _save, expect: _expect, ...step }: RawStep): RawStep {
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
