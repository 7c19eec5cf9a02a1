import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readNamespaceNames } from "../../core/reports/namespace-export.js";
import { formatCount } from "../../core/schema/text-format.js";
import { iso } from "../../core/schema/time.js";
import { machineNowMs } from "../../core/time/timers.js";
import { openSandbox } from "../../library/opening.js";
import type { Sandbox } from "../../library/sandbox.js";
import { isFixableByUser, printErrorMessage } from "../errors.js";
import { compareAppRows, readRowsFromCommand, reconcileExitCode } from "../reconcile.js";
import { printAdvice } from "../report/advice-text.js";
import { reportOfReconciliation } from "../report/books.js";
import { writeCommandSummary } from "../report/github.js";
import { junitXml } from "../report/junit.js";
import { reportLines } from "../report/report.js";
import { lineWidth, printErrorLine, printPaintedError, printText } from "../terminal.js";
import { plainPaint } from "../text-layout.js";
import {
  countDueTasks,
  describeUnappliedFaults,
  findFirstHit,
  listActiveScenarios,
  listAllScenarios,
} from "./applied-rules.js";
import { failureReportLines } from "./failure-report.js";
import {
  type CommandRunResult,
  commandText,
  controlClientOf,
  createCommandEnvironment,
  type ExecPlan,
  type MatrixRunPlan,
} from "./plan.js";

/** Exit codes above are of a command that did not start or was killed. */
const OWN_CODE_MAX = 125;

export async function runBesideSandbox(plan: ExecPlan, under?: MatrixRunPlan): Promise<CommandRunResult> {
  const { command, options, templates, runner, artifacts, required } = plan;
  const sandbox = await openSandbox({
    ...options,
    useRandomSeed: false,
    ownsProcess: true,
    // `--under` has printed the warnings when it read the scenarios.
    ...(under === undefined ? { onWarning: (warning) => printErrorLine(warning) } : {}),
  });
  try {
    await sandbox.listen({ port: options.port ?? 0 });
    const environment = {
      ...process.env,
      ...(under === undefined ? {} : { PAYMENTS_SANDBOX_UNDER: under.scenario ?? "" }),
      ...createCommandEnvironment(sandbox, templates),
    };
    const coverage = () => sandbox.run("getCoverage", { of: "server" });
    required?.refuseUnknown(await coverage());
    const active = await listActiveScenarios(sandbox);
    const startedAtMs = machineNowMs();
    const exitCode =
      under?.scenario == null
        ? await runner.run(command, environment)
        : await runQuietly(plan, environment, under.folder);
    const covered = await coverage();
    required?.addCoverage(covered);
    const durationMs = machineNowMs() - startedAtMs;
    const reconcileCode = await reconcileAfterRun(sandbox, plan, environment, under?.folder);
    const code = exitCode || reconcileCode;
    const due = await countDueTasks(sandbox);
    const all = await listAllScenarios(sandbox, due);
    const { items: advice } = await sandbox.run("getAdvice", { of: "server" });
    const result: CommandRunResult = {
      code,
      startedAt: iso(startedAtMs),
      seed: sandbox.seed,
      durationMs,
      // A test may have deleted a scenario; its counts are unknown.
      scenarios: active.flatMap(({ name }) => all.find((scenario) => scenario.name === name) ?? []),
      unappliedFaults: plan.isStrict ? await describeUnappliedFaults(sandbox) : [],
      advice,
      due,
      firstHit:
        under?.scenario == null || code === 0 ? undefined : await findFirstHit(sandbox, under.scenario),
    };
    await artifacts?.save(sandbox, plan, result, under);
    // Under a mishap, refused calls and advice are not the app's usual behaviour.
    let failureLines: readonly string[] = [];
    if (under?.scenario == null && !options.quiet) {
      const hasCalled = Object.values(covered).some(({ met }) => Object.keys(met).length > 0);
      if (!hasCalled && exitCode <= OWN_CODE_MAX && runner.stopSignal === undefined) {
        const names = ["PAYMENTS_BASE_URL", ...templates.map(({ name }) => name)].join(" or ");
        printErrorLine(`the command made no call to the payments API; does it use ${names}?`);
      }
      printAdvice(advice);
      if (code !== 0 && runner.stopSignal === undefined) {
        failureLines = await failureReportLines(sandbox, artifacts !== undefined);
        for (const line of failureLines) printPaintedError(line);
      }
    }
    if (under === undefined)
      writeCommandSummary(`${commandText(command)}: exit ${code}`, code === 0, failureLines);
    return result;
  } finally {
    await sandbox.close();
  }
}

/** Runs the command and shows its output only if it fails: the matrix is the report. The artifacts have all output. */
async function runQuietly(
  { command, runner, artifacts }: ExecPlan,
  environment: NodeJS.ProcessEnv,
  folder: string,
): Promise<number> {
  const temporary = mkdtempSync(join(tmpdir(), "payments-sandbox-"));
  const file = join(temporary, "output.txt");
  try {
    const output = openSync(file, "w+");
    const code = await runner.run(command, environment, output).finally(() => closeSync(output));
    const text = readFileSync(file, "utf8");
    if (code !== 0) printText(text);
    artifacts?.write(join(folder, "output.txt"), text);
    return code;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const COULD_NOT = 2;

/** `exec --reconcile`: compares the app's records with the ledger. Returns exit code 1 with findings, 2 on errors and if there was nothing to compare. */
async function reconcileAfterRun(
  sandbox: Sandbox,
  { artifacts, notice, reconcile, runner }: ExecPlan,
  environment: NodeJS.ProcessEnv,
  folder = "",
): Promise<number> {
  if (reconcile === undefined || runner.stopSignal !== undefined) return 0;
  try {
    const text = await readRowsFromCommand(reconcile, environment);
    const report = await compareAppRows(text, "--reconcile", {}, (body) => sandbox.run("reconcile", body));
    artifacts?.write(join(folder, "reconcile.json"), `${JSON.stringify(report, null, 2)}\n`);
    artifacts?.write(join(folder, "reconcile.xml"), junitXml([reportOfReconciliation(report)]));
    const lines = reportLines(reportOfReconciliation(report), lineWidth(), plainPaint);
    if (report.passed) for (const line of lines) notice(line);
    else for (const line of lines) printPaintedError(line);
    await warnOfOtherNamespaces(sandbox, notice);
    return reconcileExitCode(report);
  } catch (error) {
    if (!isFixableByUser(error)) throw error;
    printErrorMessage(error);
    return COULD_NOT;
  }
}

async function warnOfOtherNamespaces(sandbox: Sandbox, notice: ExecPlan["notice"]): Promise<void> {
  for (const name of await readNamespaceNames(controlClientOf(sandbox))) {
    if (name === "default") continue;
    const client = controlClientOf(sandbox, name);
    const { total } = await client.run<{ total: number }>("listCharges", { limit: 1 });
    if (total > 0)
      notice(
        `--reconcile looks at the namespace default: ${name} has ${formatCount(total, "charge")} too (sandbox.reconcile() in its tests)`,
      );
  }
}
