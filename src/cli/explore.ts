import { createAbortController } from "../core/time/wall-clock.js";
import type { ExploreReport } from "../tools/explore/exploration.js";
import { exploreFile } from "../tools/explore/file.js";
import { generateRunId } from "../tools/scenario/running/run-report.js";
import { Connection, type ConnectionFlags } from "./client/connection.js";
import { type MovedClock, movedClockText, watchClock } from "./clock-watch.js";
import { type ExplorationFlags, parseExplorationFlags, reportExploration } from "./explore-report.js";
import { onEndSignals } from "./process-handlers.js";
import { printErrorLine, printText } from "./terminal.js";

/** `explore`: searches for deviations that break an app. Exits with the code of `reportExploration`. */
export async function runExplore(flow: string, flags: ExplorationFlags & ConnectionFlags): Promise<void> {
  const connection = new Connection(flags);
  const asked = parseExplorationFlags(flags);
  const interrupted = createAbortController();
  let stoppedBy: number | undefined;
  // The first signal ends the exploration after the current run has undone its changes; the second exits at once.
  onEndSignals((code) => {
    if (stoppedBy !== undefined) process.exit(code);
    stoppedBy = code;
    interrupted.abort();
  });
  const findMovedClock = await watchClock(connection);
  let clock: MovedClock | undefined;
  const code = await reportExploration(flow, flags, (onRun) =>
    exploreFile(flow, {
      ...asked,
      fetch: connection.fetch,
      namespace: flags.namespace,
      controlToken: flags.controlToken ?? process.env.PAYMENTS_SANDBOX_CONTROL_TOKEN,
      runIdOf: () => generateRunId(),
      signal: interrupted.signal,
      onRun,
    }).then(async (report) => {
      await sendReportToDashboard(connection, flags.namespace, report);
      clock = await findMovedClock();
      return clock === undefined ? report : { ...report, clock };
    }),
  );
  if (clock !== undefined && !flags.json) printText(movedClockText(clock));
  process.exitCode = stoppedBy ?? code;
}

/** Sends a report of `explore` to the dashboard. A failure is only printed: the report is on the terminal anyway. */
export async function sendReportToDashboard(
  { fetch, headers }: Pick<Connection, "fetch" | "headers">,
  namespace = "default",
  report: ExploreReport,
): Promise<void> {
  const form = new URLSearchParams({ do: "explored", report: JSON.stringify(report) });
  const fault = await fetch(`/_sandbox/dashboard/${encodeURIComponent(namespace)}`, {
    method: "POST",
    redirect: "manual",
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    body: form.toString(),
  }).then(
    ({ status }) => (status < 400 ? undefined : `HTTP ${status}`),
    (error: Error) => error.message,
  );
  if (fault !== undefined) printErrorLine(`the dashboard does not have this report (${fault})`);
}
