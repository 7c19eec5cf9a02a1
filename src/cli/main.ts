import { UserError } from "../core/schema/user-error.js";
import { askForJson, isUserMistake, refuse } from "./mistakes.js";
import { goOnUnread } from "./own-process.js";
import { askForPlain } from "./paint.js";
import { plainFlags } from "./plain-flags.js";

/** The command line. Each command's work is loaded when it is asked for. */
export async function main(argv: readonly string[]): Promise<void> {
  goOnUnread();
  const words = heedCommon(argv.slice(2));
  try {
    // A start is what must not wait: what reads any other line is loaded only for one.
    const flags = plainFlags(words[0] === "start" ? words.slice(1) : words);
    if (flags !== undefined) await (await import("./start.js")).start(flags);
    else await (await import("./program.js")).runProgram(words);
  } catch (error) {
    if (!(error instanceof Error && isUserMistake(error))) throw error;
    refuse(error);
    process.exitCode = error instanceof UserError ? error.exitCode : 1;
  }
}

const NO_COLOUR = "--no-color";

/** What every command takes; what stands behind the command that `exec` runs is that one's. */
function heedCommon(words: readonly string[]): string[] {
  const end = words.indexOf("--");
  const own =
    words[0] === "exec" ? words.slice(0, Math.max(end, 2)) : end === -1 ? words : words.slice(0, end);
  askForPlain(own.includes(NO_COLOUR));
  askForJson(own.includes("--json"));
  return [...own.filter((word) => word !== NO_COLOUR), ...words.slice(own.length)];
}
