import { availableParallelism } from "node:os";
import { createInterface } from "node:readline/promises";
import { ControlClient, type ControlClientOptions, IN_PROCESS_FETCH } from "../core/client/control-client.js";
import { repeatableRunId } from "../core/domain/repeatable-run-id.js";
import { DocumentError, faultText, warningText } from "../core/files/documents.js";
import { historyTitle } from "../core/reports/charge-history-text.js";
import type { ListedCharge } from "../core/reports/namespace-export.js";
import type { AdviceList } from "../core/schema/control-insight-responses.js";
import { FIXED_SEED } from "../core/schema/option-schemas.js";
import { iso } from "../core/schema/time.js";
import { UserError } from "../core/schema/user-error.js";
import { machineNowMs, pause } from "../core/time/timers.js";
import { monotonicMs } from "../core/time/wall-clock.js";
import { openSandbox } from "../library/opening.js";
import type { Sandbox } from "../library/sandbox.js";
import { runFile as runScenarioFile } from "../tools/explore/run-file.js";
import { type LoadedScenario, readScenarioFile } from "../tools/scenario/files.js";
import {
  generateRunId,
  leafSteps,
  type RunReport,
  type StepReport,
} from "../tools/scenario/running/run-report.js";
import { commandRunner, isListening, readAppEnvironment } from "./app-command.js";
import type { ConnectionFlags } from "./client/connection.js";
import { type MovedClock, movedClockText, watchClock } from "./clock-watch.js";
import { printErrorMessage } from "./errors.js";
import { findUsedFlag, readStartOptions } from "./options.js";
import { prepareOutputs } from "./output-files.js";
import { abortOnEndSignal } from "./process-handlers.js";
import { type Advice, findNewAdvice, mergeAdvice, printAdvice } from "./report/advice-text.js";
import { publishReports } from "./report/publish.js";
import { reportText } from "./report/report.js";
import { reportOfRun, summaryOfRuns } from "./report/run-report.js";
import { cannotRunReport, isBrokenFile, readScenarioFiles } from "./run-files.js";
import { fetchWithFix, sandboxAddress, URL_SOURCES } from "./sandbox-url.js";
import { invalidUrlError, parseAppUrl, parseVariables, vocabularyOfFlags } from "./scenario-flags.js";
import { ProgressLine, printErrorLine, printJson, printText } from "./terminal.js";
import { paint } from "./text-layout.js";

const CONCURRENT_MAX = 4;

interface RunFlags extends ConnectionFlags {
  readonly app?: string;
  readonly var?: string[];
  readonly junit?: string;
  readonly strict?: boolean;
  readonly seed?: string;
  readonly startTime?: string;
  readonly config?: string;
}

/** The report of a file's run, its newest charges if it failed, and the advice that the app got during the run. */
interface FileResult {
  readonly report: RunReport;
  readonly charges: readonly string[];
  readonly advice: readonly Advice[];
}

interface Runner {
  readonly runFile: (
    loaded: LoadedScenario,
    progress: ProgressLine,
    signal: AbortSignal,
  ) => Promise<FileResult>;
  readonly findMovedClock: () => Promise<MovedClock | undefined>;
}

interface RunningSandbox {
  readonly url: string;
  readonly source: "--url" | "PAYMENTS_SANDBOX_URL";
}

/**
 * `run`: runs scenario files. Exits with 0 when all passed, 1 when a step failed, 2 when a file could not be run.
 * A file with faults does not stop the other files. With `--strict`, warnings are faults, and a rule that never applied
 * fails the run.
 */
export async function run(files: readonly string[], flags: RunFlags): Promise<void> {
  const target = runningSandbox(flags);
  refuseUnusedFlags(flags, target);
  prepareOutputs(flags);
  const vars = parseVariables(flags.var);
  const given = await readScenarioFiles(files, {
    vars,
    runIdOf: (name) =>
      target === undefined ? repeatableRunId(flags.seed ?? FIXED_SEED, name) : generateRunId(),
    vocabulary: await vocabularyOfFlags({ config: flags.config }),
    isStrict: flags.strict === true,
  });
  const broken = given.filter(isBrokenFile);
  if (broken.length > 0) printErrorMessage(new DocumentError(broken.flatMap(({ faults }) => faults)));
  const loaded = given.filter((one): one is LoadedScenario => !isBrokenFile(one));
  for (const { warnings } of loaded) for (const warning of warnings) printErrorLine(warningText(warning));
  const stop = abortOnEndSignal();
  const { runFile, findMovedClock } =
    target === undefined ? await inFreshSandboxes(flags, vars) : await inRunningSandbox(target, flags);
  // One sandbox has one clock, so its files run one at a time.
  const atOnce = target === undefined ? Math.min(CONCURRENT_MAX, availableParallelism()) : 1;
  const progress = new ProgressLine(flags.json !== true);
  const print = inOrder(loaded, ({ report, charges }: FileResult) =>
    progress.print(flags.json ? "" : `${reportText(reportOfRun(report, flags.strict, charges))}\n`),
  );
  const ran = await inParallel(loaded, atOnce, async (one) => {
    const startedAt = iso(machineNowMs());
    const ended = await runFile(one, progress, stop.signal);
    print(one, ended);
    return { ...ended, startedAt };
  });
  progress.end();
  const reports = given.map((one) =>
    isBrokenFile(one)
      ? cannotRunReport(one.file, one.faults.map(faultText).join("\n"))
      : withWarnings(one, ran[loaded.indexOf(one)]!.report),
  );
  const advice = mergeAdvice(ran.map((one) => one.advice));
  const isVacuous =
    flags.strict === true &&
    reports.some(({ never_happened, blind_spots }) => never_happened.length + blind_spots.length > 0);
  const outcome = ["error", "failed", "passed"].find(
    (one) => reports.some((report) => report.outcome === one) || (one === "failed" && isVacuous),
  );
  const clock = await findMovedClock();
  if (flags.json) printJson({ outcome, files: reports, advice, clock }, 2);
  else if (ran.length > 0)
    printText(
      `${paint(outcome === "passed" ? "green" : "red", summaryOfRuns(reports, flags.strict === true))}\n`,
    );
  if (!flags.json) printAdvice(advice);
  if (!flags.json && clock !== undefined) printText(movedClockText(clock));
  const code = publishReports(
    flags.junit,
    reports.map((report, index) => {
      const file = given[index]!;
      return isBrokenFile(file)
        ? reportOfRun(report, flags.strict, [], file.faults[0])
        : {
            ...reportOfRun(report, flags.strict),
            startedAt: ran[loaded.indexOf(file)]?.startedAt,
          };
    }),
    outcome === "passed" ? 0 : outcome === "failed" ? 1 : 2,
  );
  process.exitCode = stop.code ?? code;
}

/** The running sandbox to use. With `--app`, a sandbox must be named: the app calls it, so a fresh one is useless. */
function runningSandbox({ url, app }: RunFlags): RunningSandbox | undefined {
  if (url !== undefined) return { url, source: "--url" };
  if (app === undefined) return undefined;
  const named = process.env.PAYMENTS_SANDBOX_URL || undefined;
  if (named !== undefined) return { url: named, source: "PAYMENTS_SANDBOX_URL" };
  throw new UserError(
    "--app needs the sandbox that the app calls: name it with --url, or set PAYMENTS_SANDBOX_URL",
  );
}

function refuseUnusedFlags(flags: RunFlags, target: RunningSandbox | undefined): void {
  const flag = findUsedFlag(
    flags,
    target === undefined ? ["namespace", "controlToken"] : ["seed", "startTime", "config"],
  );
  if (flag === undefined) return;
  throw new UserError(
    target === undefined
      ? `${flag} is for a sandbox that runs: it goes with --url, which names one`
      : `${flag} is for a fresh sandbox: it cannot go with ${target.source}, which names one that runs`,
  );
}

/** Runs each file in a sandbox of its own, with a manual clock and the service options of the config file. */
async function inFreshSandboxes(flags: RunFlags, vars: Readonly<Record<string, string>>): Promise<Runner> {
  const {
    port: _port,
    host: _host,
    data: _data,
    public_url: _public,
    ...service
  } = await readStartOptions({
    config: flags.config,
    seed: flags.seed,
    startTime: flags.startTime,
  });
  const runFile: Runner["runFile"] = async (loaded, progress, signal) => {
    const { fixtures: _read, ...given } = loaded.given;
    // Flags win over the scenario file, and the scenario file over the config file.
    if (flags.seed !== undefined) delete given.seed;
    if (flags.startTime !== undefined) delete given.start_time;
    const world = { ...service, ...given, furtherFixtures: loaded.fixtures, clock: "manual" } as const;
    let sandbox: Sandbox;
    try {
      sandbox = await openSandbox({ ...world, useRandomSeed: false, ownsProcess: false });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { report: cannotRunReport(loaded.file, error.message), charges: [], advice: [] };
    }
    try {
      const { seed } = sandbox;
      const runIdOf = (name: string) => repeatableRunId(seed, name);
      const inputs = { environment: process.env, runIdOf };
      const again = await readScenarioFile(loaded.file, { ...inputs, vars });
      const report = await runScenarioFile(again, inputs, {
        fetch: sandbox[IN_PROCESS_FETCH],
        hasGivenState: true,
        runCommand: commandRunner(async () => process.env),
        ...hooks(loaded, progress, signal),
      });
      const charges = await readCharges(new ControlClient({ fetch: sandbox[IN_PROCESS_FETCH] }), report);
      return { report, charges, advice: (await sandbox.run("getAdvice")).items };
    } finally {
      await sandbox.close();
    }
  };
  return { runFile, findMovedClock: async () => undefined };
}

/** Runs files in a running sandbox. Only the steps of the files change the sandbox's state. */
async function inRunningSandbox({ url, source }: RunningSandbox, flags: RunFlags): Promise<Runner> {
  const reached = sandboxAddress(url);
  if (reached === undefined) throw invalidUrlError(source, url);
  const sandbox = {
    fetch: fetchWithFix(reached, URL_SOURCES[source]),
    namespace: flags.namespace,
    controlToken: flags.controlToken ?? process.env.PAYMENTS_SANDBOX_CONTROL_TOKEN,
  };
  const client = new ControlClient(sandbox);
  // Ignores a failed request: the report names the reason.
  const adviceNow = () =>
    client.run<AdviceList>("getAdvice").then(
      ({ items }) => items,
      () => [],
    );
  const app = flags.app === undefined ? undefined : parseAppUrl(flags.app);
  if (app !== undefined) await untilListening(app);
  const runFile: Runner["runFile"] = async (loaded, progress, signal) => {
    const before = await adviceNow();
    const { total: known } = await client
      .run<ChargeList>("listCharges", { limit: 1 })
      .catch(() => ({ total: 0 }));
    const inputs = { environment: process.env, runIdOf: generateRunId };
    const report = await runScenarioFile(loaded, inputs, {
      ...sandbox,
      onFailed: (steps, own) =>
        keepFailedRun(
          { ...sandbox, namespace: own ?? sandbox.namespace },
          loaded,
          steps,
          own === undefined ? known : 0,
        ),
      app,
      runCommand: commandRunner(() => readAppEnvironment(client, reached.url)),
      ...hooks(loaded, progress, signal),
    });
    const own = new ControlClient({ ...sandbox, namespace: report.namespace ?? flags.namespace });
    const charges = await readCharges(own, report, report.namespace === undefined ? known : 0).catch(
      () => [],
    );
    return { report, charges, advice: findNewAdvice(before, await adviceNow()) };
  };
  return { runFile, findMovedClock: await watchClock(client) };
}

/** Saves a failed run in the sandbox of `exec`, whose report then ends with the charges of this run. */
async function keepFailedRun(
  options: ControlClientOptions,
  { file }: LoadedScenario,
  steps: readonly StepReport[],
  known: number,
): Promise<void> {
  if (!process.env.PAYMENTS_SANDBOX_URL) return;
  const client = new ControlClient(options);
  const failed = leafSteps(steps).find(({ step }) => step.failure !== undefined)?.step;
  const place = failed === undefined ? "" : `:${failed.failure?.line ?? failed.line}`;
  // The run's own report matters more than a failed save.
  await client
    .run<ChargeList>("listCharges", { limit: 100 })
    .then(({ items, total }) =>
      client.run("keepFailedTest", {
        test: `${failed?.file ?? file}${place}`,
        charge_ids: items.slice(0, total - known).map(({ charge_id }) => charge_id),
      }),
    )
    .catch(() => {});
}

interface ChargeList {
  readonly total: number;
  readonly items: readonly ListedCharge[];
}

/** Maximum number of charges in the report of a failed run. */
const CHARGES_MAX = 3;

/** The newest charges of a failed run, each with its status, its reason and its events. `known` charges are older. */
async function readCharges(client: ControlClient, { outcome }: RunReport, known = 0): Promise<string[]> {
  if (outcome !== "failed") return [];
  const { items, total } = await client.run<ChargeList>("listCharges", { limit: CHARGES_MAX });
  return Promise.all(
    items.slice(0, total - known).map(async (charge) => {
      const { charge_id } = charge;
      const events = await client.run<{ items: readonly { type: string }[] }>("listEvents", {
        charge_id,
        limit: 100,
      });
      const types = events.items.map(({ type }) => type).reverse();
      return `${historyTitle({ charge })}  events: ${types.join(", ") || "none"}`;
    }),
  );
}

/** Maximum wait for an app that was started beside the run. */
const APP_START_MS = 30_000;
const POLL_MS = 50;

/** Waits until the app listens, or until `APP_START_MS` are over: the step that calls the app reports its absence. */
async function untilListening(app: string): Promise<void> {
  if (await isListening(app)) return;
  printErrorLine(`waiting for the app at ${app}, ${APP_START_MS / 1_000} s at most`);
  const untilMs = monotonicMs() + APP_START_MS;
  while (!(await isListening(app)) && monotonicMs() < untilMs) await pause(POLL_MS);
}

function hooks(loaded: LoadedScenario, progress: ProgressLine, signal: AbortSignal) {
  return {
    signal,
    onStepBegin: (title: string, number: number, of: number) =>
      progress.show(`${loaded.scenario.name}  ${number}/${of} ${title}`),
    manual: (text: string) => askPerson(text, progress, signal),
  };
}

/** Asks the person at the terminal to do the step. Without a terminal, the step is taken as done. */
async function askPerson(text: string, progress: ProgressLine, signal: AbortSignal): Promise<void> {
  progress.end();
  printErrorLine(text, "→ ");
  if (!process.stdin.isTTY) return;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    await terminal.question("  Press Enter when it is done. ", { signal });
  } finally {
    terminal.close();
  }
}

function withWarnings({ warnings }: LoadedScenario, report: RunReport): RunReport {
  return { ...report, warnings: [...warnings.map(faultText), ...report.warnings] };
}

/** Passes results on in the order of `items`. Keeps a result until the results of all earlier items are passed on. */
function inOrder<Item, Result>(items: readonly Item[], handOn: (result: Result) => void) {
  const ready = new Map<Item, Result>();
  let next = 0;
  return (item: Item, result: Result): void => {
    ready.set(item, result);
    for (; next < items.length && ready.has(items[next]!); next++) handOn(ready.get(items[next]!)!);
  };
}

/** Works on `atOnce` items at a time. Returns results in the order of the input. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index]!);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}
