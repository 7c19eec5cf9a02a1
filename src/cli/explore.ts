import { exploreFile } from "../tools/explore/file.js";
import { generateRunId } from "../tools/scenario/running/run-report.js";
import { commandRunner, readAppEnvironment } from "./app-command.js";
import { Connection, type ConnectionFlags } from "./client/connection.js";
import { type MovedClock, movedClockText, watchClock } from "./clock-watch.js";
import { type ExplorationFlags, parseExplorationFlags, reportExploration } from "./explore-report.js";
import { prepareOutputs } from "./output-files.js";
import { abortOnEndSignal } from "./process-handlers.js";
import { printText } from "./terminal.js";

/** `explore`: searches for deviations that break an app. Exits with the code of `reportExploration`. */
export async function runExplore(flow: string, flags: ExplorationFlags & ConnectionFlags): Promise<void> {
  const connection = new Connection(flags);
  const asked = parseExplorationFlags(flags);
  prepareOutputs(flags);
  const stop = abortOnEndSignal();
  const findMovedClock = await watchClock(connection);
  let clock: MovedClock | undefined;
  const code = await reportExploration(flow, { ...flags, shown: asked.shown }, (onRun) =>
    exploreFile(flow, {
      ...asked,
      fetch: connection.fetch,
      runCommand: commandRunner(() => readAppEnvironment(connection, connection.url)),
      namespace: flags.namespace,
      controlToken: flags.controlToken ?? process.env.PAYMENTS_SANDBOX_CONTROL_TOKEN,
      runIdOf: () => generateRunId(),
      signal: stop.signal,
      onRun,
    }).then(async (report) => {
      clock = await findMovedClock();
      return clock === undefined ? report : { ...report, clock };
    }),
  );
  if (clock !== undefined && !flags.json) printText(movedClockText(clock));
  process.exitCode = stop.code ?? code;
}
