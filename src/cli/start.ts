import { DEFAULT_PORT, DEFAULT_RATE_LIMIT } from "../core/schema/option-schemas.js";
import { openSandbox } from "../library/opening.js";
import type { Sandbox } from "../library/sandbox.js";
import { bannerText, readyDetails } from "./banner.js";
import { printErrorMessage } from "./errors.js";
import { readStartOptions } from "./options.js";
import { exitOnUncaughtError, onEndSignals } from "./process-handlers.js";
import { isTerminal, printErrorLine, printJson, printText } from "./terminal.js";

/** `start`: serves until a signal asks it to end, then exits with 0. */
export async function start(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const options = await readStartOptions(flags);
  exitOnUncaughtError(options.data);
  const isForPeople = !options.json && !options.quiet;
  const live =
    isForPeople && isTerminal() ? new (await import("./live/live.js")).ActivityPrinter() : undefined;
  const sandbox = await openSandbox({
    ...options,
    useRandomSeed: true,
    defaultRateLimit: DEFAULT_RATE_LIMIT,
    onNotice: (notice) => {
      if (!options.quiet) printErrorLine(notice);
    },
    onWarning: (warning) => printErrorLine(warning),
    onActivity: live?.queue,
    ownsProcess: true,
  });
  try {
    await sandbox.listen({ port: options.port ?? DEFAULT_PORT });
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  // Handles signals before the ready line: a process that reads the line may stop the sandbox at once.
  const stop = stopOnSignals(sandbox, () => {
    live?.end();
    if (isForPeople) printText("Stopped.\n");
  });
  if (options.json) printJson(readyDetails(sandbox, options.public_url));
  else if (isForPeople) printText(await bannerText(sandbox, options));
  await live?.begin(sandbox, stop);
}

/** Closes the sandbox and exits on a signal that asks for the end. Returns the handler. */
function stopOnSignals(sandbox: Sandbox, onStopped: () => void): () => void {
  let isStopping = false;
  const stop = (): void => {
    // A second signal exits without waiting for the close.
    if (isStopping) process.exit(0);
    isStopping = true;
    sandbox.close().then(
      () => {
        onStopped();
        process.exit(0);
      },
      // Every change that got a response is in the journal; only writing the snapshot failed.
      (error: Error) => {
        printErrorMessage(error);
        process.exit(1);
      },
    );
  };
  onEndSignals(stop);
  return stop;
}
