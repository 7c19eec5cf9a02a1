import { IN_PROCESS_FETCH } from "../../core/client/control-client.js";
import { UserError } from "../../core/schema/user-error.js";
import { pause } from "../../core/time/timers.js";
import { openSandbox } from "../../library/opening.js";
import type { ExploreReport } from "../../tools/explore/exploration.js";
import { exploreFile } from "../../tools/explore/file.js";
import { generateRunId } from "../../tools/scenario/running/run-report.js";
import { commandRunner, isListening } from "../app-command.js";
import { type ExplorationFlags, parseExplorationFlags, reportExploration } from "../explore-report.js";
import { printErrorLine } from "../terminal.js";
import { AppProcess } from "./app-process.js";
import { commandText, createCommandEnvironment, type ExecPlan } from "./plan.js";
import { exitCodeOf } from "./signals.js";

/** `exec --explore`: checks the flags. Returns the function that starts the app, explores the flow and ends the app. */
export function prepareExploration(
  flow: string,
  flags: ExplorationFlags,
): (plan: ExecPlan) => Promise<number> {
  const asked = parseExplorationFlags(flags);
  return async (plan) => {
    const { runner } = plan;
    if (await isListening(asked.app))
      throw new UserError(`--app: something listens at ${asked.app} already; end it, or give another port`);
    let app: AppProcess | undefined;
    const sandbox = await openSandbox({
      ...plan.options,
      useRandomSeed: false,
      ownsProcess: true,
      onWarning: (warning) => printErrorLine(warning),
      aroundAttempt: (event, send) => (app === undefined ? send() : app.aroundAttempt(event, send)),
    });
    try {
      await sandbox.listen({ port: plan.options.port ?? 0 });
      const environment = { ...process.env, ...createCommandEnvironment(sandbox, plan.templates) };
      const appProcess = new AppProcess(plan, asked.app, environment);
      app = appProcess;
      try {
        await appProcess.start();
        const code = await reportExploration(flow, { ...flags, shown: asked.shown }, (onRun) =>
          exploreFile(flow, {
            ...asked,
            process: flags.kill ? appProcess : undefined,
            fetch: sandbox[IN_PROCESS_FETCH],
            runCommand: commandRunner(async () => environment),
            runIdOf: () => generateRunId(),
            signal: runner.interruptSignal,
            onRun,
          }).then((report) => exitOf(report, plan, appProcess.ended)),
        );
        return runner.stopSignal === undefined ? code : exitCodeOf(runner.stopSignal);
      } finally {
        await appProcess.end();
      }
    } finally {
      await sandbox.close();
    }
  };
}

/** Maximum time between a refused connection and the exit of the app. */
const EXIT_TIMEOUT_MS = 1_000;

/** If the last finding is about `liveness` and the app has ended, adds the app's exit code to the finding. */
async function exitOf(
  report: ExploreReport,
  { command }: ExecPlan,
  ended: Promise<number>,
): Promise<ExploreReport> {
  const last = report.findings.at(-1);
  if (last?.oracle !== "liveness") return report;
  const code = await Promise.race([ended, pause(EXIT_TIMEOUT_MS)]);
  if (code === undefined) return report;
  const message = `${last.message}; ${commandText(command)} had ended with ${code}`;
  return { ...report, findings: [...report.findings.slice(0, -1), { ...last, message }] };
}
