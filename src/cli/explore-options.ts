import type { Command } from "commander";
import { camelCase } from "../core/schema/text-format.js";

/** Options of `explore` and `exec --explore`: flag, description, and if it is repeatable. */
const ROWS: readonly (readonly [flags: string, says: string, isList?: boolean])[] = [
  ["--app <url>", "the app, which calls the sandbox (required)"],
  ["--depth <k>", "how many deviations to combine at most (default: 2)"],
  ["--lanes <n>", "how many runs in parallel (default: 4, or one where they could interfere)"],
  ["--budget <duration>", "a limit of wall time (default: none)"],
  ["--fail-on <kinds>", "kinds to raise from notes to findings, such as webhook_dropped,underpaid"],
  ["--profile", "say where wall time went"],
  ["--var <name=value>", "a variable of the file (repeatable)", true],
  ["--save <folder>", "write a scenario file for each finding there"],
  ["--junit <file>", "also write the report as JUnit XML"],
];

/** Option names as commander has them. */
export const EXPLORE_OPTION_NAMES: readonly string[] = ROWS.map(([flags]) =>
  camelCase(/^--([\w-]+)/.exec(flags)![1]!),
);

export function addExploreOptions(command: Command, before = ""): Command {
  for (const [flags, says, isList = false] of ROWS) {
    const option = command.createOption(flags, `${before}${says}`);
    if (isList) option.argParser((value: string, all: string[] | undefined) => [...(all ?? []), value]);
    command.addOption(option);
  }
  return command;
}
