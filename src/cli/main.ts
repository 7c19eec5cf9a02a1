import { UserError } from "../core/schema/user-error.js";
import { isFixableByUser, reportError, setJsonErrors } from "./errors.js";
import { parseStartFlags } from "./plain-flags.js";
import { ignoreClosedOutput } from "./process-handlers.js";
import { setColoursDisabled } from "./text-layout.js";

/** Runs the command line. Loads each command when it runs. */
export async function main(argv: readonly string[]): Promise<void> {
  ignoreClosedOutput();
  const words = heedCommon(argv.slice(2));
  try {
    // Fast path: parses the options of `start` without loading commander or the other commands.
    const flags = parseStartFlags(words[0] === "start" ? words.slice(1) : words);
    if (flags !== undefined) await (await import("./start.js")).start(flags);
    else await (await import("./program.js")).runProgram(words);
  } catch (error) {
    if (!(error instanceof Error && isFixableByUser(error))) throw error;
    reportError(error);
    process.exitCode = error instanceof UserError ? error.exitCode : 1;
  }
}

const NO_COLOUR = "--no-color";

/** Applies the common options `--no-color` and `--json`. Ignores the options of the command that `exec` runs. */
function heedCommon(words: readonly string[]): string[] {
  const end = words.indexOf("--");
  const own =
    words[0] === "exec" ? words.slice(0, Math.max(end, 2)) : end === -1 ? words : words.slice(0, end);
  setColoursDisabled(own.includes(NO_COLOUR));
  setJsonErrors(own.includes("--json"));
  return [...own.filter((word) => word !== NO_COLOUR), ...words.slice(own.length)];
}
