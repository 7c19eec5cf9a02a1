import { UserError } from "../schema/user-error.js";
import { isUserMistake, tell } from "./mistakes.js";
import { goOnUnread } from "./own-process.js";
import { plainFlags } from "./plain-flags.js";

/** The command line. Each command's work is loaded when it is asked for. */
export async function main(argv: readonly string[]): Promise<void> {
  goOnUnread();
  const words = argv.slice(2);
  try {
    // A start is what must not wait: what reads any other line is loaded only for one.
    const flags = plainFlags(words[0] === "start" ? words.slice(1) : words);
    if (flags !== undefined) await (await import("./start.js")).start(flags);
    else await (await import("./program.js")).runProgram(words);
  } catch (error) {
    if (!(error instanceof Error && isUserMistake(error))) throw error;
    tell(error);
    process.exitCode = error instanceof UserError ? error.exitCode : 1;
  }
}
