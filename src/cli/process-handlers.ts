import { errorText, stackPlace } from "../core/schema/error-text.js";
import { createAbortController } from "../core/time/wall-clock.js";
import { printErrorLine } from "./terminal.js";

/** Process-wide handlers of the command. The library installs none of them. */

/** Error codes of writes to a closed pipe or terminal. */
const READER_GONE = ["EPIPE", "EIO"];

/** Ignores a closed output pipe or terminal, so current work goes on. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!READER_GONE.includes(error.code ?? "")) throw error;
    });
}

/** Signals that ask a command to end, with a shell's exit codes. A closed terminal sends SIGHUP. */
const END_SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export function onEndSignals(handle: (exitCode: number) => void): void {
  for (const [signal, code] of Object.entries(END_SIGNALS)) process.on(signal, () => handle(code));
}

/** The first signal aborts the work, which may undo its changes; the second exits at once. */
export function abortOnEndSignal(): { readonly signal: AbortSignal; readonly code: number | undefined } {
  const abort = createAbortController();
  const stop = { signal: abort.signal, code: undefined as number | undefined };
  onEndSignals((code) => {
    if (stop.code !== undefined) process.exit(code);
    stop.code = code;
    abort.abort();
  });
  return stop;
}

/** Ends the process on an uncaught error, with one line that says if the state is kept. */
export function exitOnUncaughtError(data: string | undefined): void {
  const kept =
    data === undefined
      ? "The state was in memory and is lost"
      : `Every change that got a response is kept in ${`${data}.journal`.replace(/^postgres(ql)?:.*/, "the database")}`;
  process.on("uncaughtException", (error: unknown) => {
    printErrorLine(`internal error, stopping: ${errorLine(error)}. ${kept}.`);
    process.exit(1);
  });
}

function errorLine(error: unknown): string {
  const { name, message, stack = "" } = (error ?? {}) as Partial<Error>;
  const what = (message && name ? `${name}: ${message}` : errorText(error)).replace(/\s*\n\s*/g, " ");
  const place = stackPlace(stack);
  return place === undefined || what.includes(place) ? what : `${what} (${place})`;
}
