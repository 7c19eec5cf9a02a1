import type { ScenarioView } from "../../core/schema/control-scenario-responses.js";
import { FIXED_SEED } from "../../core/schema/option-schemas.js";
import type { StartOptions } from "../../core/schema/option-table.js";
import { isMishapScenario } from "../../core/schema/scenario-rules.js";
import { UserError } from "../../core/schema/user-error.js";
import { monotonicMs, repeatEvery } from "../../core/time/timers.js";
import { openSandbox } from "../../library/opening.js";
import { OptionsError } from "../../library/options.js";
import type { Sandbox } from "../../library/sandbox.js";
import { writeCommandSummary } from "../report/github.js";
import { printErrorLine, printJson, printText } from "../terminal.js";
import { isColourEnabled } from "../text-layout.js";
import { findStrictFailures, listActiveScenarios, listAllScenarios } from "./applied-rules.js";
import { Matrix, type MatrixRun } from "./matrix.js";
import { commandText, type ExecPlan, repeatText } from "./plan.js";
import { runBesideSandbox } from "./run-command.js";
import { exitCodeOf } from "./signals.js";

/** Groups of shipped scenarios. No group contains the default scenario, because the plain run uses it. */
const GROUPS: ReadonlyMap<string, (scenario: ScenarioView) => boolean> = new Map([
  ["mishaps", (scenario: ScenarioView) => isMishapScenario(scenario)],
  ["all", ({ name }) => name !== "default"],
]);

/** Rare shipped mishaps: an app may never see them. Every app must survive the mishaps that are not listed here. */
const RARE: ReadonlySet<string> = new Set([
  "hanging_answer",
  "paid_late",
  "stale_reads",
  "webhook_days_later",
  "webhook_first",
  "webhook_new_ids",
]);

const LONG_RUN_MS = 10_000;
const WIDTH = 100;

/** Checks `--under` and reads its scenarios before anything runs. Returns the function that runs the command. */
export async function prepareMatrix(
  lists: readonly string[],
  options: StartOptions,
): Promise<(plan: ExecPlan) => Promise<number>> {
  const names = new Set(lists.flatMap((list) => list.split(",")).map((name) => name.trim()));
  names.delete("");
  if (names.size === 0) throw new UserError("--under takes the names of scenarios, separated by commas");
  if (options.data !== undefined)
    throw new UserError("--under gives each run a fresh sandbox: --data cannot go with it");
  const scenarios = new Map<string, ScenarioView>();
  for (const name of names)
    for (const scenario of await scenariosOf(name, options))
      scenarios.set(GROUPS.has(name) ? scenario.name : name, scenario);
  if (options.scenario !== undefined) {
    const base = await withSandbox(options, listActiveScenarios);
    for (const scenario of scenarios.values())
      for (const line of overrideWarnings(base, scenario)) printErrorLine(line);
  }
  return (plan) => runMatrix(plan, scenarios);
}

async function scenariosOf(name: string, options: StartOptions): Promise<ScenarioView[]> {
  const isInGroup = GROUPS.get(name);
  const scenario = isInGroup === undefined ? [name] : [];
  try {
    return await withSandbox(
      { ...options, scenario, onWarning: (warning: string) => printErrorLine(warning) },
      async (sandbox) =>
        isInGroup === undefined
          ? (await listActiveScenarios(sandbox)).slice(0, 1)
          : (await listAllScenarios(sandbox))
              .filter(isInGroup)
              .sort((a, b) => Number(RARE.has(a.name)) - Number(RARE.has(b.name))),
    );
  } catch (error) {
    if (error instanceof OptionsError && error.files.length === 0)
      throw new UserError(`--under: ${error.message} (${[...GROUPS.keys()].join(" and ")} stand for many)`);
    throw error;
  }
}

async function withSandbox<Value>(
  options: StartOptions & { readonly onWarning?: (warning: string) => void },
  read: (sandbox: Sandbox) => Promise<Value>,
): Promise<Value> {
  const sandbox = await openSandbox({ ...options, useRandomSeed: false, ownsProcess: true });
  try {
    return await read(sandbox);
  } finally {
    await sandbox.close();
  }
}

/** Warns about rules of `--scenario` that never apply: the rules of `--under` come first and match every case. */
function overrideWarnings(base: readonly ScenarioView[], under: ScenarioView): string[] {
  return base.flatMap(({ name, ...rules }) => {
    if (name === under.name)
      return [`--under ${name}: --scenario activates it in the plain run too, so both runs are the same`];
    const kinds = (["charges", "withdrawals"] as const).filter(
      (kind) => (rules[kind] ?? []).length > 0 && decidesAll(under[kind]),
    );
    return kinds.length === 0
      ? []
      : [
          `--under ${under.name} decides the outcome of all ${kinds.join(" and ")}: there, those rules of --scenario ${name} never apply`,
        ];
  });
}

function decidesAll(rules: ScenarioView["charges"] | ScenarioView["withdrawals"] = []): boolean {
  return rules.some(
    ({ match = {}, probability }) => Object.keys(match).length === 0 && probability === undefined,
  );
}

/**
 * Does the plain run of the command. If the plain run passes, runs the command under each scenario. Each run has a
 * fresh sandbox with the same seed. Returns the exit code of a failed plain run, or 1 after any other failure.
 */
async function runMatrix(plan: ExecPlan, scenarios: ReadonlyMap<string, ScenarioView>): Promise<number> {
  const { command, runner, notice } = plan;
  const runs: MatrixRun[] = [];
  const folders = new Set<string>();
  announceMishaps(scenarios, notice);
  for (const [label, scenario] of [["plain", undefined] as const, ...scenarios]) {
    const how = scenario === undefined ? label : `under ${label}`;
    const title = `run ${runs.length + 1} of ${scenarios.size + 1}, ${how}`;
    if (scenario === undefined) notice(`${title}: ${commandText(command)}`);
    const stop = noticeLongRun(title, scenario, plan);
    const run = await runOne(plan, label, scenario, folderFor(scenario, folders)).finally(stop);
    runs.push(run);
    notice(`${title}: exit ${run.code} after ${(run.durationMs / 1_000).toFixed(1)} s`);
    const isPlainFailure = scenario === undefined && (run.code !== 0 || run.passesStrict === false);
    if (runner.stopSignal !== undefined || isPlainFailure) break;
  }
  const matrix = new Matrix(
    command,
    runs,
    [...scenarios.keys()].slice(runs.length - 1),
    (label) => repeatText(plan, label),
    plan.options.webhook_url !== undefined,
  );
  printMatrix(plan, matrix);
  if (runner.stopSignal !== undefined) return exitCodeOf(runner.stopSignal);
  return runs[0]!.code || (matrix.isAllPassed ? 0 : 1);
}

/** Prints the shipped mishaps: first those that every app must survive, then the rare ones. */
function announceMishaps(scenarios: ReadonlyMap<string, ScenarioView>, notice: (text: string) => void): void {
  const names = [...scenarios].flatMap(([label, scenario]) =>
    label === scenario.name && isMishapScenario(scenario) ? [label] : [],
  );
  const usual = names.filter((name) => !RARE.has(name));
  const rare = names.filter((name) => RARE.has(name));
  if (usual.length > 0) notice(`every app must survive: ${usual.join(", ")}`);
  if (rare.length > 0) notice(`rare: ${rare.join(", ")}`);
}

/** Reports a long run, and the reason if known. Returns a function that stops the reports. */
function noticeLongRun(
  title: string,
  scenario: ScenarioView | undefined,
  { options, notice }: ExecPlan,
): () => void {
  const startedAtMs = monotonicMs();
  const isHolding = scenario?.faults?.some(({ drop, hold }) => drop === "hang" || hold !== undefined);
  const reason = isHolding
    ? `; each held response lasts until the app gives up, ${options.hold_limit ?? "30s"} at most (--hold-limit)`
    : "";
  return repeatEvery(LONG_RUN_MS, () =>
    notice(`${title}: running for ${Math.round((monotonicMs() - startedAtMs) / 1_000)} s${reason}`),
  );
}

async function runOne(
  plan: ExecPlan,
  label: string,
  scenario: ScenarioView | undefined,
  folder: string,
): Promise<MatrixRun> {
  const name = scenario?.name ?? null;
  const active = [...(plan.options.scenario ?? []), ...(scenario === undefined ? [] : [label])];
  const result = await runBesideSandbox(
    { ...plan, options: { ...plan.options, scenario: active } },
    { scenario: name, folder },
  );
  const failures = plan.isStrict ? findStrictFailures(result, active) : [];
  for (const failure of failures) printErrorLine(failure);
  const { code, seed, durationMs, advice, due, firstHit } = result;
  return {
    label,
    scenario: name,
    scenarioView: result.scenarios.find((one) => one.name === name),
    isRare: name !== null && RARE.has(name),
    passesStrict: failures.length === 0,
    code,
    seed,
    durationMs,
    advice,
    due,
    firstHit,
  };
}

/** Returns an unused folder name; two files may have scenarios of the same name. */
function folderFor(scenario: ScenarioView | undefined, taken: Set<string>): string {
  const base = scenario === undefined ? "plain" : `under-${scenario.name.replace(/[^A-Za-z0-9._-]/g, "_")}`;
  let folder = base;
  for (let number = 2; taken.has(folder); number++) folder = `${base}-${number}`;
  taken.add(folder);
  return folder;
}

function printMatrix({ command, options, artifacts }: ExecPlan, matrix: Matrix): void {
  const json = matrix.toJson();
  const seed = options.seed ?? FIXED_SEED;
  artifacts?.write("matrix.json", `${JSON.stringify({ seed, ...json }, null, 2)}\n`);
  artifacts?.write("matrix.txt", matrix.toText(WIDTH, false));
  writeCommandSummary(commandText(command), matrix.isAllPassed, matrix.toText(WIDTH, false).split("\n"));
  if (options.json) printJson(json);
  else printText(`\n${matrix.toText(process.stdout.columns || WIDTH, isColourEnabled())}`);
}
