import { existsSync } from "node:fs";
import type { Command } from "commander";
import { issueMessage, safeParse } from "../core/schema/issues.js";
import { findNearestWord } from "../core/schema/nearest.js";
import {
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  type OptionRow,
  type StartOptions,
  startOptionsSchema,
} from "../core/schema/option-table.js";
import { camelCase } from "../core/schema/text-format.js";
import { UserError } from "../core/schema/user-error.js";
import type { UnresolvedOptions } from "../library/options.js";

interface FlaggedRow extends Omit<OptionRow, "flags"> {
  readonly name: OptionName;
  readonly flags: string;
}

export const OPTION_ROWS: readonly FlaggedRow[] = OPTION_NAMES.flatMap((name) => {
  const { flags, ...row }: OptionRow = OPTIONS[name];
  return flags === undefined ? [] : [{ ...row, name, flags }];
});

export const CONFIG_FLAGS = "-c, --config <file>";

export function environmentVariableOf(name: string): string {
  return `PAYMENTS_SANDBOX_${name.toUpperCase()}`;
}

/** @param saysOf descriptions that differ for this command */
export function addStartOptions(
  command: Command,
  saysOf: Readonly<Partial<Record<OptionName, string>>> = {},
): Command {
  command.option(CONFIG_FLAGS, "configuration file (default: payments-sandbox.config.{yaml,yml,json})");
  for (const { name, flags, help: says, kind } of OPTION_ROWS)
    for (const [index, spelling] of splitFlagAliases(flags).entries()) {
      const words = index > 0 ? `the same as ${flags.split(",", 1)[0]}` : (saysOf[name] ?? says);
      const option = command.createOption(spelling, words);
      if (kind === "list") option.argParser(appendOptionValue);
      command.addOption(option);
    }
  return command;
}

export function appendOptionValue(value: string, all: string[] = []): string[] {
  return [...all, value];
}

export function addConnectionOptions(command: Command): Command {
  return command
    .option("--url <url>", "the running sandbox (default: PAYMENTS_SANDBOX_URL, else the default port)")
    .option("--namespace <name>", "the namespace to use")
    .option("--control-token <value>", "the control API's token")
    .option("--json", "print the response as JSON");
}

/** Options of `explore` and `exec --explore`: flag, description, and if it is repeatable. */
const EXPLORE_ROWS: readonly (readonly [flags: string, says: string, isList?: boolean])[] = [
  ["--app <url>", "the app, which calls the sandbox (required)"],
  ["--depth <k>", "how many deviations to combine: 1, 2 or max, which needs --budget (default: 1)"],
  ["--lives [n]", "also carry out this many lives of several customers (default: 100)"],
  ["--only <set>", "run only this set of deviations, or life, as a report names it"],
  ["--from <log>", "run only the sets that the log of an incident shows"],
  ["--lanes <n>", "how many runs in parallel (default: 4, or one where they could interfere)"],
  ["--budget <duration>", "a limit of wall time (default: none)"],
  ["--fail-on <kinds>", "kinds to raise from notes to findings, such as webhook_dropped,underpaid"],
  ["--profile", "say where wall time went"],
  ["--var <name=value>", "a variable of the file (repeatable)", true],
  ["--save <folder>", "write a scenario file for each finding there"],
  ["--junit <file>", "also write the report as JUnit XML"],
];

export const EXPLORE_OPTION_NAMES: readonly string[] = EXPLORE_ROWS.map(([flags]) =>
  camelCase(/^--([\w-]+)/.exec(flags)![1]!.replaceAll("-", "_")),
);

export function addExploreOptions(command: Command): Command {
  for (const [flags, says, isList = false] of EXPLORE_ROWS) {
    const option = command.createOption(flags, says);
    command.addOption(isList ? option.argParser(appendOptionValue) : option);
  }
  return command;
}

/** Returns the first option in `names` that the user gave, in the spelling of the command line: `--fail-on`. */
export function findUsedFlag<Name extends string>(
  flags: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
): string | undefined {
  const name = names.find((one) => flags[one] !== undefined);
  return name && `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Splits flags with two long names, `--a, --b <x>`, into two options for commander. */
export function splitFlagAliases(flags: string): string[] {
  const [first, second] = flags.split(", ");
  if (second === undefined || !first!.startsWith("--")) return [flags];
  const argument = second.slice(second.indexOf(" "));
  return [`${first}${argument}`, second];
}

/** Names of config files. The first existing file is read. */
export const CONFIG_FILE_NAMES = ["yaml", "yml", "json"].map((ending) => `payments-sandbox.config.${ending}`);

/** Flags win over environment variables, and these over the config file. An error names the source of its value. */
export async function readStartOptions(
  flags: Readonly<Record<string, unknown>>,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<StartOptions & Pick<UnresolvedOptions, "describeConfigFault">> {
  refuseTypos(environment);
  const { values, ...config } = await readConfigFile(flags.config as string | undefined, environment);
  const merged: Record<string, unknown> = { ...values };
  const said: Record<string, string> = {};
  for (const row of OPTION_ROWS) {
    const variable = environment[environmentVariableOf(row.name)];
    if (variable !== undefined && variable !== "") {
      merged[row.name] = parsed(
        row,
        row.kind === "list" ? variable.split(",").map((one) => one.trim()) : variable,
      );
      said[row.name] = environmentVariableOf(row.name);
    }
    const flag = flagValue(row, flags);
    if (flag !== undefined) {
      merged[row.name] = parsed(row, flag);
      said[row.name] = `--${row.name.replaceAll("_", "-")}`;
    }
  }
  const checked = safeParse(startOptionsSchema, merged);
  if (checked.ok) return { ...checked.data, ...config };
  throw new UserError(
    checked.issues
      .map((issue) => {
        const [name = "", place] = issue.path.map(String);
        const value = merged[name];
        const given = Array.isArray(value) && place !== undefined ? value[Number(place)] : value;
        return `${said[name] ?? name} ${issueMessage(issue)}, not ${JSON.stringify(given)}`;
      })
      .join("\n"),
  );
}

/** Variables read elsewhere, or set for the command of `exec`. */
const OTHER_VARIABLES = ["config", "url", "under", "exec"];

/** Refuses a misspelt environment variable, because the variable would have no effect. */
function refuseTypos(environment: NodeJS.ProcessEnv): void {
  const prefix = environmentVariableOf("");
  const known: string[] = [...OPTION_ROWS.map(({ name }) => name), ...OTHER_VARIABLES];
  for (const variable of Object.keys(environment)) {
    const name = variable.slice(prefix.length).toLowerCase();
    if (!variable.startsWith(prefix) || known.includes(name)) continue;
    const near = findNearestWord(name, known);
    if (near !== undefined)
      throw new UserError(`there is no variable ${variable}; did you mean ${environmentVariableOf(near)}?`);
  }
}

function flagValue(row: FlaggedRow, flags: Readonly<Record<string, unknown>>): unknown {
  const camel = camelCase(row.name);
  if (row.name !== "webhook_url") return flags[camel];
  const all = [...((flags.webhookUrl as string[]) ?? []), ...((flags.forwardTo as string[]) ?? [])];
  return all.length === 0 ? undefined : all;
}

/** Parses a number or boolean. Any other text stays text, which the schema refuses. */
function parsed({ kind }: FlaggedRow, value: unknown): unknown {
  if (kind === "flag" && typeof value === "string")
    return /^(1|true|on|yes)$/i.test(value) || (/^(0|false|off|no)$/i.test(value) ? false : value);
  if (kind === "number" && typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  return value;
}

interface ConfigFile extends Pick<UnresolvedOptions, "describeConfigFault"> {
  readonly values?: Record<string, unknown>;
}

async function readConfigFile(flag: string | undefined, environment: NodeJS.ProcessEnv): Promise<ConfigFile> {
  const named = flag ?? environment[environmentVariableOf("config")];
  const file = named ?? CONFIG_FILE_NAMES.find((name) => existsSync(name));
  if (file === undefined) return {};
  const { checkDocument, faultText, readDocument } = await import("../core/files/documents.js");
  const document = await readDocument(file);
  if (document.value === null) return {};
  return {
    values: checkDocument(startOptionsSchema, document) as Record<string, unknown>,
    // An option with a flag may come from elsewhere.
    describeConfigFault: ({ path, message }) =>
      OPTION_ROWS.some(({ name }) => name === path[0])
        ? undefined
        : faultText(document.faultAt(path, message)),
  };
}
