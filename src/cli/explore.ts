import { aborter } from "../core/time/patience.js";
import { exploreFile } from "../tools/explore/file.js";
import { freshRunId } from "../tools/scenario/running/run-id.js";
import { Connection, type ConnectionFlags } from "./client/connection.js";
import { putOnDashboard } from "./client/explored.js";
import { type ExplorationFlags, explorationOf, toldExploration } from "./exploration.js";

/** What ends it early, and the exit code that says so; a run that is under way puts back what it changed. */
const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;

/** `explore`: looks for what makes an app go wrong. 0 nothing found, 1 something, 2 it could not be carried out, or not as far as a single depth. */
export async function exploreCommand(flow: string, flags: ExplorationFlags & ConnectionFlags): Promise<void> {
  const connection = new Connection(flags);
  const asked = explorationOf(flags);
  const interrupted = aborter();
  let stoppedBy: number | undefined;
  for (const [signal, code] of SIGNALS)
    process.once(signal, () => {
      stoppedBy = code;
      interrupted.abort();
    });
  const code = await toldExploration(flow, flags, (onRun) =>
    exploreFile(flow, {
      ...asked,
      fetch: connection.fetch,
      namespace: flags.namespace,
      controlToken: flags.controlToken ?? process.env.PAYMENTS_SANDBOX_CONTROL_TOKEN,
      runIdOf: () => freshRunId(),
      signal: interrupted.signal,
      onRun,
    }).then(async (report) => {
      await putOnDashboard(connection, flags.namespace, report);
      return report;
    }),
  );
  process.exitCode = stoppedBy ?? code;
}
