import { existsSync } from "node:fs";
import type { Command } from "commander";
import { check, issueMessage } from "../schema/issues.js";
import { nearest } from "../schema/nearest.js";
import {
  DEFAULT_HOST,
  DEFAULT_PORT,
  DEFAULT_RATE_LIMIT,
  type StartOptions,
  startOptionsSchema,
} from "../schema/options.js";
import { UserError } from "../schema/user-error.js";

type Name = keyof StartOptions;

/** How an option is written on the command line; its config key and its variable follow from its name. */
interface OptionRow {
  readonly name: Name;
  readonly flags: string;
  readonly help: string;
  /** Config-only values are no text. */
  readonly kind: "text" | "number" | "flag" | "list" | "rate";
}

export const OPTION_ROWS: readonly OptionRow[] = [
  {
    name: "port",
    flags: "-p, --port <number>",
    help: `port to listen on; 0 is any free one (default ${DEFAULT_PORT})`,
    kind: "number",
  },
  {
    name: "host",
    flags: "--host <address>",
    help: `address to listen on (default ${DEFAULT_HOST})`,
    kind: "text",
  },
  { name: "public_url", flags: "--public-url <url>", help: "what checkout links carry", kind: "text" },
  {
    name: "allowed_host",
    flags: "--allowed-host <name>",
    help: "answer requests for this host too (repeatable)",
    kind: "list",
  },
  {
    name: "fixtures",
    flags: "--fixtures <file>",
    help: "organizations, keys, methods, rates … merged over the shipped ones",
    kind: "text",
  },
  {
    name: "scenario",
    flags: "--scenario <name|file>",
    help: "what happens to charges (repeatable; the last goes first)",
    kind: "list",
  },
  {
    name: "data",
    flags: "--data <file>",
    help: "keep the state in this file (default: in memory)",
    kind: "text",
  },
  { name: "fsync", flags: "--fsync", help: "with --data: safe against power loss too", kind: "flag" },
  {
    name: "webhook_url",
    flags: "--webhook-url, --forward-to <url>",
    help: "send test-mode webhooks there (repeatable)",
    kind: "list",
  },
  {
    name: "webhook_secret",
    flags: "--webhook-secret <secret>",
    help: "sign webhooks with this whsec_… secret",
    kind: "text",
  },
  {
    name: "webhook_timeout",
    flags: "--webhook-timeout <duration>",
    help: "how long a receiver may take (default 15s)",
    kind: "text",
  },
  {
    name: "clock",
    flags: "--clock <real|manual|Nx>",
    help: "how sandbox time goes (default real)",
    kind: "text",
  },
  {
    name: "start_time",
    flags: "--start-time <instant>",
    help: "sandbox time at the start (default: now)",
    kind: "text",
  },
  { name: "seed", flags: "--seed <text>", help: "the same seed and calls give the same bytes", kind: "text" },
  {
    name: "rate_limit",
    flags: "--rate-limit <number|off>",
    help: `requests a minute and key, or off (default ${DEFAULT_RATE_LIMIT})`,
    kind: "rate",
  },
  {
    name: "auto_namespaces",
    flags: "--auto-namespaces",
    help: "the key sk_test_ns_NAME makes the namespace NAME on first use",
    kind: "flag",
  },
  {
    name: "control_token",
    flags: "--control-token <value|generate|off>",
    help: "what the control API asks for beyond loopback, where it is closed without",
    kind: "text",
  },
  { name: "json", flags: "--json", help: "say what is ready in one line of JSON", kind: "flag" },
  { name: "quiet", flags: "--quiet", help: "say nothing but errors", kind: "flag" },
];

export function variableOf(name: string): string {
  return `PAYMENTS_SANDBOX_${name.toUpperCase()}`;
}

/** Gives a command the options of `start`. */
export function addStartOptions(command: Command): Command {
  command.option(
    "-c, --config <file>",
    "configuration file (default: payments-sandbox.config.{yaml,yml,json})",
  );
  for (const { flags, help, kind } of OPTION_ROWS)
    for (const spelling of spellings(flags)) {
      const option = command.createOption(spelling, help);
      if (kind === "list")
        option.argParser((value: string, all: string[] | undefined) => [...(all ?? []), value]);
      if (spelling.startsWith("--forward-to")) option.hideHelp();
      command.addOption(option);
    }
  return command;
}

/** `--a, --b <x>` with two long names are two options to commander. */
function spellings(flags: string): string[] {
  const [first, second] = flags.split(", ");
  if (second === undefined || !first!.startsWith("--")) return [flags];
  const argument = second.slice(second.indexOf(" "));
  return [`${first}${argument}`, second];
}

/** Where a config is looked for; the first that is there is read. */
export const CONFIG_FILES = ["yaml", "yml", "json"].map((ending) => `payments-sandbox.config.${ending}`);

/** Flag beats environment beats config file. Every value is checked; a fault names where it was said. */
export async function startOptions(
  flags: Readonly<Record<string, unknown>>,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<StartOptions> {
  refuseSlips(environment);
  const fromFile = await configFile(flags.config as string | undefined, environment);
  const merged: Record<string, unknown> = { ...fromFile };
  const said: Record<string, string> = {};
  for (const row of OPTION_ROWS) {
    const variable = environment[variableOf(row.name)];
    if (variable !== undefined && variable !== "") {
      merged[row.name] = parsed(
        row,
        row.kind === "list" ? variable.split(",").map((one) => one.trim()) : variable,
      );
      said[row.name] = variableOf(row.name);
    }
    const flag = flagValue(row, flags);
    if (flag !== undefined) {
      merged[row.name] = parsed(row, flag);
      said[row.name] = `--${row.name.replaceAll("_", "-")}`;
    }
  }
  const checked = check(startOptionsSchema, merged);
  if (checked.ok) return checked.data;
  throw new UserError(
    checked.issues
      .map((issue) => {
        const name = String(issue.path[0]);
        return `${said[name] ?? name} ${issueMessage(issue)}, not ${JSON.stringify(merged[name])}`;
      })
      .join("\n"),
  );
}

/** Read elsewhere, or set for the command that `exec` runs. */
const OTHER_VARIABLES = ["url", "under", "exec"];

/** A variable nobody reads, one slip away from one that is: it was meant, and would be silently left out. */
function refuseSlips(environment: NodeJS.ProcessEnv): void {
  const prefix = variableOf("");
  const known = [...OPTION_ROWS.map((row): string => row.name), "config", ...OTHER_VARIABLES];
  for (const variable of Object.keys(environment)) {
    const name = variable.slice(prefix.length).toLowerCase();
    if (!variable.startsWith(prefix) || known.includes(name)) continue;
    const near = nearest(name, known);
    if (near !== undefined)
      throw new UserError(`there is no variable ${variable}; did you mean ${variableOf(near)}?`);
  }
}

function flagValue(row: OptionRow, flags: Readonly<Record<string, unknown>>): unknown {
  const camel = row.name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
  if (row.name !== "webhook_url") return flags[camel];
  const all = [...((flags.webhookUrl as string[]) ?? []), ...((flags.forwardTo as string[]) ?? [])];
  return all.length === 0 ? undefined : all;
}

/** What a text on the command line or in a variable stands for. What is none stays text, and is refused as such. */
function parsed(row: OptionRow, value: unknown): unknown {
  if (row.kind === "flag" && typeof value === "string")
    return /^(1|true|on|yes)$/i.test(value) || (/^(0|false|off|no)$/i.test(value) ? false : value);
  if ((row.kind === "number" || row.kind === "rate") && typeof value === "string" && /^\d+$/.test(value))
    return Number(value);
  return value;
}

async function configFile(
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<Record<string, unknown>> {
  const named = flag ?? environment[variableOf("config")];
  const file = named ?? CONFIG_FILES.find((name) => existsSync(name));
  if (file === undefined) return {};
  const { checkDocument, readDocument } = await import("../files/documents.js");
  const document = await readDocument(file);
  if (document.value === null) return {};
  return checkDocument(startOptionsSchema, document) as Record<string, unknown>;
}
