import { camelCase } from "../core/schema/text-format.js";
import { UserError } from "../core/schema/user-error.js";
import { endWithError, setJsonErrors } from "./errors.js";
import { CONFIG_FLAGS, OPTION_ROWS, splitFlagAliases } from "./options.js";
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
    endWithError(error, error instanceof UserError ? error.exitCode : 1);
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

interface Flag {
  /** Option name in commander, in camel case. */
  readonly name: string;
  readonly takesValue: boolean;
  readonly isList: boolean;
}

/**
 * Parses a command line that has only valid options of `start`. Returns undefined for any other command line, which
 * commander then parses. Loading commander takes a tenth of the start time.
 */
export function parseStartFlags(words: readonly string[]): Record<string, unknown> | undefined {
  const flags: Record<string, unknown> = {};
  if (words.length === 0) return flags;
  const known = knownFlags();
  for (let place = 0; place < words.length; place++) {
    const [spelling, inside] = splitAtEquals(words[place]!);
    const flag = known.get(spelling);
    if (flag === undefined || (inside !== undefined && !flag.takesValue)) return undefined;
    const value = flag.takesValue ? (inside ?? words[++place]) : true;
    if (value === undefined) return undefined;
    flags[flag.name] = flag.isList ? [...((flags[flag.name] as unknown[]) ?? []), value] : value;
  }
  return flags;
}

/** Splits `--port=0` into `--port` and `0`. */
function splitAtEquals(word: string): [spelling: string, inside: string | undefined] {
  const place = word.startsWith("--") ? word.indexOf("=") : -1;
  return place === -1 ? [word, undefined] : [word.slice(0, place), word.slice(place + 1)];
}

function knownFlags(): Map<string, Flag> {
  const known = new Map<string, Flag>();
  const rows = [{ flags: CONFIG_FLAGS, kind: "text" }, ...OPTION_ROWS];
  for (const { flags, kind } of rows)
    for (const spelling of splitFlagAliases(flags)) {
      const names = spelling.match(/--?[a-z][a-z-]*/g) ?? [];
      const name = camelCase(names.at(-1)!.slice(2).replaceAll("-", "_"));
      for (const one of names)
        known.set(one, { name, takesValue: spelling.includes("<"), isList: kind === "list" });
    }
  return known;
}
