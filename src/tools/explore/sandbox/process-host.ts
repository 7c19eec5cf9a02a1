import type { SandboxFetch } from "../../../core/client/control-client.js";
import type { ScenarioInputs } from "../../scenario/files.js";
import { Client } from "../../scenario/running/client.js";
import type { RunCommand } from "../../scenario/running/context.js";
import { RunSession } from "../../scenario/running/run-session.js";
import type { RunRules } from "../functions/local-sandbox.js";
import type { RunPlan } from "../run-plan.js";
import type { CheckedRun } from "./end-comparison.js";
import type { Flow } from "./flow.js";
import { FlowLoader } from "./flow-loader.js";
import { type AppWaits, FlowRun, RunProfile, SharedClock } from "./flow-run.js";
import { type KillableApp, RULES_NAME } from "./killable-app.js";
import {
  type ListPositions,
  type ObservedRows,
  observedRunOf,
  readClock,
  readListPositions,
  readRowsOf,
  readRowsSince,
  withoutPaymentsOf,
} from "./observation.js";

export interface ProcessHostOptions {
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

export interface Course {
  readonly flow: Flow;
  readonly name: string;
  readonly rules: Partial<RunPlan["rules"]>;
  readonly waits: AppWaits;
  readonly follow: (run: FlowRun) => Promise<void>;
}

export interface ProcessRun extends CheckedRun {
  readonly run: FlowRun;
  rows: ObservedRows;
  /** Reads the rows since the run began again. */
  readonly readRows: () => Promise<ObservedRows>;
}

export class ProcessHost {
  readonly profile = new RunProfile();
  /** Sandbox time at the end of the last run; undefined if it is not known. */
  nowMs: number | undefined;
  /** The app creates charges for the customers of earlier runs. */
  paysForOthers = false;
  readonly #client: Client;
  readonly #session: RunSession;
  readonly #endedRuns: string[] = [];
  readonly #inputs: ScenarioInputs;
  readonly #loaders = new Map<Flow, Promise<FlowLoader>>();
  #position: ListPositions;

  private constructor(inputs: ScenarioInputs, client: Client, session: RunSession, position: ListPositions) {
    this.#inputs = inputs;
    this.#client = client;
    this.#session = session;
    this.#position = position;
  }

  /** Leases the namespace until `close`. */
  static async open(flowName: string, options: ProcessHostOptions): Promise<ProcessHost> {
    const { runIdOf, process, vars = {}, environment = {} } = options;
    const name = `${RULES_NAME}${runIdOf(flowName)}`;
    const untilAppIsUp = process && (() => process.untilUp());
    const session = await RunSession.open({ ...options, name, untilAppIsUp });
    const client = new Client(options);
    const inputs = { vars, environment, runIdOf };
    return new ProcessHost(inputs, client, session, await readListPositions(client));
  }

  close(): Promise<string[]> {
    return this.#session.close();
  }

  /** Replaces the rules of the runs under way. */
  useRules(rules: RunRules): Promise<void> {
    return this.#session.useRules(rules);
  }

  #loaderOf(flow: Flow): Promise<FlowLoader> {
    const known = this.#loaders.get(flow);
    if (known !== undefined) return known;
    const loader = FlowLoader.open(flow, this.#inputs);
    this.#loaders.set(flow, loader);
    return loader;
  }

  /** Reads the rows that were added since the last read. */
  async readRows(runs = 1): Promise<ObservedRows> {
    const { rows, position } = await readRowsSince(readRowsOf(this.#client), this.#position, runs);
    this.#position = position;
    return rows;
  }

  /**
   * Carries out runs concurrently. Each run has its own customer, but all runs share one clock.
   *
   * @param customerOf returns the email of a run's customer; undefined if a run may have several
   * @param areFree a run moves the clock without the others
   */
  async carryOut(
    courses: readonly Course[],
    customerOf: (runId: string) => string | undefined,
    areFree = false,
  ): Promise<{ readonly runs: readonly ProcessRun[]; readonly rows: ObservedRows }> {
    const loaders = await Promise.all(courses.map(({ flow }) => this.#loaderOf(flow)));
    const loading = courses.map(({ name, rules }, index) => loaders[index]!.load(name, rules));
    const all = await this.profile.time("loading runs", Promise.all(loading));
    const startMs = this.nowMs ?? (await readClock(this.#client));
    const since = this.#position;
    const { requests, deliveries, withdrawals } = since;
    const lastIds = { requests: requests.last, deliveries: deliveries.last, withdrawals: withdrawals.last };
    const begun = this.#session.begin(all, lastIds);
    const allRuns = [...this.#endedRuns, ...all.map(({ runId }) => runId)];
    const clock = new SharedClock(areFree ? 1 : all.length);
    const runs = all.map((loaded, index) => {
      // Measures only the first run, because the other runs execute each step at the same time.
      const profile = index === 0 ? this.profile : undefined;
      const { waits } = courses[index]!;
      const [session, loader] = [begun.runs[index]!, loaders[index]!];
      return new FlowRun({ loaded, loader, session, clock, waits, allRuns, profile });
    });
    const failures = await Promise.all(
      runs.map(async (run, index) => {
        const failure = await run.failureIn(() => begun.ready.then(() => courses[index]!.follow(run)));
        await run.end();
        return failure;
      }),
    );
    this.nowMs = runs[0]!.moments.endMs;
    const read = await this.profile.time("reading logs", this.readRows(all.length));
    const ended = [...this.#endedRuns];
    const rows = withoutPaymentsOf(ended, read);
    const readRows = async () =>
      withoutPaymentsOf(ended, (await readRowsSince(readRowsOf(this.#client), since, all.length)).rows);
    this.paysForOthers ||= rows.charges.length < read.charges.length;
    this.#endedRuns.push(...all.map(({ runId }) => runId));
    const carriedOut = runs.map((run, index): ProcessRun => {
      const { loaded, hasReachedApp, moments } = run;
      const observed = observedRunOf(rows, startMs, moments, customerOf(loaded.runId));
      const trace = { observed, failure: failures[index], hasReachedApp };
      return { loaded, observed, run, trace, rows, readRows, viewNames: run.viewNames };
    });
    return { runs: carriedOut, rows: read };
  }
}
