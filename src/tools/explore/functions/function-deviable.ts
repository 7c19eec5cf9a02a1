import { loadLazily } from "../../../core/time/load-lazily.js";
import { Client } from "../../scenario/running/client.js";
import { readNamespaceKeys } from "../../scenario/running/run-namespace.js";
import { RunSession } from "../../scenario/running/run-session.js";
import type { ServiceAccess } from "../../scenario/steps/request.js";
import { restDuration } from "../course.js";
import type { Deviable, FlowCoverage } from "../deviable.js";
import type { DeviationKind, DeviationSet } from "../deviation-set.js";
import type { LifeHost } from "../lives/life.js";
import { oneOrder } from "../lives/one-order.js";
import { RunPlan } from "../run-plan.js";
import type { RunVariant, Trace } from "../run-record.js";
import { baselineOf, pressRanges } from "../sandbox/baseline.js";
import { EndCheck } from "../sandbox/end-check.js";
import { type CheckedRun, viewFailure } from "../sandbox/end-comparison.js";
import type { Baseline } from "../sandbox/facts.js";
import { fieldName } from "../sandbox/looked-at.js";
import { soleCustomer } from "../sandbox/money.js";
import {
  type ListPositions,
  type ObservedRows,
  observedRunOf,
  readListPositions,
  readRowsSince,
} from "../sandbox/observation.js";
import { wrongPrice } from "../sandbox/price-check.js";
import { savedVariable, statusName, viewVariableName } from "../sandbox/saved-variable.js";
import type { ObservedViews } from "../sandbox/seen-views.js";
import { commonPart, fieldsIn, generalPath, pathOf } from "../sandbox/views.js";
import { Driver } from "./driver.js";
import type { ExploreFlow } from "./flow.js";
import { functionVariants } from "./function-variants.js";
import type { LocalSandbox } from "./local-sandbox.js";
import type { RunState } from "./run-state.js";
import { FlowRunner } from "./runner.js";

interface FlowRun extends CheckedRun {
  readonly state: RunState;
  /** Positions in the lists of the sandbox before the run. */
  readonly since: ListPositions;
  rows: ObservedRows;
}

const KILLED = "a flow in a process cannot outlive its app: only exec --explore with --kill kills it";
const NO_OPEN = "the flow has no open";

/** A flow that is a function of this process, as a `Deviable`: without documents, ports and waits in wall time. */
export class FunctionDeviable implements Deviable {
  readonly name: string;
  readonly source: string;
  readonly lacks: Partial<Record<DeviationKind, string>>;
  customer: Deviable["customer"];
  /** Error of the flow in the last run without deviations. */
  error: unknown;
  readonly #names: readonly string[];
  readonly #views: ObservedViews;
  readonly #flow: ExploreFlow;
  readonly #driver: Driver;
  readonly #sandbox: LocalSandbox;
  readonly #session: RunSession;
  readonly #client: Client;
  readonly #runner: FlowRunner;
  readonly #plain: FlowRun[] = [];
  #position: ListPositions;
  #runs = 0;
  /** Set once both plain runs with the purpose `learn` have passed. */
  #baseline!: Baseline;
  #endCheck!: EndCheck<FlowRun>;
  /** Number of acts of a flow that ended early → the check that compares it with plain runs as short. */
  readonly #shortChecks = new Map<number, EndCheck<FlowRun>>();

  private constructor(
    flow: ExploreFlow,
    sandbox: LocalSandbox,
    session: RunSession,
    access: ServiceAccess,
    position: ListPositions,
  ) {
    this.name = flow.name ?? "flow";
    this.source = this.name;
    this.#names = Object.keys(flow.see);
    this.#views = { observe: this.#names.map(() => ({})), allow: flow.allow ?? {}, areOfOneOrder: true };
    this.customer = {
      presses: [],
      pages: 0,
      hasJob: flow.tick !== undefined,
      jobReason: "the flow has no tick",
    };
    this.#sandbox = sandbox;
    this.#session = session;
    this.#client = access.client;
    this.#flow = flow;
    this.#position = position;
    this.#driver = new Driver(sandbox);
    const { name } = this;
    this.lacks = {
      app_killed: KILLED,
      ...(flow.open === undefined ? { returned_unpaid: NO_OPEN } : {}),
    };
    this.#runner = new FlowRunner({ name, flow, sandbox, driver: this.#driver, access });
  }

  /** Leases the sandbox, and takes the timers of the process, until `close`. */
  static async open(flow: ExploreFlow, sandbox: LocalSandbox): Promise<FunctionDeviable> {
    const { fetch } = sandbox;
    let session: RunSession | undefined;
    try {
      const name = `explore-${sandbox.runIdOf("explore")}`;
      session = await RunSession.open({ fetch, name });
      const client = new Client({ fetch, runner: name });
      const { keys } = await readNamespaceKeys(client);
      const position = await readListPositions(client);
      const { lives } = flow;
      const whole = lives === undefined ? flow : { ...flow, flow: flow.flow ?? oneOrder(lives, client) };
      return new FunctionDeviable(whole, sandbox, session, { client, keys }, position);
    } catch (error) {
      sandbox.close();
      await session?.close();
      throw error;
    }
  }

  async close(): Promise<readonly string[]> {
    this.#driver.close();
    this.#sandbox.close();
    return this.#session.close();
  }

  async observePlain(purpose: "check" | "learn"): Promise<Trace> {
    const run = await this.#carryOut(undefined, purpose === "check");
    const { state, trace, observed } = run;
    this.error = state.error;
    if (trace.failure !== undefined) return trace;
    if (purpose === "check") this.#runner.rest = restDuration(state.longestAdvanceMs, observed);
    else if (this.#plain.push(run) === 2) {
      // A view that counts its looks differs from the run before.
      await this.#runner.looks.save(state);
      this.#learn();
    }
    const { presses, pages, longestAdvanceMs } = state;
    this.customer = { ...this.customer, presses, pages, longestAdvanceMs };
    return trace;
  }

  #learn(): void {
    this.#driver.endLearning();
    const [one, other] = this.#plain as [FlowRun, FlowRun];
    const presses = pressRanges(one.observed, one.state.pressMarks);
    const baseline = baselineOf(this.#views, one, other, presses);
    this.#baseline = baseline;
    this.#runner.baseline = baseline;
    const canReturn = one.observed.calls.some(({ successUrl }) => successUrl !== undefined);
    const pressHolds = baseline.pressMatches.map((matches) => Object.keys(matches ?? {}).length);
    const meanwhile = this.#meanwhileOf(one.state, baseline);
    const variants = functionVariants(baseline, one.observed.charges, one.state.pages);
    this.#runner.variants = variants;
    this.customer = { ...this.customer, pressHolds, canReturn, meanwhile, variants };
    this.#endCheck = this.#checkOf(baseline, one);
  }

  #checkOf(baseline: Baseline, { observed }: FlowRun, endsAfter?: number): EndCheck<FlowRun> {
    return new EndCheck(this.#views, baseline, observed, {
      look: async (_plan, run) => {
        await this.#runner.looks.save(run.state);
        run.rows = (await readRowsSince(this.#sandbox.rowsSince, run.since, 1)).rows;
        return undefined;
      },
      checks: async () => undefined,
      wrongPrice: (_plan, run) => this.wrongPrice(run),
      carryOut: (plan) => this.#carryOut(plan),
      runPlain: () => this.#carryOut(undefined, false, endsAfter),
      hasRefused: ({ state }) => state.refused.size + state.unheard.length > 0,
      repeatRefused: async (_plan, run) => {
        await this.#runner.repeatRefused(run.state);
        return undefined;
      },
      isAsynchronous: () => false,
    });
  }

  /** The acts of others, and those of the flow after which a payment is under way. */
  #meanwhileOf({ acts }: RunState, { pressMatches }: Baseline): Deviable["customer"]["meanwhile"] {
    const all = acts.map(({ name, isPress }, index) => ({ name, isPress, index }));
    const paying = pressMatches.findIndex((one) => one !== undefined);
    const begin = all.filter(({ isPress }) => isPress)[paying]?.index ?? all.length;
    const end = all.findLastIndex(({ name, isPress }) => !isPress && name !== "cancel");
    return { steps: Object.keys(this.#flow.meanwhile ?? {}), acts: all.slice(begin, Math.max(begin, end)) };
  }

  /** Returns the check of a run's end; for a flow that ended early, one with plain runs of as many acts. */
  async #checkFor({ state }: FlowRun): Promise<EndCheck<FlowRun>> {
    const { hasEndedEarly, acts, plan } = state;
    if (!hasEndedEarly || plan?.flowVariant !== undefined) return this.#endCheck;
    const known = this.#shortChecks.get(acts.length);
    if (known !== undefined) return known;
    const one = await this.#carryOut(undefined, false, acts.length);
    const other = await this.#carryOut(undefined, false, acts.length);
    const presses = pressRanges(one.observed, one.state.pressMarks);
    const check = this.#checkOf(baselineOf(this.#views, one, other, presses), one, acts.length);
    this.#shortChecks.set(acts.length, check);
    return check;
  }

  async #carryOut(plan: RunPlan | undefined, isBrief = false, endsAfter = Infinity): Promise<FlowRun> {
    this.#runs++;
    const since = this.#position;
    const state = await this.#runner.carryOut(plan, isBrief, endsAfter);
    const { rows, position } = await readRowsSince(this.#sandbox.rowsSince, since, 1);
    this.#position = position;
    const { startMs, moments, variables } = state;
    const customer = soleCustomer(this.#plain, this.#baseline, variables.runId);
    const observed = observedRunOf(rows, startMs, moments, customer);
    const viewNames = this.#names.map((name) => ({ title: `see ${name}`, body: name }));
    const seen = { loaded: variables, viewNames };
    const trace = { observed, failure: state.failure, hasReachedApp: state.presses.length > 0 };
    return { ...seen, observed, trace, state, since, rows };
  }

  get isRepeatable(): boolean {
    return this.#driver.isRepeatable;
  }

  openQuestions(): readonly string[] {
    return [...this.#driver.limits, ...this.#endCheck.ends.unpaidNotes()];
  }

  flowCoverage(hasAllEnds: boolean): FlowCoverage {
    const { free, uncompared, mayCompareMore, listed } = this.#endCheck.ends;
    const compared = this.#names.flatMap((name, view) => {
      const { loaded } = this.#plain[0]!;
      // A view that throws shows why, and nothing of an order.
      if (Number(savedVariable(loaded, statusName(view))) >= 400) return [];
      const body = listed(savedVariable(loaded, viewVariableName(view)), view);
      const isFree = (path: string) =>
        uncompared.some((one) => one.view === view && generalPath(path) === generalPath(one.field));
      const common = commonPart(body, body, (path) => (isFree(path) ? "all" : undefined));
      return common === undefined ? [] : fieldsIn(common).map(({ path }) => [name, ...path].join("."));
    });
    const notCompared = free.map(({ view, field, reason }) => {
      const name = this.#names[view]!;
      const body = savedVariable(this.#plain[0]!.loaded, viewVariableName(view));
      return { field: fieldName(body, pathOf(field), [name], name), reason };
    });
    const fields = [...new Set(compared)].sort();
    const spots =
      fields.length > 0 || (mayCompareMore && !hasAllEnds)
        ? []
        : [{ path: ["see"], message: NOTHING_COMPARED }];
    return { fields, notCompared, spots };
  }

  wrongPrice(run = this.#plain[0]!): string | undefined {
    return wrongPrice({ observe: this.#names.map(() => ({})), drive: [] }, run);
  }

  isolationReason(): string {
    return "the runs share a process";
  }

  planRun(set: DeviationSet, variant: RunVariant): RunPlan {
    const { customerMatch, ownMatch } = this.#baseline;
    return new RunPlan(set, { customerMatch, ownMatch, variant, pace: 1 });
  }

  shapeOf(): string {
    return "";
  }

  async observe(plans: readonly RunPlan[]): Promise<Trace[]> {
    const traces: Trace[] = [];
    for (const plan of plans) {
      let run = await this.#carryOut(plan);
      const runsBefore = this.#runs;
      const check = await this.#checkFor(run);
      // Runs of a shorter flow came in between.
      if (this.#runs > runsBefore) run = await this.#carryOut(plan);
      const failure = run.trace.failure ?? viewFailure(run, plan, check.ends.expectedOf(plan));
      const { trace, isTouched } = await check.judge(plan, { ...run, trace: { ...run.trace, failure } });
      // The checks may move time, and look at the app, which may call the service: no part of the next run.
      if (isTouched)
        this.#position = (await readRowsSince(this.#sandbox.rowsSince, this.#position, 1)).position;
      traces.push(trace);
    }
    return traces;
  }

  async lives<Result>(work: (host: LifeHost) => Promise<Result>): Promise<Result> {
    const { functionLives } = await loadLazily(() => import("../lives/function-lives.js"));
    const [flow, sandbox, driver, client] = [this.#flow, this.#sandbox, this.#driver, this.#client];
    const { free: all, listed } = this.#endCheck.ends;
    const free = all.map(({ view, field }) => `${this.#names[view]}.${field}`);
    try {
      return await work(functionLives({ name: this.name, flow, sandbox, driver, client, free, listed }));
    } finally {
      this.#position = await readListPositions(client);
    }
  }

  async lateSets(): Promise<DeviationSet[]> {
    return [];
  }

  profile(): Readonly<Record<string, number>> {
    return { runs: this.#runs };
  }
}

const NOTHING_COMPARED =
  "see shows nothing that can be compared: return what the app knows of the order, and empty in setup what earlier runs left";
