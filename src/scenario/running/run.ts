import type { SandboxFetch } from "../../control-client.js";
import { keepAlive, systemWall, type Wall } from "../../time/wall.js";
import type { LoadedScenario, LoadedStep } from "../files.js";
import { filledStepFaults } from "../step-faults.js";
import { STEPS } from "../steps/kinds.js";
import type { StepRow } from "../steps/row.js";
import { fill, valueAt } from "../variables.js";
import { Baseline } from "./baseline.js";
import { Client } from "./client.js";
import type { RunContext } from "./context.js";
import { CannotRun, type Failure, StepFailure } from "./failure.js";
import { Leftovers } from "./leftovers.js";
import { type Outcome, type RunReport, type StepReport, titleOf } from "./report.js";
import { putRules } from "./rules.js";

export interface RunOptions {
  readonly fetch: SandboxFetch;
  readonly namespace?: string | undefined;
  readonly controlToken?: string | undefined;
  /** The base URL of the app under test. */
  readonly app?: string | undefined;
  readonly manual?: ((text: string) => Promise<void>) | undefined;
  /** Ends the run early; what it has changed is put back all the same. */
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((step: StepReport, of: number) => void) | undefined;
  readonly onStepBegin?: ((title: string, number: number, of: number) => void) | undefined;
  readonly wall?: Wall | undefined;
}

/** Carries out the steps of a scenario against a sandbox, and leaves it as it was but for what they did. */
export async function runScenario(loaded: LoadedScenario, options: RunOptions): Promise<RunReport> {
  const { wall = systemWall } = options;
  const startedMs = wall.nowMs();
  const steps: StepReport[] = [];
  const leftovers = new Leftovers();
  const { fetch, namespace, controlToken, signal } = options;
  const client = new Client({ fetch, namespace, controlToken, runner: loaded.runId }, wall);
  const stop = (): void => client.abandon();
  signal?.addEventListener("abort", stop);
  const release = keepAlive();
  let error: string | undefined;
  try {
    const context = await contextOf(loaded, options, client, leftovers);
    await untilAborted(signal, context.begin());
    for (const step of loaded.steps) {
      options.onStepBegin?.(titleOf(step.kind, step.raw), steps.length + 1, loaded.steps.length);
      const report = await carryOut(loaded, step, steps.length + 1, context, signal);
      steps.push(report);
      options.onStep?.(report, loaded.steps.length);
      if (report.outcome !== "passed") break;
    }
  } catch (caught) {
    error = caught instanceof Error ? caught.message : String(caught);
  }
  for (const step of loaded.steps.slice(steps.length)) {
    const report = notRun(step, steps.length + 1);
    steps.push(report);
    options.onStep?.(report, loaded.steps.length);
  }
  const warnings = await leftovers.finish();
  release();
  signal?.removeEventListener("abort", stop);
  const outcome = outcomeOf(steps, error);
  return {
    file: loaded.file,
    name: loaded.scenario.name,
    outcome,
    passed: outcome === "passed",
    run_id: loaded.runId,
    duration_ms: wall.nowMs() - startedMs,
    steps,
    ...(error === undefined ? {} : { error }),
    warnings,
  };
}

function outcomeOf(steps: readonly StepReport[], error: string | undefined): Outcome {
  if (error !== undefined || steps.some(({ outcome }) => outcome === "error")) return "error";
  return steps.some(({ outcome }) => outcome === "failed") ? "failed" : "passed";
}

interface SandboxInfo {
  readonly api_key: string;
  readonly live_api_key: string;
  readonly keys: readonly { readonly key: string; readonly organization_id: string }[];
}

async function contextOf(
  loaded: LoadedScenario,
  options: RunOptions,
  client: Client,
  leftovers: Leftovers,
): Promise<RunContext> {
  const { app, wall = systemWall, manual = async () => {} } = options;
  if (app === undefined && loaded.steps.some(({ kind }) => kind === "app"))
    throw new CannotRun("there are steps that call the app under test: give its URL with --app");
  const info = await sandboxInfo(client);
  const baseline = new Baseline(client);
  return {
    client,
    wall,
    keys: { test: info.api_key, live: info.live_api_key },
    organization: info.keys.find(({ key }) => key === info.api_key)?.organization_id ?? "",
    app,
    baseline,
    leftovers,
    manual,
    begin: async () => {
      await freezeClock(client, leftovers);
      await putRules(client, loaded, leftovers);
      await baseline.take();
    },
  };
}

async function sandboxInfo(client: Client): Promise<SandboxInfo> {
  const { status, body } = await client.control("GET", "");
  const info = body as Partial<SandboxInfo> & { error?: { message?: string } };
  if (status === 200 && typeof info === "object" && info !== null && typeof info.api_key === "string")
    return info as SandboxInfo;
  throw new CannotRun(info?.error?.message ?? `there is no payments-sandbox: status ${status}`);
}

/** Time stands still from here on, but for what the steps do; how it went before comes back at the end. */
async function freezeClock(client: Client, leftovers: Leftovers): Promise<void> {
  const { mode } = (await client.must("GET", "/clock")) as { mode: string };
  if (mode === "manual") return;
  leftovers.add("the clock", () => client.must("PUT", "/clock?wait=10s", { mode }));
  await client.must("PUT", "/clock?wait=10s", { mode: "manual" });
}

async function carryOut(
  loaded: LoadedScenario,
  loadedStep: LoadedStep,
  number: number,
  context: RunContext,
  signal: AbortSignal | undefined,
): Promise<StepReport> {
  const { kind, raw, line } = loadedStep;
  const startedMs = context.wall.nowMs();
  let title = titleOf(kind, raw);
  const report = (outcome: StepReport["outcome"], failure?: Failure): StepReport => ({
    number,
    title,
    kind,
    line,
    outcome,
    duration_ms: context.wall.nowMs() - startedMs,
    ...(failure === undefined ? {} : { failure }),
  });
  try {
    const open: string[] = [];
    const filled = fill(raw, loaded.scope.resolve, ({ path, message }) =>
      open.push(`${path.join(".")}: ${message}`),
    ) as Record<string, unknown>;
    title = titleOf(kind, filled);
    const faults = open.length > 0 ? open : filledStepFaults(filled);
    if (faults.length > 0) throw new StepFailure({ message: faults.join("; ") });
    // Its schema has let it through.
    const { run } = STEPS[kind] as StepRow;
    const result = await untilAborted(signal, run(filled, context));
    keep(loaded, filled.save as Record<string, string> | undefined, result);
    return report("passed");
  } catch (caught) {
    if (caught instanceof StepFailure) return report("failed", caught.failure);
    return report("error", { message: caught instanceof Error ? caught.message : String(caught) });
  }
}

function keep(loaded: LoadedScenario, save: Record<string, string> | undefined, result: unknown): void {
  for (const [name, path] of Object.entries(save ?? {})) {
    const found = valueAt(result, path);
    if (found === undefined)
      throw new StepFailure({ message: `there is no ${path} to save as ${name}`, got: result ?? null });
    loaded.scope.save(name, found.value);
  }
}

function notRun(step: LoadedStep, number: number): StepReport {
  const { kind, raw, line } = step;
  return { number, title: titleOf(kind, raw), kind, line, outcome: "not_run", duration_ms: 0 };
}

function untilAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new CannotRun("interrupted"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
