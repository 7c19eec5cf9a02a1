/**
 * The sandbox as a `Deviable`: each run is a scenario file, carried out over HTTP as a new customer of the same app.
 *
 *   plan ── run-document.ts ──> scenario file ── RunSession ──> report and rows of lists ── observation.ts ──> trace
 */

import type { SandboxFetch } from "../../../core/client/control-client.js";
import { systemWallClock } from "../../../core/time/wall-clock.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { Client } from "../../scenario/running/client.js";
import type { RunCommand } from "../../scenario/running/context.js";
import { RunSession } from "../../scenario/running/run-session.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import {
  BlindSpotError,
  type Deviable,
  type FlowCoverage,
  type RunFailure,
  type RunVariant,
  type Trace,
} from "../deviable.js";
import type { DeviationSet } from "../deviation-set.js";
import {
  canContinueAfterResponse,
  learningQuietMs,
  paceOf,
  quietPeriodOf,
  RetryPace,
  steadyMs,
} from "./app-pace.js";
import { waitReports } from "./app-waits.js";
import { awkwardVariants } from "./awkward-values.js";
import { baselineOf, customerOf, hasSameViews, isolationReason, pressRanges } from "./baseline.js";
import { refusedSteps } from "./drive-steps.js";
import { EndCheck } from "./end-check.js";
import { variedBaseline } from "./end-checks.js";
import type { Flow } from "./flow.js";
import type { FileVariant } from "./flow-variant.js";
import { longestAdvanceMs } from "./job-steps.js";
import { type KillableApp, killApp, RULES_NAME } from "./killable-app.js";
import { findAbsentFields, findFlowCoverage, saveCheckedBodies } from "./looked-at.js";
import { customerEmail } from "./money.js";
import {
  type ListPositions,
  type ObservedRows,
  observedRunOf,
  readClock,
  readListPositions,
  readRowsSince,
  withoutCustomersOf,
} from "./observation.js";
import { wrongPrice } from "./price-check.js";
import { MOMENT_NAMES, restDuration } from "./quiet-end.js";
import {
  deviatingRunDocument,
  omitImpliedSteps,
  plainRunDocument,
  type RunDocument,
  steadyViewsDocument,
  withIncludedSteps,
} from "./run-document.js";
import { isCheck } from "./run-failure.js";
import { RunLoader } from "./run-loader.js";
import { RunProfile } from "./run-profile.js";
import { type Baseline, SandboxPlan, scenarioName } from "./sandbox-plan.js";
import { type SandboxRun, sandboxRunOf } from "./sandbox-run.js";
import { savedTime } from "./saved-variable.js";
import { secondTries } from "./second-try.js";

export interface SandboxDeviableOptions {
  /** Absent if the app cannot be killed. */
  readonly process?: KillableApp | undefined;
  readonly fetch: SandboxFetch;
  readonly namespace?: string | undefined;
  readonly controlToken?: string | undefined;
  /** The base URL of the app, without a slash at the end. */
  readonly app: string;
  /** Values of variables that the flow or a file that it includes has. */
  readonly vars?: Readonly<Record<string, string>> | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Returns a unique id for a run. */
  readonly runIdOf: (name: string) => string;
  readonly signal?: AbortSignal | undefined;
  /** Absent unless the command line explores. */
  readonly runCommand?: RunCommand | undefined;
}

interface PlainRunOptions {
  readonly quiet?: string | undefined;
  readonly steady?: string;
  /** The flow as the user wrote it, run without the steps that `plainRunDocument` adds. */
  readonly written?: Readonly<Record<string, unknown>>;
}

const RESTLESS =
  "the app calls the service all the time, so it could not be told when it is still: events follow each other without a pause";
const PAYS_FOR_OTHERS =
  "the app creates charges for the customers of earlier runs, so each run takes longer: add `reset`";

export class SandboxDeviable implements Deviable {
  readonly name: string;
  readonly source: string;
  customer: Deviable["customer"];
  readonly canKillApp: boolean;
  readonly #flow: Flow;
  readonly #options: SandboxDeviableOptions;
  readonly #client: Client;
  readonly #session: RunSession;
  readonly #plain: SandboxRun[] = [];
  readonly #profile = new RunProfile();
  readonly #retries = new RetryPace();
  /** Quiet period after a webhook, before time advances; undefined if there is no wait. */
  #quiet: string | undefined;
  #isRestless = false;
  #paysForOthers = false;
  /** Ids of the runs that have ended. */
  readonly #endedRuns: string[] = [];
  /** Sandbox time from the end of the flow's steps to the end of a run. */
  #rest: string | undefined;
  #mayGoOn = false;
  #pace = 1;
  /** Set once both plain runs with the purpose `learn` have passed. */
  #baseline!: Baseline;
  #endCheck!: EndCheck<SandboxRun>;
  #variants: readonly FileVariant[] = [];
  readonly #loader: RunLoader;
  #position: ListPositions | undefined;
  /** Sandbox time at the end of the last run; undefined if it is not known. */
  #nowMs: number | undefined;

  private constructor(flow: Flow, options: SandboxDeviableOptions, session: RunSession) {
    this.name = String(flow.raw.name);
    this.source = flow.file;
    this.canKillApp = options.process !== undefined;
    this.customer = customerOf(flow);
    this.#flow = flow;
    this.#options = options;
    this.#client = new Client(options);
    this.#session = session;
    const { vars = {}, environment = {}, runIdOf } = options;
    this.#loader = new RunLoader(flow.file, { vars, environment, runIdOf });
  }

  /** Leases the namespace until `close`. */
  static async open(flow: Flow, options: SandboxDeviableOptions): Promise<SandboxDeviable> {
    const { runIdOf, process } = options;
    const name = `${RULES_NAME}${runIdOf(String(flow.raw.name))}`;
    const untilAppIsUp = process && (() => process.untilUp());
    const session = await RunSession.open({ ...options, name, untilAppIsUp });
    const deviable = new SandboxDeviable(flow, options, session);
    deviable.#position = await readListPositions(deviable.#client);
    return deviable;
  }

  close(): Promise<string[]> {
    return this.#session.close();
  }

  async observePlain(purpose: "check" | "learn"): Promise<Trace> {
    if (purpose === "check") {
      const { given: _given, ...written } = this.#flow.raw;
      const { trace, loaded } = await this.#runPlain({ written });
      const spots = findAbsentFields(this.#flow, loaded, trace.failure);
      if (spots.length > 0) throw new BlindSpotError(this.source, spots);
      this.#mayGoOn = canContinueAfterResponse(this.#flow, trace.observed);
      this.#rest = restDuration(longestAdvanceMs(this.#flow), trace.observed);
      return trace;
    }
    const [first] = this.#plain;
    const run = await (first === undefined ? this.#runFirst() : this.#runSecond(first));
    if (run.trace.failure !== undefined) return { ...run.trace, isByJob: await this.#passesWithoutJob() };
    this.#pace = paceOf(run.responseMs);
    if (this.#plain.push(run) === 2) {
      const { process, signal } = this.#options;
      this.#baseline = baselineOf(this.#flow, first!, run, pressRanges(this.#flow, first!));
      this.#endCheck = new EndCheck(this.#flow, this.#baseline, first!.observed, {
        checkEnd: async (plan, of, end, refused) => {
          const failure = await this.#check(of, this.#documentOf(plan, end, refused));
          return failure && { ...failure, reference: end.name };
        },
        saveViews: async (plan, of) => void (await this.#check(of, steadyViewsDocument(this.#flowOf(plan)))),
        carryOut: async (plan) => (await this.#carryOut([omitImpliedSteps(this.#documentOf(plan))]))[0]!,
        runPlain: () => this.#runPlain({ quiet: this.#quiet }),
        refusedSteps: ({ loaded }) => refusedSteps(loaded),
        isAsynchronous: () => this.#quiet !== undefined,
        untilLeasesEnd: process && (() => process.untilLeasesEnd(signal)),
      });
      const { charges } = first!.observed;
      this.#variants = [awkwardVariants, secondTries].flatMap((variantsOf) =>
        variantsOf(this.#flow, this.#baseline, charges),
      );
      this.customer = { ...customerOf(this.#flow, this.#baseline), variants: this.#variants };
    }
    return run.trace;
  }

  /** Returns true if the flow has scheduled work, and passes without it. */
  async #passesWithoutJob(): Promise<boolean> {
    if (this.#flow.scheduledWork.length === 0) return false;
    const idle = plainRunDocument(
      { ...this.#flow, scheduledWork: [] },
      { quiet: this.#quiet, rest: this.#rest },
    );
    const [run] = await this.#carryOut([idle]);
    return run!.trace.failure === undefined;
  }

  async #runPlain({ quiet, steady, written }: PlainRunOptions): Promise<SandboxRun> {
    const waits = { quiet, rest: this.#rest };
    const plain = saveCheckedBodies(this.#flow, plainRunDocument(this.#flow, waits, steady));
    const [run] = await this.#carryOut([written === undefined ? plain : { ...plain, document: written }]);
    return run!;
  }

  /** Runs without waits after webhooks. If the app may keep working after its responses, repeats the run with waits. */
  async #runFirst(): Promise<SandboxRun> {
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
  async #runSecond(first: SandboxRun): Promise<SandboxRun> {
    if (this.#quiet !== undefined) return this.#runPlain({ quiet: this.#quiet });
    const quick = await this.#runPlain({ steady: "0ms" });
    const isSame = quick.trace.failure === undefined && hasSameViews(this.#flow, first, quick);
    return isSame ? quick : this.#runPlain({});
  }

  #learnQuiet({ loaded, observed, waitedMs }: SandboxRun): void {
    const reports = waitReports("quiet", loaded);
    this.#isRestless = reports.some(({ restless }) => restless > 0);
    this.#quiet = this.#isRestless ? undefined : quietPeriodOf(this.#flow, observed, reports, waitedMs);
  }

  openQuestions(): readonly string[] {
    const canReset = this.#flow.reset.length === 0 && this.#paysForOthers;
    const doubts = [...(this.#isRestless ? [RESTLESS] : []), ...(canReset ? [PAYS_FOR_OTHERS] : [])];
    return [...doubts, ...this.#endCheck.ends.unpaidNotes()];
  }

  flowCoverage(): FlowCoverage {
    const runs = this.#plain.map(({ loaded }) => loaded);
    return findFlowCoverage(this.#flow, runs, this.#endCheck.ends.free);
  }

  wrongPrice(): string | undefined {
    return wrongPrice(this.#flow, this.#plain[0]!);
  }

  isolationReason(): string | undefined {
    return isolationReason(this.#flow, this.#baseline, this.#plain[0]!.observed);
  }

  profile(): Readonly<Record<string, number>> {
    return this.#profile.durations();
  }

  planRun(set: DeviationSet, variant: RunVariant): SandboxPlan {
    return new SandboxPlan(set, {
      ...this.#baseline,
      variant,
      variants: this.#variants,
      isWaiting: this.#quiet !== undefined,
      pace: this.#pace,
    });
  }

  /** Describes the steps that concurrent runs carry out at the same time, and the time that they share. */
  shapeOf(plan: SandboxPlan): string {
    const { document, roles } = omitImpliedSteps(this.#documentOf(plan));
    const steps = document.steps as readonly RawStep[];
    return JSON.stringify(steps.map((step, index) => [roles[index], stepKindsOf(step), step.advance]));
  }

  async observe(plans: readonly SandboxPlan[]): Promise<Trace[]> {
    const [alone, ...others] = plans;
    if (alone?.variant.isPatient === false && others.length === 0) alone.isWatched = this.#canWatch(alone);
    const killing = plans.find(({ killMoment }) => killMoment !== undefined);
    const endKilling = killing && killApp(this.#options.process!, killing, this.#options);
    const runs = await this.#carryOut(plans.map((plan) => omitImpliedSteps(this.#documentOf(plan))));
    await endKilling?.();
    const traces: Trace[] = [];
    for (const [index, run] of runs.entries()) {
      const plan = plans[index]!;
      const reports = waitReports("retry", run.loaded);
      const hasRetriedLate = this.#retries.hasPausedLonger(plan, reports, this.#canWatch(plan));
      this.#retries.learn(plan, reports);
      const { trace: end, isTouched } = await this.#endCheck.judge(plan, run);
      // The checks may move time, and call the app, which may call the service. These calls are no part of the next run.
      if (isTouched) {
        this.#nowMs = undefined;
        await this.#readRows(1);
      }
      const endMs = this.#nowMs ?? Infinity;
      const last = run.observed.calls.filter(({ isByFlow, atMs }) => !isByFlow && atMs >= endMs);
      if (plan.isWatched && end.failure === undefined) this.#retries.watch(plan, run.loaded.runId, last);
      const hasPausedLonger = hasRetriedLate || end.hasPausedLonger === true;
      traces.push({ ...end, hasPausedLonger, hasKilledApp: plan.killMoment !== undefined });
    }
    return traces;
  }

  /** Returns true if the calls of the run can be told from those of later runs, which it may then affect. */
  #canWatch(plan: SandboxPlan): boolean {
    return this.#retries.canWatch(plan) && this.isolationReason() === undefined;
  }

  async lateSets(): Promise<DeviationSet[]> {
    const { watchMs } = this.#retries;
    if (watchMs > 0) await new Promise<void>((resolve) => void systemWallClock.after(watchMs + 1, resolve));
    await this.#readRows(1);
    return this.#retries.takeWatched().map(({ set }) => set);
  }

  /** Reads the rows that were added since the last read. */
  async #readRows(runs: number): Promise<ObservedRows> {
    const { rows, position } = await readRowsSince(this.#client, this.#position!, runs);
    this.#position = position;
    this.#retries.noteLater(rows.requests);
    return rows;
  }

  /** Carries out the steps of a document that follow the run's own. */
  async #check(run: SandboxRun, document: RunDocument): Promise<RunFailure | undefined> {
    const loaded = await this.#loader.load(document.document);
    const all = withIncludedSteps(document, loaded);
    const indexes = [...all.keys()].filter((index) => isCheck(all[index]));
    return run.resume(
      indexes.map((index) => loaded.steps[index]!),
      indexes.map((index) => all[index]!),
    );
  }

  #flowOf({ flowVariant }: SandboxPlan): Flow {
    return this.#variants.find((one) => one === flowVariant)?.flow ?? this.#flow;
  }

  #documentOf(
    plan: SandboxPlan,
    end = this.#endCheck.ends.expectedOf(plan),
    refused: readonly number[] = [],
  ): RunDocument {
    const { isPatient } = plan.variant;
    const isLong = isPatient && !plan.holdsRead && this.#quiet !== undefined;
    const baseline = variedBaseline(this.#baseline, plan.flowVariant);
    return deviatingRunDocument(this.#flowOf(plan), plan, baseline, {
      name: scenarioName(this.name, plan.set),
      quiet: isLong ? `${steadyMs(this.#flow)}ms` : this.#quiet,
      rest: this.#rest,
      retry: this.#retries.waitFor(plan),
      flowWait: this.#retries.flowWaitFor(plan, this.#plain[0]!.waitedMs),
      end,
      refused,
    });
  }

  /** Carries out runs concurrently. Each run has its own customer, but all runs share one clock. */
  async #carryOut(runs: readonly RunDocument[]): Promise<SandboxRun[]> {
    const all = await this.#profile.time(
      "checking steps",
      Promise.all(runs.map(({ document }) => this.#loader.load(document))),
    );
    const roles = withIncludedSteps(runs[0]!, all[0]!);
    const startMs = this.#nowMs ?? (await readClock(this.#client));
    const { requests, deliveries, withdrawals } = this.#position!;
    const reports = await this.#session.runTogether(all, {
      canShare: (index) => roles[index] === "tail",
      lastIds: { requests: requests.last, deliveries: deliveries.last, withdrawals: withdrawals.last },
    });
    this.#nowMs = savedTime(all[0]!, MOMENT_NAMES.end);
    // Measures only the first run, because the other runs execute each step at the same time.
    this.#profile.addSteps(reports[0]!.steps, roles);
    const read = await this.#profile.time("reading logs", this.#readRows(all.length));
    const rows = withoutCustomersOf(this.#endedRuns, read);
    this.#paysForOthers ||= rows.charges.length < read.charges.length;
    this.#endedRuns.push(...all.map(({ runId }) => runId));
    return all.map((loaded, index) => {
      const observed = {
        ...observedRunOf(rows, startMs, this.#customerOf(loaded.runId)),
        // A step that all runs share saves its variables for the first.
        drivenMs: savedTime(all[0]!, MOMENT_NAMES.driven),
        quietMs: savedTime(all[0]!, MOMENT_NAMES.quiet),
      };
      return sandboxRunOf({ loaded, observed, report: reports[index]!, roles });
    });
  }

  /** Returns the customer's email, if the plain runs have shown that a run has exactly one customer. */
  #customerOf(runId: string): string | undefined {
    if (this.#plain.length < 2) return undefined;
    const emails = new Set(this.#plain[0]!.observed.charges.map(({ email }) => email));
    return emails.size === 1 ? customerEmail(this.#baseline, runId) : undefined;
  }
}
