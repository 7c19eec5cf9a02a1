import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { openSandbox } from "../../opening.js";
import { OptionsError } from "../../options.js";
import type { ScenarioView } from "../../schema/control-scenario-responses.js";
import type { StartOptions } from "../../schema/option-table.js";
import { FIXED_SEED } from "../../schema/options.js";
import { own } from "../../schema/own.js";
import { UserError } from "../../schema/user-error.js";
import { every, monotonicMs } from "../../time/timers.js";
import { wantsColour } from "../paint.js";
import { say, sayJson, tellLine } from "../terminal.js";
import { type Column, Matrix } from "./matrix.js";
import { overruled } from "./overruled.js";
import { commandText, type Plan } from "./plan.js";
import { activeScenarios, allScenarios, isMishap, isRandom } from "./played.js";
import { runBeside } from "./run.js";
import { exitCodeOf } from "./signals.js";
import { strictFaults } from "./strict.js";
import { readTestReport, type TestResult } from "./test-report.js";

/** A scenario to run the command under. */
interface Mishap {
  /** What `--scenario` takes. */
  readonly given: string;
  readonly scenario: ScenarioView;
  /** In the place of the options' own. */
  readonly seed?: string;
  /** How the matrix calls it. */
  readonly label: string;
}

interface UnderFlags {
  readonly underReport?: string;
  readonly seeds?: string;
}

const MOST_SEEDS = 100;

/** `--under`, checked: every scenario is read before anything runs. Runs the command under each of them. */
export async function readUnder(
  lists: readonly string[],
  { underReport, seeds }: UnderFlags,
  options: StartOptions,
): Promise<(plan: Plan) => Promise<number>> {
  const given = [...new Set(lists.flatMap((list) => list.split(",")).map((one) => one.trim()))].filter(
    Boolean,
  );
  if (given.length === 0)
    throw new UserError(
      lists.length === 0
        ? `${underReport === undefined ? "--seeds" : "--under-report"} goes with --under, which names the scenarios to run the command under`
        : "--under takes the names of scenarios, separated by commas",
    );
  if (options.data !== undefined)
    throw new UserError("--under gives each run a fresh sandbox: --data cannot go with it");
  const often = seedsOf(seeds);
  const wanted = new Map<string, ScenarioView>();
  for (const one of given)
    for (const scenario of await scenariosOf(one, options))
      wanted.set(own(GROUPS, one) !== undefined ? scenario.name : one, scenario);
  const mishaps = [...wanted].flatMap(([given, scenario]): Mishap[] =>
    Array.from({ length: isRandom(scenario) ? often : 1 }, (_none, index) => ({
      given,
      scenario,
      label: index === 0 ? given : `${given} #${index + 1}`,
      ...(index === 0 ? {} : { seed: `${options.seed ?? FIXED_SEED}-${index + 1}` }),
    })),
  );
  if (options.scenario !== undefined) {
    const base = await activeWith(options);
    for (const scenario of wanted.values()) for (const line of overruled(base, scenario)) tellLine(line);
  }
  return (plan) => runUnder(plan, mishaps, underReport);
}

/** The scenarios that every run has on. */
async function activeWith(options: StartOptions): Promise<ScenarioView[]> {
  const sandbox = await openSandbox({ ...options, makeUpSeed: false, ownsProcess: true });
  try {
    return await activeScenarios(sandbox);
  } finally {
    await sandbox.close();
  }
}

function seedsOf(seeds = "1"): number {
  const often = Number(seeds);
  if (/^\d+$/.test(seeds) && often >= 1 && often <= MOST_SEEDS) return often;
  throw new UserError(`--seeds must be a number from 1 to ${MOST_SEEDS}, not ${JSON.stringify(seeds)}`);
}

/** Shipped scenarios that go by one name; the default one is what the plain run has. */
const GROUPS: Readonly<Record<string, (scenario: ScenarioView) => boolean>> = {
  mishaps: isMishap,
  all: ({ name }) => name !== "default",
};

/** Built-in mishaps that an app may never see; every app must survive the others. */
const RARE: ReadonlySet<string> = new Set([
  "hanging_answer",
  "late_payment",
  "stale_reads",
  "webhook_days_later",
  "webhook_first",
  "webhook_new_ids",
]);

/** The scenarios of a group, or the one that is given by name or as a file; throws when there is none, or it has faults. */
async function scenariosOf(given: string, options: StartOptions): Promise<ScenarioView[]> {
  const isOfGroup = own(GROUPS, given);
  try {
    const sandbox = await openSandbox({
      ...options,
      scenario: isOfGroup === undefined ? [given] : [],
      makeUpSeed: false,
      ownsProcess: true,
      onWarning: (warning) => tellLine(warning),
    });
    try {
      return isOfGroup === undefined
        ? (await activeScenarios(sandbox)).slice(0, 1)
        : (await allScenarios(sandbox))
            .filter(isOfGroup)
            .sort((a, b) => Number(RARE.has(a.name)) - Number(RARE.has(b.name)));
    } finally {
      await sandbox.close();
    }
  } catch (error) {
    if (error instanceof OptionsError && error.files.length === 0)
      throw new UserError(`--under: ${error.message} (${Object.keys(GROUPS).join(" and ")} stand for many)`);
    throw error;
  }
}

/**
 * Runs the command plain and, when that passes, under each mishap, every time beside a fresh sandbox of the same
 * seed; prints what broke. 0 when all runs passed, the plain run's own code when that failed, 1 when another did,
 * one has not written the report it should have, or is not strictly fine.
 */
async function runUnder(plan: Plan, mishaps: readonly Mishap[], report: string | undefined): Promise<number> {
  const { command, runner, notice } = plan;
  const columns: Column[] = [];
  const folders = new Set<string>();
  announce(mishaps, notice);
  for (const mishap of [undefined, ...mishaps]) {
    const how = mishap === undefined ? "plain" : `under ${mishap.label}`;
    const run = `run ${columns.length + 1} of ${mishaps.length + 1}, ${how}`;
    notice(`${run}: ${commandText(command)}`);
    const folder = folderFor(mishap?.scenario.name ?? null, folders);
    const stop = noticeLongRun(run, mishap, plan);
    const column = await runOne(plan, mishap, report, folder).finally(stop);
    columns.push(column);
    notice(`${run}: exit ${column.code} after ${(column.durationMs / 1_000).toFixed(1)} s`);
    if (runner.asked !== undefined || (mishap === undefined && column.code !== 0)) break;
  }
  const notRun = mishaps.slice(Math.max(0, columns.length - 1)).map(({ label }) => label);
  const matrix = new Matrix(command, columns, notRun);
  tellMatrix(plan, matrix);
  const asked = runner.asked;
  if (asked !== undefined) return exitCodeOf(asked);
  return columns[0]!.code !== 0 ? columns[0]!.code : matrix.isAllPassed ? 0 : 1;
}

/** Lists the built-in mishaps, those that every app must survive first. */
function announce(mishaps: readonly Mishap[], notice: (text: string) => void): void {
  const named = mishaps.filter(({ given, scenario }) => given === scenario.name && isMishap(scenario));
  const names = [...new Set(named.map(({ given }) => given))];
  const lists = {
    "every app must survive": names.filter((name) => !RARE.has(name)),
    rare: names.filter((name) => RARE.has(name)),
  };
  for (const [title, list] of Object.entries(lists))
    if (list.length > 0) notice(`${title}: ${list.join(", ")}`);
}

const LONG_RUN_MS = 10_000;

/** Reports a run that takes long, and what it waits for. Returns how to stop. */
function noticeLongRun(run: string, mishap: Mishap | undefined, { options, notice }: Plan): () => void {
  const startedAtMs = monotonicMs();
  const isHolding = mishap?.scenario.faults?.some(({ drop, hold }) => drop === "hang" || hold !== undefined);
  const why =
    isHolding === true
      ? `; each held response lasts until the app gives up, ${options.hold_limit ?? "30s"} at most (--hold-limit)`
      : "";
  return every(LONG_RUN_MS, () =>
    notice(`${run}: running for ${Math.round((monotonicMs() - startedAtMs) / 1_000)} s${why}`),
  );
}

async function runOne(
  plan: Plan,
  mishap: Mishap | undefined,
  report: string | undefined,
  folder: string,
): Promise<Column> {
  const { options, artifacts, notice, isStrict } = plan;
  const scenario = mishap?.scenario.name ?? null;
  const given = [...(options.scenario ?? []), ...(mishap === undefined ? [] : [mishap.given])];
  const seed = mishap?.seed ?? options.seed;
  const before = stampOf(report);
  const ran = await runBeside(
    { ...plan, options: { ...options, seed, scenario: given } },
    { scenario, folder },
  );
  const faults = isStrict ? strictFaults(ran, given) : [];
  for (const fault of faults) tellLine(fault);
  const tests = report === undefined ? undefined : testsOf(report, before, notice);
  if (report !== undefined && stampOf(report) !== before)
    artifacts?.write(join(folder, basename(report)), readFileSync(report, "utf8"));
  return {
    label: mishap?.label ?? "plain",
    scenario,
    seed: ran.seed,
    under: ran.scenarios.find(({ name }) => name === scenario),
    isRare: scenario !== null && RARE.has(scenario),
    due: ran.due,
    advice: ran.advice,
    isStrictlyFine: faults.length === 0,
    code: ran.code,
    durationMs: ran.durationMs,
    tests,
    isReportWanted: report !== undefined,
  };
}

function tellMatrix({ options, artifacts }: Plan, matrix: Matrix): void {
  const json = { seed: options.seed ?? FIXED_SEED, ...matrix.toJson() };
  artifacts?.write("matrix.json", `${JSON.stringify(json, null, 2)}\n`);
  artifacts?.write("matrix.txt", matrix.toText({ width: WIDTH, isColoured: false }));
  if (options.json) sayJson(matrix.toJson());
  else
    say(
      `\n${matrix.toText({
        width: process.stdout.columns || WIDTH,
        isColoured: wantsColour(),
      })}`,
    );
}

const WIDTH = 100;

/** A folder's name for each run: what a scenario is called may not be one. */
function folderFor(scenario: string | null, taken: Set<string>): string {
  const plain = scenario === null ? "plain" : `under-${scenario.replace(/[^A-Za-z0-9._-]/g, "_")}`;
  let name = plain;
  for (let number = 2; taken.has(name); number++) name = `${plain}-${number}`;
  taken.add(name);
  return name;
}

/** Changes whenever the file is written; undefined when there is none. */
function stampOf(file: string | undefined): string | undefined {
  const stats = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? undefined : `${stats.ino} ${stats.mtimeNs} ${stats.size}`;
}

/** What the run's own report says; nothing when the run has not written one. */
function testsOf(
  file: string,
  before: string | undefined,
  notice: (text: string) => void,
): readonly TestResult[] | undefined {
  const after = stampOf(file);
  if (after === undefined || after === before) {
    notice(`--under-report: this run has not written ${file}`);
    return undefined;
  }
  const tests = readTestReport(readFileSync(file, "utf8"));
  if (tests === undefined) notice(`--under-report: ${file} is neither JUnit XML nor TAP`);
  return tests;
}
