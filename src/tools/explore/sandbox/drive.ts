import { isJsonObject } from "../../../core/schema/json-objects.js";
import { durationToMs, formatDuration } from "../../../core/schema/time.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { readNewestId } from "../../scenario/running/control-lists.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import { Acts } from "../acts.js";
import type { RunHost } from "../course.js";
import type { RunPlan } from "../run-plan.js";
import type { Baseline } from "./facts.js";
import { advanceMs, type Flow, findJobs, findPresses, isAppWrite, lookOracle } from "./flow.js";
import { type FlowRun, waitStep } from "./flow-run.js";
import { meanwhileSteps } from "./meanwhile-steps.js";
import { cancelStep, cancelThenPayStep, findPages, unpaidStep } from "./payment-steps.js";
import { ANY_RESPONSE } from "./process-course.js";
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

/** Carries out the flow with the deviations of a plan. A step that calls the app repeats a failed call. */
export class PlannedDrive {
  readonly #run: FlowRun;
  readonly #flow: Flow;
  readonly #plan: RunPlan;
  readonly #baseline: Baseline;
  readonly #acts: Acts;
  readonly #presses: readonly RawStep[];
  readonly #jobs: readonly RawStep[];
  readonly #pages: readonly RawStep[];

  constructor(run: FlowRun, host: RunHost, flow: Flow, plan: RunPlan, baseline: Baseline) {
    this.#run = run;
    this.#flow = flow;
    this.#plan = plan;
    this.#baseline = baseline;
    this.#acts = new Acts(host, plan, baseline);
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
    const { drive } = this.#flow;
    this.#acts.hasBegun = !drive.some(isAppWrite);
    for (const [index, step] of drive.entries()) {
      if (lookOracle(step) !== undefined) await run.steps("drive", lookInPassing(step));
      else await this.#act(step, index);
      await run.steps("drive", meanwhileSteps(this.#flow, this.#plan, index));
    }
    await run.steps("drive", meanwhileSteps(this.#flow, this.#plan));
    await this.#acts.afterFlow(this.#jobs.length > 0);
  }

  async #act(step: RawStep, index: number): Promise<void> {
    const acts = this.#acts;
    const page = this.#pages.indexOf(step);
    if (page !== -1 || step.pay !== undefined) return acts.pay(page, this.#paymentBy(step, page));
    if (step.advance !== undefined)
      return acts.advance(advanceMs(step) ?? Infinity, () => this.#run.advance("drive", step));
    const press = this.#presses.indexOf(step);
    const tolerant = this.#tolerant(step);
    const once = async () => this.#noteRefusal(step, index, await this.#run.step("drive", tolerant));
    const again = () => this.#run.step("drive", withoutSave(tolerant));
    if (press !== -1) return acts.press(press, { once, again });
    acts.hasBegun ||= isAppWrite(step);
    const job = this.#jobs.indexOf(step);
    if (job === 0 && acts.isListReadByJob) return acts.amongStrangers(once);
    if (this.#plan.doubledJobs.has(job)) {
      // Holds the first at the app's first call.
      const match = this.#plan.variant.side === "together" ? undefined : {};
      return this.#run.race({ match, held: once, other: again });
    }
    const times = isAwaitedJob(this.#flow, index) ? this.#plan.set.length + 1 : 1;
    for (let time = 0; time < times; time++) await once();
  }

  #tolerant(step: RawStep): RawStep {
    if (this.#plan.flowVariant !== undefined && this.#presses.includes(step)) return acceptedPress(step);
    return tolerantStep(step, this.#plan.set.length + 1, this.#run.waits.flowWait);
  }

  #noteRefusal(step: RawStep, index: number, result: unknown): void {
    if (!isAppWrite(step) || expectsRefusal(step)) return;
    if (Number(Object(result).status) >= 400) this.#run.refused.add(index);
  }

  #paymentBy(step: RawStep, page: number): Parameters<Acts["pay"]>[1] {
    const known = this.#baseline.pages[page];
    const take = (one: RawStep) => this.#run.step("drive", one);
    return {
      pay: (until) => take(until === undefined ? step : unpaidStep(step, until)),
      cancel: () => take(cancelStep(step)),
      cancelThenPay: () => take(cancelThenPayStep(step)),
      open: () =>
        take({
          name: "The customer opens success_url",
          app: `GET ${known!.returnPath!}`,
          tries: this.#plan.set.length + 1,
          expect: { status: { lt: 500 } },
        }),
      isRuled: known?.isOwn !== false,
    };
  }
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
