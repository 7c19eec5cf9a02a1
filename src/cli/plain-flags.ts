import { camelCase } from "../core/schema/text-format.js";
import { CONFIG_FLAGS, OPTION_ROWS, splitFlagAliases } from "./options.js";

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
