import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { openSandbox } from "../../opening.js";
import { OptionsError } from "../../options.js";
import type { StartOptions } from "../../schema/option-table.js";
import { FIXED_SEED } from "../../schema/options.js";
import { UserError } from "../../schema/user-error.js";
import { wantsColour } from "../paint.js";
import { say, sayJson, tellLine } from "../terminal.js";
import { type Column, Matrix } from "./matrix.js";
import { commandText, type Plan, type Under } from "./plan.js";
import { runBeside } from "./run.js";
import { exitCodeOf } from "./signals.js";
import { readTestReport, type TestResult } from "./test-report.js";

/** A scenario to run the command under. */
interface Mishap {
  /** What `--scenario` takes. */
  readonly given: string;
  readonly name: string;
}

/** `--under`, checked: every scenario is read before anything runs. Runs the command under each of them. */
export async function readUnder(
  lists: readonly string[],
  report: string | undefined,
  options: StartOptions,
): Promise<(plan: Plan) => Promise<number>> {
  const given = [...new Set(lists.flatMap((list) => list.split(",")).map((one) => one.trim()))].filter(
    Boolean,
  );
  if (given.length === 0)
    throw new UserError(
      lists.length === 0
        ? "--under-report goes with --under, which names the scenarios to run the command under"
        : "--under takes the names of scenarios, separated by commas",
    );
  if (options.data !== undefined)
    throw new UserError("--under gives each run a fresh sandbox: --data cannot go with it");
  const mishaps: Mishap[] = [];
  for (const one of given) mishaps.push({ given: one, name: await nameOf(one, options) });
  return (plan) => runUnder(plan, mishaps, report);
}

/** The name of the scenario that is given by name or as a file; throws when there is none, or it has faults. */
async function nameOf(given: string, options: StartOptions): Promise<string> {
  try {
    const sandbox = await openSandbox({
      ...options,
      scenario: [given],
      makeUpSeed: false,
      ownsProcess: true,
      onWarning: (warning) => tellLine(warning),
    });
    try {
      // The active ones come first.
      const { items } = await sandbox.control<{ items: { name: string }[] }>(
        "GET /_sandbox/scenarios?limit=1",
      );
      return items[0]!.name;
    } finally {
      await sandbox.close();
    }
  } catch (error) {
    if (error instanceof OptionsError && error.files.length === 0)
      throw new UserError(`--under: ${error.message}`);
    throw error;
  }
}

/**
 * Runs the command plain and, when that passes, under each mishap, every time beside a fresh sandbox of the same
 * seed; prints what broke. 0 when all runs passed, the plain run's own code when that failed, 1 when another did or
 * one has not written the report it should have.
 */
async function runUnder(plan: Plan, mishaps: readonly Mishap[], report: string | undefined): Promise<number> {
  const { command, options, runner, artifacts, notice } = plan;
  const columns: Column[] = [];
  const folders = new Set<string>();
  for (const mishap of [undefined, ...mishaps]) {
    const scenario = mishap?.name ?? null;
    const label = mishap?.given ?? "plain";
    notice(
      `run ${columns.length + 1} of ${mishaps.length + 1}, ${scenario === null ? "plain" : `under ${label}`}: ${commandText(command)}`,
    );
    const under: Under = { scenario, folder: folderFor(scenario, folders) };
    const scenarios = [...(options.scenario ?? []), ...(mishap === undefined ? [] : [mishap.given])];
    const before = stampOf(report);
    const ran = await runBeside({ ...plan, options: { ...options, scenario: scenarios } }, under);
    const tests = report === undefined ? undefined : testsOf(report, before, notice);
    if (report !== undefined && stampOf(report) !== before)
      artifacts?.write(join(under.folder, basename(report)), readFileSync(report, "utf8"));
    columns.push({
      label,
      scenario,
      code: ran.code,
      durationMs: ran.durationMs,
      tests,
      isReportWanted: report !== undefined,
    });
    if (runner.asked !== undefined || (mishap === undefined && ran.code !== 0)) break;
  }
  const matrix = new Matrix(
    command,
    columns,
    mishaps.slice(Math.max(0, columns.length - 1)).map(({ given }) => given),
  );
  artifacts?.write(
    "matrix.json",
    `${JSON.stringify({ seed: options.seed ?? FIXED_SEED, ...matrix.toJson() }, null, 2)}\n`,
  );
  artifacts?.write("matrix.txt", matrix.toText({ width: WIDTH, isColoured: false }));
  if (options.json) sayJson(matrix.toJson());
  else
    say(
      `\n${matrix.toText({
        width: process.stdout.columns || WIDTH,
        isColoured: wantsColour(),
      })}`,
    );
  const asked = runner.asked;
  if (asked !== undefined) return exitCodeOf(asked);
  return columns[0]!.code !== 0 ? columns[0]!.code : matrix.isAllPassed ? 0 : 1;
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
