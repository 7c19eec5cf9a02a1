import { appEnvironment, ControlClient, type OperationCall } from "../../core/client/control-client.js";
import { readNamespaceNames } from "../../core/reports/namespace-export.js";
import type { AdviceList } from "../../core/schema/control-insight-responses.js";
import type { ScenarioView } from "../../core/schema/control-scenario-responses.js";
import type { StartOptions } from "../../core/schema/option-table.js";
import { toPrintableLine } from "../../core/schema/text-format.js";
import { UserError } from "../../core/schema/user-error.js";
import type { Sandbox } from "../../library/sandbox.js";
import type { RequiredCoverage } from "../coverage-list.js";
import { shellCommand } from "../help-text.js";
import type { CommandRunner } from "./command.js";

/** The command of `exec` and the flags it runs with. */
export interface ExecPlan {
  readonly command: readonly string[];
  readonly flagWords: readonly string[];
  readonly options: StartOptions;
  readonly templates: readonly EnvironmentTemplate[];
  readonly runner: CommandRunner;
  readonly artifacts: ArtifactWriter | undefined;
  readonly isStrict: boolean;
  readonly reconcile: string | undefined;
  /** Coverage that all runs together must reach (`--require`). */
  readonly required: RequiredCoverage | undefined;
  /** Prints a line of progress, unless `--quiet`. */
  readonly notice: (text: string) => void;
}

/** Tasks still scheduled at the end of a run: steps of payments, and delivery attempts. */
export interface DueTaskCounts {
  readonly steps: number;
  readonly attempts: number;
}

export interface CommandRunResult {
  readonly code: number;
  readonly startedAt: string;
  readonly seed: string;
  readonly durationMs: number;
  /** Active scenarios, newest activation first, with how often each rule applied. */
  readonly scenarios: readonly ScenarioView[];
  /** Descriptions of the faults that were set during the run and never applied. */
  readonly unappliedFaults: readonly string[];
  readonly advice: AdviceList["items"];
  readonly due: DueTaskCounts;
  /** The first call, webhook or charge that the scenario of a failed run hit. */
  readonly firstHit: string | undefined;
}

/** One run of `--under`. The plain run has no scenario: null. */
export interface MatrixRunPlan {
  readonly scenario: string | null;
  readonly folder: string;
}

export interface ArtifactWriter {
  save(
    sandbox: Sandbox,
    plan: ExecPlan,
    result: CommandRunResult,
    under: MatrixRunPlan | undefined,
  ): Promise<void>;
  write(file: string, text: string): void;
}

export function commandText(command: readonly string[]): string {
  return toPrintableLine(command.join(" ").replace(/\s+/g, " "));
}

/** The command line that does the run under one scenario alone, for a shell. */
export function repeatText({ command, flagWords }: ExecPlan, scenario: string): string {
  const isUnder = (word: string | undefined) => word === "--under";
  const flags = flagWords.filter(
    (word, place) => !isUnder(word) && !word.startsWith("--under=") && !isUnder(flagWords[place - 1]),
  );
  return shellCommand(["exec", ...flags, "--scenario", scenario, "--", ...command]);
}

/** Client of the control API within this process, without port or token. */
export function controlClientOf(sandbox: Sandbox, namespace?: string): ControlClient {
  return new ControlClient({ fetch: sandbox.fetch, namespace });
}

type ListId = "listRequests" | "listEvents" | "listDeliveries" | "listTasks" | "listFaults";

export async function listInAllNamespaces<Item>(sandbox: Sandbox, list: ListId): Promise<Item[]> {
  const all: Item[] = [];
  for (const name of await readNamespaceNames(controlClientOf(sandbox)))
    all.push(...(await listInNamespace<Item>(controlClientOf(sandbox, name), list)));
  return all;
}

export async function listInNamespace<Item>(client: ControlClient, list: ListId): Promise<Item[]> {
  const all: Item[] = [];
  for await (const page of client.pages<Item>(...([list] as OperationCall))) all.push(...page);
  return all;
}

/** A value of `--env NAME=TEMPLATE`. */
export interface EnvironmentTemplate {
  readonly name: string;
  readonly text: string;
}

export function parseEnvironmentTemplate(argument: string): EnvironmentTemplate {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(argument);
  if (match === null) throw new UserError(`--env takes NAME=TEMPLATE, not ${JSON.stringify(argument)}`);
  return { name: match[1]!, text: match[2]! };
}

/** Environment variables of the command: the sandbox's address and keys, and the variables of `--env`. */
export function createCommandEnvironment(
  sandbox: Sandbox,
  templates: readonly EnvironmentTemplate[],
): Record<string, string> {
  const values: Record<string, string> = {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    webhook_secret: sandbox.webhookSecret,
    sandbox_url: sandbox.url,
  };
  const environment: Record<string, string> = appEnvironment(sandbox);
  for (const { name, text } of templates)
    environment[name] = text.replace(/\{(\w+)\}/g, (placeholder, key: string) => {
      if (Object.hasOwn(values, key)) return values[key]!;
      const known = Object.keys(values).map((value) => `{${value}}`);
      throw new UserError(`--env ${name}: there is no ${placeholder}; known: ${known.join(", ")}`);
    });
  return environment;
}
