import { ruleNames } from "../../../core/domain/scenario.js";
import { keepAlive, systemWall, type Wall } from "../../../core/time/wall.js";
import type { LoadedScenario } from "../files.js";
import { everyStep } from "../step-places.js";
import { Applied } from "./applied.js";
import { Baseline } from "./baseline.js";
import { callsApp, carryOutAll, MOST_CARRIED_OUT, notRun, untilAborted } from "./carry-out.js";
import { Client } from "./client.js";
import type { RunContext } from "./context.js";
import { CannotRun } from "./failure.js";
import type { Lease } from "./lease.js";
import { Leftovers } from "./leftovers.js";
import type { Outcome, RunReport, StepReport } from "./report.js";
import { accessTo, freezeClock, isThere, keepState, type StageOptions, takeStage } from "./stage.js";

export interface RunOptions extends StageOptions {
  readonly manual?: ((text: string) => Promise<void>) | undefined;
  /** Ends the run early; its changes are undone. */
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((step: StepReport, count: number) => void) | undefined;
  readonly onStepBegin?: ((title: string, number: number, count: number) => void) | undefined;
  readonly wall?: Wall | undefined;
}

/** Runs the steps of a scenario in a sandbox, then restores rules, faults, clock and namespace. */
export async function runScenario(loaded: LoadedScenario, options: RunOptions): Promise<RunReport> {
  const { wall = systemWall } = options;
  const startedMs = wall.nowMs();
  const steps: StepReport[] = [];
  const leftovers = new Leftovers();
  const { fetch, namespace, controlToken, signal } = options;
  const { runId } = loaded;
  const client = new Client(
    { fetch, namespace: isThere(loaded, options) ? namespace : undefined, controlToken, runner: runId },
    wall,
  );
  const stop = (): void => client.abandon();
  signal?.addEventListener("abort", stop);
  const release = keepAlive();
  const applied = new Applied(client, loaded.rulePlaces);
  let error: string | undefined;
  const count = loaded.steps.length;
  const end = (report: StepReport): void => {
    steps.push(report);
    options.onStep?.(report, count);
  };
  let lease: Lease | undefined;
  let moved: string | undefined;
  try {
    const stage = await takeStage(loaded, { ...options, wall }, client, leftovers);
    ({ lease, moved } = stage);
    if (stage.name !== undefined) client.enter(stage.name);
    if (loaded.isIsolated) await keepState(client, runId, leftovers);
    const context = await contextOf(loaded, options, client, leftovers, applied);
    await untilAborted(signal, context.begin());
    const execution = { context, signal, file: loaded.file, budget: { left: MOST_CARRIED_OUT } };
    const begin = (title: string, number: number) => options.onStepBegin?.(title, number, count);
    await carryOutAll(loaded.steps, loaded.scope, execution, { begin, end });
  } catch (caught) {
    error = reasonOf(caught);
    for (const [index, step] of loaded.steps.entries()) end(notRun(step, index + 1, loaded.file));
  }
  if (outcomeOf(steps, error) !== "error") error = await applied.note().then(() => undefined, reasonOf);
  const warnings = await leftovers.finish();
  await lease?.release();
  release();
  signal?.removeEventListener("abort", stop);
  const outcome = outcomeOf(steps, error);
  return {
    file: loaded.file,
    name: loaded.scenario.name,
    outcome,
    passed: outcome === "passed",
    run_id: loaded.runId,
    ...(moved === undefined ? {} : { namespace: moved }),
    duration_ms: wall.nowMs() - startedMs,
    steps,
    applied: applied.counts,
    ...applied.neverHappened(loaded.file),
    ...(error === undefined ? {} : { error }),
    warnings,
  };
}

export function reasonOf(caught: unknown): string {
  return caught instanceof Error ? caught.message : String(caught);
}

export function outcomeOf(steps: readonly StepReport[], error: string | undefined): Outcome {
  if (error !== undefined || steps.some(({ outcome }) => outcome === "error")) return "error";
  return steps.some(({ outcome }) => outcome === "failed") ? "failed" : "passed";
}

async function contextOf(
  loaded: LoadedScenario,
  options: RunOptions,
  client: Client,
  leftovers: Leftovers,
  applied: Applied,
): Promise<RunContext> {
  const { app, wall = systemWall, manual = async () => {} } = options;
  if (app === undefined && everyStep(loaded.steps).some(({ kind }) => callsApp(kind)))
    throw new CannotRun("some steps call the app under test: give its URL with --app");
  const access = await accessTo(client);
  const baseline = new Baseline(client);
  return {
    client,
    wall,
    ...access,
    app,
    applied,
    baseline,
    leftovers,
    manual,
    begin: async () => {
      await freezeClock(client, leftovers);
      applied.begin(await putRules(client, loaded, leftovers));
      await baseline.take();
    },
  };
}

const MAX_NAME_LENGTH = 100;

/** Activates the file's rules above all others until the run is over. Returns their unique name; undefined without rules. */
async function putRules(
  client: Client,
  loaded: LoadedScenario,
  leftovers: Leftovers,
): Promise<string | undefined> {
  const { source: _steps, ...rules } = loaded.scenario;
  if (ruleNames(rules).length === 0) return undefined;
  const name = await freeName(client, rules.name, loaded.runId);
  const path = `/scenarios/${encodeURIComponent(name)}`;
  leftovers.add("the rules", async () => {
    await client.undo("POST", `${path}/deactivate`);
    await client.undo("DELETE", path);
  });
  // `force`: unknown names were reported when the file was read.
  await client.must("PUT", path, { ...rules, name, force: true });
  await client.must("POST", `${path}/activate`);
  return name;
}

/** The scenario's own name, which requests can use, unless the sandbox has a scenario of that name. */
async function freeName(client: Client, name: string, runId: string): Promise<string> {
  const { status } = await client.control("GET", `/scenarios/${encodeURIComponent(name)}`);
  if (status === 404) return name;
  const suffix = `.${runId}`;
  return `${name.slice(0, MAX_NAME_LENGTH - suffix.length)}${suffix}`;
}
