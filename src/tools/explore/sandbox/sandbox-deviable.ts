/**
 * The sandbox as a `Deviable`: each run is a new customer of the same app behind HTTP.
 *
 *   plan ── drive.ts, course.ts ──> steps ── FlowRun, RunSession ──> rows of lists ── observation.ts ──> trace
 */

import { loadLazily } from "../../../core/time/load-lazily.js";
import { systemWallClock } from "../../../core/time/wall-clock.js";
import { Client } from "../../scenario/running/client.js";
import { endQuietly, LONG, restDuration } from "../course.js";
import { BlindSpotError, type Deviable, type FlowCoverage } from "../deviable.js";
import { type DeviationSet, scenarioName } from "../deviation-set.js";
import type { LifeHost } from "../lives/life.js";
import { RunPlan } from "../run-plan.js";
import type { RunFailure, RunVariant, Trace } from "../run-record.js";
import {
  canContinueAfterResponse,
  learningQuietMs,
  paceOf,
  quietPeriodOf,
  RetryPace,
  steadyMs,
} from "./app-pace.js";
import { awkwardVariants } from "./awkward-values.js";
import { baselineOf, customerOf, hasSameViews, isolationReason, pressRanges } from "./baseline.js";
import { driveAsPlanned, drivePlain, withoutSave } from "./drive.js";
import { EndCheck } from "./end-check.js";
import { viewFailure } from "./end-comparison.js";
import { briefChecks, checksOf, type EndStep, plainChecks, viewSteps, withoutWait } from "./end-steps.js";
import type { Baseline } from "./facts.js";
import { type Flow, longestAdvanceMs } from "./flow.js";
import type { AppWaits, FlowRun } from "./flow-run.js";
import type { FileVariant } from "./flow-variant.js";
import { killApp } from "./killable-app.js";
import { findAbsentFields, findFlowCoverage } from "./looked-at.js";
import { soleCustomer } from "./money.js";
import { wrongPrice } from "./price-check.js";
import { flowStops, runHostOf } from "./process-course.js";
import { type Course, ProcessHost, type ProcessHostOptions, type ProcessRun } from "./process-host.js";
import { secondTries } from "./second-try.js";

interface PlainRunOptions {
  readonly quiet?: string | undefined;
  readonly steady?: string;
  readonly flow?: Flow;
}

/** Factor by which a view must stay unchanged for longer in a patient run, if the app works before or after it responds. */
const PATIENT_STEADY_TIMES = { before: 4, after: 8 } as const;
const IDLE = { wait_for: "idle" };

const RESTLESS =
  "the app calls the service all the time, so no pause shows when it is done: events follow each other at once";
const PAYS_FOR_OTHERS =
  "the app creates charges for the customers of earlier runs, so each run takes longer: add `reset`";

export class SandboxDeviable implements Deviable {
  readonly name: string;
  readonly source: string;
  customer: Deviable["customer"];
  readonly lacks: Deviable["lacks"];
  readonly #flow: Flow;
  readonly #options: ProcessHostOptions;
  readonly #host: ProcessHost;
  readonly #plain: ProcessRun[] = [];
  readonly #retries = new RetryPace();
  /** Quiet period after a webhook, before time advances; undefined if there is no wait. */
  #quiet: string | undefined;
  #isRestless = false;
  /** Sandbox time from the end of the flow's steps to the end of a run. */
  #rest = LONG;
  #mayGoOn = false;
  #pace = 1;
  /** Set once both plain runs with the purpose `learn` have passed. */
  #baseline!: Baseline;
  #endCheck!: EndCheck<ProcessRun>;
  #variants: readonly FileVariant[] = [];

  private constructor(flow: Flow, options: ProcessHostOptions, host: ProcessHost) {
    this.name = String(flow.raw.name);
    this.source = flow.file;
    this.lacks = options.process === undefined ? undefined : {};
    this.customer = customerOf(flow);
    this.#flow = flow;
    this.#options = options;
    this.#host = host;
  }

  static async open(flow: Flow, options: ProcessHostOptions): Promise<SandboxDeviable> {
    return new SandboxDeviable(flow, options, await ProcessHost.open(String(flow.raw.name), options));
  }

  close(): Promise<string[]> {
    return this.#host.close();
  }

  async observePlain(purpose: "check" | "learn"): Promise<Trace> {
    if (purpose === "check") {
      const { trace, run: written } = await this.#runWritten();
      const spots = findAbsentFields(this.#flow, written.loader.includedSteps.length, trace.failure);
      if (spots.length > 0) throw new BlindSpotError(this.source, spots);
      this.#mayGoOn = canContinueAfterResponse(this.#flow, trace.observed);
      this.#rest = restDuration(longestAdvanceMs(this.#flow), trace.observed);
      if (trace.failure === undefined && this.#flow.scheduledWork.length > 0) await this.#endWritten();
      return trace;
    }
    const [first] = this.#plain;
    const run = await (first === undefined ? this.#runFirst() : this.#runSecond(first));
    if (run.trace.failure !== undefined) return { ...run.trace, isByJob: await this.#passesWithoutJob() };
    this.#pace = paceOf(run.run.responseMs);
    if (this.#plain.push(run) === 2) this.#learn(first!, run);
    return run.trace;
  }

  #learn(first: ProcessRun, second: ProcessRun): void {
    const { process, signal } = this.#options;
    const presses = pressRanges(first.observed, first.run.pressMarks);
    this.#baseline = baselineOf(this.#flow, first, second, presses);
    this.#endCheck = new EndCheck(this.#flow, this.#baseline, first.observed, {
      look: async (plan, one) => {
        const { run } = one;
        const failure = await run.failureIn(async () => {
          await run.step("rest", IDLE);
          await run.look(viewSteps(this.#flowOf(plan)));
        });
        one.rows = await one.readRows();
        return failure;
      },
      checks: (plan, { run }, end) =>
        run.failureIn(() => lookAtEnd(run, checksOf(this.#flowOf(plan), end.isPlain === true))),
      wrongPrice: (plan, one) => wrongPrice(this.#flowOf(plan), one),
      carryOut: async (plan) => (await this.#carryOut([this.#courseOf(plan)]))[0]!,
      runPlain: () => this.#runPlain({ quiet: this.#quiet }),
      hasRefused: ({ run }) => run.refused.size > 0,
      repeatRefused: (plan, { run }) => this.#repeatRefused(plan, run),
      isAsynchronous: () => this.#quiet !== undefined,
      untilLeasesEnd: process && (() => process.untilLeasesEnd(signal)),
    });
    this.#variants = [awkwardVariants, secondTries].flatMap((variantsOf) =>
      variantsOf(this.#flow, this.#baseline, first.observed.charges),
    );
    this.customer = { ...customerOf(this.#flow, this.#baseline), variants: this.#variants };
  }

  #flowOf({ flowVariant }: RunPlan): Flow {
    return this.#variants.find((one) => one === flowVariant)?.flow ?? this.#flow;
  }

  /** Repeats the acts that the app refused, and lets the run end again. */
  #repeatRefused(plan: RunPlan, run: FlowRun): Promise<RunFailure | undefined> {
    const flow = this.#flowOf(plan);
    return run.failureIn(async () => {
      await run.step("rest", IDLE);
      for (const index of run.refused) await run.step("repeat", withoutSave(flow.drive[index]!));
      const host = runHostOf(run, flow, plan, this.#baseline.customerMatch, "repeat");
      await endQuietly(host, plan, this.#rest);
    });
  }

  /** Returns true if the flow has scheduled work, and passes without it. */
  async #passesWithoutJob(): Promise<boolean> {
    if (this.#flow.scheduledWork.length === 0) return false;
    const idle = { ...this.#flow, scheduledWork: [] };
    const { trace } = await this.#runPlain({ quiet: this.#quiet, flow: idle });
    return trace.failure === undefined;
  }

  async #runWritten(): Promise<ProcessRun> {
    const follow = async (run: FlowRun): Promise<void> => {
      for (const [index, step] of run.loader.fileSteps.entries()) await run.loadedStep("drive", step, index);
    };
    const [run] = await this.#carryOut([{ flow: this.#flow, name: this.name, rules: {}, waits: {}, follow }]);
    return run!;
  }

  /** Runs the job for the orders of the first run, so that the next run does not count them. A failing job fails there again. */
  async #endWritten(): Promise<void> {
    const follow = (run: FlowRun) => endQuietly(runHostOf(run, this.#flow), undefined, this.#rest);
    await this.#carryOut([{ flow: this.#flow, name: this.name, rules: {}, waits: {}, follow }]);
  }

  async #runPlain({ quiet, steady, flow = this.#flow }: PlainRunOptions): Promise<ProcessRun> {
    const follow = async (run: FlowRun): Promise<void> => {
      await begin(run, flow);
      await drivePlain(run, flow);
      await endQuietly(runHostOf(run, flow), undefined, this.#rest, run.moments);
      await run.step("rest", IDLE);
      const views = viewSteps(flow).map((view) => (steady === undefined ? view : { ...view, steady }));
      await run.look(views, false);
      await lookAtEnd(run, plainChecks(flow));
    };
    const course = { flow: this.#flow, name: this.name, rules: {}, waits: { quiet }, follow };
    const [run] = await this.#carryOut([course]);
    return run!;
  }

  /** A run with deviations, which looks at its end once. */
  #courseOf(plan: RunPlan): Course {
    const flow = this.#flowOf(plan);
    const follow = async (run: FlowRun): Promise<void> => {
      await begin(run, flow);
      const host = runHostOf(run, flow, plan, this.#baseline.customerMatch);
      run.stops = flowStops(host, flow, plan, this.#baseline);
      await driveAsPlanned(run, host, flow, plan, this.#baseline);
      await endQuietly(host, plan, this.#rest, run.moments);
      const end = this.#endCheck.ends.expectedOf(plan);
      await run.look(viewSteps(flow).map(withoutWait));
      const failure = viewFailure(run, plan, end);
      if (failure !== undefined) run.stop(failure);
      await lookAtEnd(run, briefChecks(flow, end));
    };
    return {
      flow,
      name: scenarioName(this.name, plan.set),
      rules: plan.rules,
      waits: this.#waitsFor(plan),
      follow,
    };
  }

  #waitsFor(plan: RunPlan): AppWaits {
    const { isPatient } = plan.variant;
    const isLong = isPatient && !plan.holdsRead && this.#quiet !== undefined;
    const quiet = isLong ? `${steadyMs(this.#flow)}ms` : this.#quiet;
    return {
      quiet,
      retry: this.#retries.waitFor(plan),
      flowWait: this.#retries.flowWaitFor(plan, this.#plain[0]!.run.waitedMs),
      raceHeld: plan.raceHeld,
      steadyTimes: isPatient ? PATIENT_STEADY_TIMES[quiet === undefined ? "before" : "after"] : 1,
    };
  }

  /** Runs without waits after webhooks. If the app may keep working after its responses, repeats the run with waits. */
  async #runFirst(): Promise<ProcessRun> {
    const quick = this.#mayGoOn ? undefined : await this.#runPlain({});
    if (
      quick !== undefined &&
      quick.trace.failure === undefined &&
      !canContinueAfterResponse(this.#flow, quick.observed)
    )
      return quick;
    const run = await this.#runPlain({ quiet: `${learningQuietMs(this.#flow)}ms` });
    if (run.trace.failure === undefined) this.#learnQuiet(run);
    return run;
  }

  /** Runs without waiting for steady views. If the views differ from the views of `first`, runs again and waits. */
  async #runSecond(first: ProcessRun): Promise<ProcessRun> {
    if (this.#quiet !== undefined) return this.#runPlain({ quiet: this.#quiet });
    const quick = await this.#runPlain({ steady: "0ms" });
    const isSame = quick.trace.failure === undefined && hasSameViews(this.#flow, first, quick);
    return isSame ? quick : this.#runPlain({});
  }

  #learnQuiet({ run, observed }: ProcessRun): void {
    this.#isRestless = run.quiets.some(({ restless }) => restless > 0);
    this.#quiet = this.#isRestless
      ? undefined
      : quietPeriodOf(this.#flow, observed, run.quiets, run.waitedMs);
  }

  openQuestions(): readonly string[] {
    const canReset = this.#flow.reset.length === 0 && this.#host.paysForOthers;
    const doubts = [...(this.#isRestless ? [RESTLESS] : []), ...(canReset ? [PAYS_FOR_OTHERS] : [])];
    return [...doubts, ...this.#endCheck.ends.unpaidNotes()];
  }

  flowCoverage(hasAllEnds: boolean): FlowCoverage {
    const runs = this.#plain.map(({ loaded }) => loaded);
    return findFlowCoverage(this.#flow, runs, this.#endCheck.ends, hasAllEnds);
  }

  wrongPrice(): string | undefined {
    return wrongPrice(this.#flow, this.#plain[0]!);
  }

  isolationReason(): string | undefined {
    return isolationReason(this.#flow, this.#baseline, this.#plain[0]!.observed);
  }

  profile(): Readonly<Record<string, number>> {
    return this.#host.profile.durations();
  }

  planRun(set: DeviationSet, variant: RunVariant): RunPlan {
    return new RunPlan(set, {
      ...this.#baseline,
      variant,
      isWaiting: this.#quiet !== undefined,
      pace: this.#pace,
    });
  }

  /** Describes how the time passes that concurrent runs share. */
  shapeOf(plan: RunPlan): string {
    const { jobs, unpaidSinceMs, timeAdvance, faults, end, isPaidLate, flowVariant, set } = plan;
    const moments = [jobs, unpaidSinceMs, timeAdvance, isPaidLate, end === "partly_refunded"];
    return JSON.stringify([...moments, faults.length, flowVariant?.at, set.length]);
  }

  async observe(plans: readonly RunPlan[]): Promise<Trace[]> {
    const [alone, ...others] = plans;
    if (alone?.variant.isPatient === false && others.length === 0) alone.isWatched = this.#canWatch(alone);
    const killing = plans.find(({ killMoment }) => killMoment !== undefined);
    const endKilling = killing && killApp(this.#options.process!, killing, this.#options);
    const runs = await this.#carryOut(plans.map((plan) => this.#courseOf(plan)));
    await endKilling?.();
    const traces: Trace[] = [];
    for (const [index, run] of runs.entries()) {
      const plan = plans[index]!;
      const reports = run.run.retries;
      const hasRetriedLate = this.#retries.hasPausedLonger(plan, reports, this.#canWatch(plan));
      this.#retries.learn(plan, reports);
      const { trace: end, isTouched } = await this.#endCheck.judge(plan, run);
      // The checks may move time, and call the app, which may call the service. These calls are no part of the next run.
      if (isTouched) {
        this.#host.nowMs = undefined;
        await this.#readRows();
      }
      const endMs = this.#host.nowMs ?? Infinity;
      const last = run.observed.calls.filter(({ isByFlow, atMs }) => !isByFlow && atMs >= endMs);
      if (plan.isWatched && end.failure === undefined) this.#retries.watch(plan, run.loaded.runId, last);
      const hasPausedLonger = hasRetriedLate || end.hasPausedLonger === true;
      traces.push({ ...end, hasPausedLonger, hasKilledApp: plan.killMoment !== undefined });
    }
    return traces;
  }

  /** Returns true if the calls of the run can be told from those of later runs, which it may then affect. */
  #canWatch(plan: RunPlan): boolean {
    return this.#retries.canWatch(plan) && this.isolationReason() === undefined;
  }

  async lives<Result>(work: (host: LifeHost) => Promise<Result>): Promise<Result> {
    const { fileLives, viewName } = await loadLazily(() => import("../lives/file-lives.js"));
    const ignored = this.#flow.observe.map(({ ignore = [] }, view) =>
      ignore.map((field) => ({ view, field })),
    );
    const lives = fileLives({
      flow: this.#flow,
      host: this.#host,
      client: new Client(this.#options),
      baseline: this.#baseline,
      waits: { quiet: this.#quiet },
      listed: this.#endCheck.ends.listed,
      free: [...this.#endCheck.ends.free, ...ignored.flat()].map(
        ({ view, field }) => `${viewName(view)}.${field}`,
      ),
    });
    try {
      return await work(lives);
    } finally {
      await lives.close();
    }
  }

  async lateSets(): Promise<DeviationSet[]> {
    const { watchMs } = this.#retries;
    if (watchMs > 0) await new Promise<void>((resolve) => void systemWallClock.after(watchMs + 1, resolve));
    await this.#readRows();
    return this.#retries.takeWatched().map(({ set }) => set);
  }

  async #readRows(): Promise<void> {
    this.#retries.noteLater((await this.#host.readRows()).requests);
  }

  async #carryOut(courses: readonly Course[]): Promise<readonly ProcessRun[]> {
    const { runs, rows } = await this.#host.carryOut(courses, (runId) =>
      soleCustomer(this.#plain, this.#baseline, runId),
    );
    this.#retries.noteLater(rows.requests);
    return runs;
  }
}

async function begin(run: FlowRun, flow: Flow): Promise<void> {
  for (const step of run.loader.includedSteps) await run.loadedStep("drive", step);
  await run.steps("reset", flow.reset);
}

async function lookAtEnd(run: FlowRun, steps: readonly EndStep[]): Promise<void> {
  for (const { role, step } of steps) await run.step(role, step);
}
