import { tellLine } from "./terminal.js";

/** What the command does about its process, which is its own. The library does none of this in somebody else's. */

/** The reader hung up, or the terminal is closed. */
const NOBODY_READS = ["EPIPE", "EIO"];

/** Whoever read what is written here may have gone: that ends nothing that is under way. */
export function goOnUnread(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!NOBODY_READS.includes(error.code ?? "")) throw error;
    });
}

/** A fault of ours that nothing has caught ends the process, with a line that says what becomes of the state. */
export function tellLastWords(data: string | undefined): void {
  const kept =
    data === undefined
      ? "The state was in memory and is lost"
      : `Every change that got a response is kept in ${data}.journal`;
  process.on("uncaughtException", (error: unknown) => {
    tellLine(`internal error, stopping: ${whatHappened(error)}. ${kept}.`);
    process.exit(1);
  });
}

/** In one line, with the place it was thrown at. */
function whatHappened(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = /^\s+at (?:.*\()?((?:file:|node:|\/|[A-Za-z]:).*:\d+:\d+)\)?$/m.exec(error.stack ?? "")?.[1];
  const what = String(error).replace(/\s*\n\s*/g, " ");
  return place === undefined ? what : `${what} (${place})`;
}
