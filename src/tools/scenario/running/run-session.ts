import { ConnectionPool } from "../../../core/delivery/outgoing-http.js";
import { RULE_KINDS } from "../../../core/domain/rule-matching.js";
import { errorText } from "../../../core/schema/error-text.js";
import { keepProcessRunning } from "../../../core/time/wall-clock.js";
import type { LoadedScenario } from "../files.js";
import { flattenSteps, type LoadedStep } from "../loaded-steps.js";
import { STEPS } from "../steps/step-kinds.js";
import type { Variables } from "../variables.js";
import { Client } from "./client.js";
import { Cleanup, type RunContext } from "./context.js";
import { type LastIds, StartState } from "./control-lists.js";
import { CannotRunError } from "./failure.js";
import { RuleUsage } from "./rule-usage.js";
import {
  freezeClock,
  Lease,
  type NamespaceKeys,
  type RunTarget,
  readNamespaceKeys,
} from "./run-namespace.js";
import type { RunReport, StepReport } from "./run-report.js";
import { activateRules, outcomeOf } from "./run-scenario.js";
import { type Execution, fillAndCheckStep, MAX_RUN_STEPS, notRunReport, runSteps } from "./run-steps.js";

interface RunSessionOptions extends RunTarget, Pick<RunContext, "untilAppIsUp" | "runCommand"> {
  /** Unique name of the session's lease and rules. */
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
}

export type RunSummary = Pick<RunReport, "outcome" | "passed" | "steps" | "error">;

export interface SessionRun extends RunSummary {
  /** Carries out more steps, with the variables and the start of the run. Rejects if the run had an error. */
  readonly resume: (steps: readonly LoadedStep[]) => Promise<RunSummary>;
}

interface TogetherOptions {
  /** Returns true if the step at this index can be executed once for all runs. */
  readonly canShare: (index: number) => boolean;
  /** Newest records before the runs, for steps that `resume` carries out. */
  readonly lastIds?: LastIds;
}

/** A leased namespace with a frozen clock, for many runs. Each run replaces the rules of the previous run. */
export class RunSession {
  readonly #options: RunSessionOptions;
  readonly #client: Client;
  readonly #access: NamespaceKeys;
  readonly #lease: Lease | undefined;
  readonly #cleanup = new Cleanup();
  readonly #release = keepProcessRunning();
  readonly #connections = new ConnectionPool();
  #hasRules = false;
  #runs = 0;

  private constructor(
    options: RunSessionOptions,
    client: Client,
    access: NamespaceKeys,
    lease: Lease | undefined,
  ) {
    this.#options = options;
    this.#client = client;
    this.#access = access;
    this.#lease = lease;
  }

  /** Leases the namespace; throws if another run holds it. */
  static async open(options: RunSessionOptions): Promise<RunSession> {
    const client = clientOf(options, { runner: options.name });
    const access = await readNamespaceKeys(client);
    const lease = await Lease.take(clientOf(options, { run: options.name }), { with_namespace: false });
    if (typeof lease === "string") throw new CannotRunError(`${lease}: try again then, or name another`);
    const session = new RunSession(options, client, access, lease);
    await freezeClock(client, session.#cleanup);
    return session;
  }

  async run(loaded: LoadedScenario): Promise<RunSummary> {
    const [outcome] = await this.runTogether([loaded], { canShare: () => false });
    return outcome!;
  }

  /** Runs several scenarios concurrently. All rules are active together, so each rule must match one customer only. */
  async runTogether(
    all: readonly LoadedScenario[],
    { canShare, lastIds = {} }: TogetherOptions,
  ): Promise<SessionRun[]> {
    const { signal } = this.#options;
    const lanes = all.map((loaded) => this.#laneOf(loaded, all, lastIds));
    const stop = (): void => {
      for (const { client } of lanes) client.abort();
    };
    signal?.addEventListener("abort", stop);
    try {
      await this.#replaceRules(rulesOf(all));
      for (const { prepare } of lanes) await prepare();
      const reports = await runInLockstep(lanes, canShare);
      return reports.map((steps, index) => {
        const { scope, execution } = lanes[index]!;
        const resume = async (more: readonly LoadedStep[]) =>
          summaryOf(await runSteps(more, scope, execution));
        return { ...summaryOf(steps), resume };
      });
    } catch (caught) {
      const resume = () => Promise.reject(caught);
      const error = errorText(caught);
      return all.map(() => ({ outcome: "error", passed: false, steps: [], error, resume }));
    } finally {
      for (const { cleanup } of lanes) await cleanup.finish();
      signal?.removeEventListener("abort", stop);
    }
  }

  #laneOf(loaded: LoadedScenario, all: readonly LoadedScenario[], lastIds: LastIds) {
    const { app, signal, untilAppIsUp, runCommand } = this.#options;
    const client = clientOf(this.#options, { runner: loaded.runId });
    const cleanup = new Cleanup();
    const startState = new StartState(client, lastIds);
    const needsStartState = flattenSteps(loaded.steps).some(comparesWithStart);
    const prepare = async (): Promise<void> => {
      if (needsStartState) await startState.record();
    };
    const context = {
      client,
      ...this.#access,
      app,
      untilAppIsUp,
      runCommand,
      connections: this.#connections,
      ruleCounts: new RuleUsage(client, loaded.ruleLines),
      startState,
      cleanup,
      requestManualStep: async () => {},
      prepare: async () => {
        this.#hasRules = false;
        await freezeClock(client, cleanup);
        await this.#replaceRules(rulesOf(all));
        await prepare();
      },
      removeMishaps: async () => {
        const { faults, webhooks, ...outcomes } = rulesOf(all);
        if ((faults ?? webhooks) !== undefined) await this.#replaceRules(outcomes);
      },
      isTerse: true,
    };
    const execution = { context, signal, file: loaded.file, budget: { left: MAX_RUN_STEPS } };
    return { client, cleanup, prepare, execution, steps: loaded.steps, scope: loaded.scope };
  }

  /** Releases the namespace; returns a message for each change that could not be undone. */
  async close(): Promise<string[]> {
    const warnings = await this.#cleanup.finish();
    await this.#lease?.release();
    this.#connections.close();
    this.#release();
    return warnings;
  }

  async #replaceRules(rules: Rules): Promise<void> {
    if (Object.keys(rules).length === 0 && !this.#hasRules) return;
    const { name } = this.#options;
    // Gives each run its own description. An identical scenario would keep the counts of the last run.
    const description = `run ${++this.#runs}`;
    const all = { name, description, ...rules };
    if (this.#hasRules) await this.#client.callOrFail("putScenario", { ...all, force: true });
    else await activateRules(this.#client, this.#cleanup, all);
    this.#hasRules = true;
  }
}

function summaryOf(steps: readonly StepReport[]): RunSummary {
  const outcome = outcomeOf(steps, undefined);
  return { outcome, passed: outcome === "passed", steps: [...steps] };
}

type Rules = Readonly<Partial<Record<(typeof RULE_KINDS)[number], readonly unknown[]>>>;

function rulesOf(all: readonly LoadedScenario[]): Rules {
  const lists = RULE_KINDS.map((kind) => {
    const list = all.flatMap(({ scenario }): unknown[] => scenario[kind] ?? []);
    return [kind, list] as const;
  });
  return Object.fromEntries(lists.filter(([, list]) => list.length > 0));
}

function clientOf(
  { fetch, namespace, controlToken }: RunSessionOptions,
  as: { readonly run: string } | { readonly runner: string },
): Client {
  return new Client({ fetch, namespace, controlToken, ...as });
}

/** Returns true if a step may compare with the state at the start of the run. */
function comparesWithStart({ kind, raw }: LoadedStep): boolean {
  if (kind === "wait_for") return raw.wait_for !== "idle" && raw.wait_for !== "charge";
  return !STEPS[kind].traits.includes("ignores_start");
}

interface RunLane {
  readonly steps: readonly LoadedStep[];
  readonly scope: Variables;
  readonly execution: Execution;
}

/**
 * Runs step lists of equal length in lockstep: all runs finish a step before any run begins the next step. Executes a
 * step only once if all runs have the same step and may share it. Every `advance` may be shared, because the runs have
 * one clock.
 *
 * @param canShare returns true if runs may share the step at this index
 */
async function runInLockstep(
  lanes: readonly RunLane[],
  canShare: (index: number) => boolean,
): Promise<StepReport[][]> {
  const reports: StepReport[][] = lanes.map(() => []);
  const length = Math.max(...lanes.map(({ steps }) => steps.length));
  for (let index = 0; index < length; index++) {
    const isOpen = (position: number): boolean =>
      reports[position]!.every(({ outcome }) => outcome === "passed");
    const open = lanes.filter((_, position) => isOpen(position));
    const runStepIn = async ({ steps, scope, execution }: RunLane): Promise<StepReport> => {
      const [report] = await runSteps(steps.slice(index, index + 1), scope, execution);
      return { ...report!, number: index + 1 };
    };
    const [first] = open;
    const isShared = open.length > 1 && isSame(open, index, canShare(index));
    const shared = isShared ? await runStepIn(first!) : undefined;
    const stepReports = await Promise.all(
      lanes.map(async (lane, position) => {
        if (!isOpen(position)) return notRunReport(lane.steps[index]!, index + 1, lane.execution.file);
        return shared ?? runStepIn(lane);
      }),
    );
    for (const [position, report] of stepReports.entries()) reports[position]!.push(report);
  }
  return reports;
}

/** Returns true if all runs have the same step and can share it. */
function isSame(lanes: readonly RunLane[], index: number, canShare: boolean): boolean {
  const steps = lanes.map(({ steps }) => steps[index]!);
  if (!canShare && steps.some(({ kind }) => kind !== "advance")) return false;
  const [first, ...others] = lanes.map(({ scope }, position) =>
    JSON.stringify(fillAndCheckStep(steps[position]!, scope)),
  );
  return others.every((text) => text === first);
}
