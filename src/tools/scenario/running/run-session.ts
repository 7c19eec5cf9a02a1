import { ConnectionPool } from "../../../core/delivery/outgoing-http.js";
import { RULE_KINDS } from "../../../core/domain/rule-matching.js";
import { keepProcessRunning } from "../../../core/time/wall-clock.js";
import type { LoadedScenario } from "../files.js";
import { flattenSteps, type LoadedStep, type RawStep } from "../loaded-steps.js";
import type { ServiceAccess } from "../steps/request.js";
import { STEPS } from "../steps/step-kinds.js";
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
import type { StepReport } from "./run-report.js";
import { activateRules } from "./run-scenario.js";
import { fillAndCheckStep, MAX_RUN_STEPS, runSteps } from "./run-steps.js";

interface RunSessionOptions extends RunTarget, Pick<RunContext, "untilAppIsUp" | "runCommand"> {
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
}

/** A run of a session, which takes one step after another. */
export interface SessionRun {
  readonly access: ServiceAccess;
  /** Carries out a step. `result`: what the step returned; undefined if it failed or has nested steps. */
  readonly step: (step: LoadedStep) => Promise<{ readonly report: StepReport; readonly result: unknown }>;
  /** The step with its variables filled in. Throws a StepFailure if one is unknown. */
  readonly fill: (step: LoadedStep) => RawStep;
  /** Undoes the faults of the run. It can take further steps. */
  readonly end: () => Promise<void>;
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

  /**
   * Begins concurrent runs. All rules are active together, so each rule must match one customer only.
   *
   * @param lastIds newest records before the runs, for steps that compare with them
   * @returns the runs, and when they can take steps; `ready` rejects if they cannot
   */
  begin(
    all: readonly LoadedScenario[],
    lastIds: LastIds,
  ): { readonly runs: readonly SessionRun[]; readonly ready: Promise<void> } {
    const runs = all.map((loaded) => this.#runOf(loaded, all, lastIds));
    const prepare = async (): Promise<void> => {
      await this.useRules(rulesOf(all));
      for (const { prepare } of runs) await prepare();
    };
    return { runs, ready: prepare() };
  }

  #runOf(loaded: LoadedScenario, all: readonly LoadedScenario[], lastIds: LastIds) {
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
        await this.useRules(rulesOf(all));
        await prepare();
      },
      removeMishaps: async () => {
        const { faults, webhooks, ...outcomes } = rulesOf(all);
        if ((faults ?? webhooks) !== undefined) await this.useRules(outcomes);
      },
      isTerse: true,
    };
    const execution = { context, signal, file: loaded.file, budget: { left: MAX_RUN_STEPS } };
    const stop = (): void => client.abort();
    signal?.addEventListener("abort", stop);
    const step: SessionRun["step"] = async (one) => {
      let result: unknown;
      const [report] = await runSteps([one], loaded.scope, execution, {
        result: (value) => {
          result = value;
        },
      });
      return { report: report!, result };
    };
    const end = async (): Promise<void> => {
      await cleanup.finish();
      signal?.removeEventListener("abort", stop);
    };
    return {
      access: context,
      prepare,
      step,
      fill: (one: LoadedStep) => fillAndCheckStep(one, loaded.scope),
      end,
    };
  }

  /** Releases the namespace; returns a message for each change that could not be undone. */
  async close(): Promise<string[]> {
    const warnings = await this.#cleanup.finish();
    await this.#lease?.release();
    this.#connections.close();
    this.#release();
    return warnings;
  }

  async useRules(rules: Rules): Promise<void> {
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
