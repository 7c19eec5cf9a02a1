import { readFileSync } from "node:fs";
import { appEnvironment } from "../../core/client/control-client.js";
import { countsText, happenedText } from "../../core/reports/advance-text.js";
import { columnValue, LIST_COLUMNS } from "../../core/reports/list-columns.js";
import { scenarioRuleTexts } from "../../core/reports/rule-text.js";
import type { AdvanceReport, AttentionList } from "../../core/schema/control-insight-responses.js";
import type { NextItem } from "../../core/schema/control-responses.js";
import { didYouMean } from "../../core/schema/nearest.js";
import type { Scenario } from "../../core/schema/scenario-rules.js";
import { systemErrorText } from "../../core/schema/system-error-text.js";
import {
  durationErrorMessage,
  instantErrorMessage,
  parseDuration,
  parseInstant,
} from "../../core/schema/time.js";
import { UserError } from "../../core/schema/user-error.js";
import { quoteForShell } from "../help-text.js";
import { writeOutputFile } from "../output-files.js";
import { isTerminal, lineWidth } from "../terminal.js";
import { paint, wrap } from "../text-layout.js";
import { type ClientAction, type ClientCommand, type CommandInput, runs } from "./client-command.js";
import type { Connection, JsonBody } from "./connection.js";
import { nextRow } from "./next.js";
import { listAction, missingEndpointText, recordFormatter, tableFormatter } from "./output.js";

const NAMED_SNAPSHOT = { takes: ["name"], needs: "the snapshot's name" } as const;
const NAMED_SCENARIO = { takes: ["name"], needs: "the scenario's name" } as const;

const FORMATS = ["dotenv", "shell", "github"];
const FAULT_EXAMPLE = '{"match":{"operation":"createQuote"},"respond":{"status":500},"times":1}';

async function readScenarioOrder(connection: Connection): Promise<Set<string>> {
  const { items } = await connection.run("listScenarios", { limit: 100 });
  const active = (items as JsonBody[]).filter(({ active }) => active);
  return new Set([...active.map(({ name }) => String(name)), "default"]);
}

const orderText = (names: Iterable<string>) => [...names].join(", then ");

const formatActivation: ClientAction["formatResult"] = async (scenario, asked) => {
  const { connection } = asked;
  const names = await readScenarioOrder(connection);
  const others = [...names].filter((name) => name !== scenario.name && name !== "default");
  return recordFormatter(
    "name",
    "description",
    "asked_in_order",
    "to_end_others",
  )(
    {
      name: scenario.name,
      description: columnValue(LIST_COLUMNS.scenarios, "description", scenario),
      asked_in_order: orderText(names),
      to_end_others:
        others.length === 0
          ? undefined
          : others.map((name) => connection.commandFor(`scenario drop ${name}`)),
    },
    asked,
  );
};

async function readActive(connection: Connection): Promise<JsonBody> {
  const [scenarios, faults] = await Promise.all([
    readScenarioOrder(connection),
    connection.run("listFaults"),
  ]);
  const list = LIST_COLUMNS.faults;
  const rules = (faults.items as JsonBody[])
    .filter((one) => list.isDone?.(one) !== true)
    .map((one) => `${columnValue(list, "rule", one)}; used: ${columnValue(list, "used", one)}`);
  return { scenario: orderText(scenarios), faults: rules.length === 0 ? "none" : rules };
}

/** Reads what is wrong, worst first, each with its mending. */
async function readAttention(connection: Connection): Promise<string[]> {
  const { items } = await connection.run<AttentionList>("listAttention");
  if (items.length === 0) return ["nothing"];
  return items.flatMap(({ kind, sentence, mend }) => [
    `${kind === "receiver_failing" || kind === "call_refused" ? "✗" : "●"} ${sentence}`,
    mend.command === null ? mend.sentence : `${mend.sentence} ${connection.commandAs(mend.command)}`,
  ]);
}

/** Reads the next change: `in 1 s: ada@shop.test becomes PROCESSING`. */
async function readNextDue(connection: Connection): Promise<string> {
  const { items } = await connection.run("listNext", { limit: 1 });
  const [row] = (items as NextItem[]).map((item) => nextRow(item, connection));
  return row?.in === undefined ? "nothing" : `in ${row.in}: ${row.who ?? row.id} ${row.what}`;
}

export const SANDBOX_COMMANDS: readonly ClientCommand[] = [
  {
    usage: "status",
    summary: "the running sandbox: version, keys, seed, clock and counts",
    example: "payments-sandbox status",
    defaultAction: runs("getSandbox", {
      formatResult: async (info, { connection }) => {
        const clock = info.clock as JsonBody;
        const counts = info.counts as JsonBody;
        const { pid, started_at } = await connection.call("GET", "/health");
        return recordFormatter()({
          url: connection.url,
          namespace: info.namespace,
          wrong: await readAttention(connection),
          webhooks: counts.webhook_endpoints === 0 ? missingEndpointText(connection) : undefined,
          ...(await readActive(connection)),
          "next due": await readNextDue(connection),
          version: info.version,
          process: `${pid}, started ${started_at}`,
          "api key": info.api_key,
          "webhook secret": info.webhook_secret,
          seed: info.seed,
          clock: clock.mode,
          now: clock.now,
          ...counts,
        });
      },
    }),
  },
  {
    usage: "reset",
    summary: "back to the initial state; webhooks and keys stay",
    example: "payments-sandbox reset --repeat-ids",
    options: [
      ["--keep <what...>", "webhooks, keys, scenarios"],
      ["--repeat-ids", "issue the same IDs again"],
    ],
    defaultAction: runs("resetSandbox", {
      takes: ["keep"],
      input: ({ flags }) => ({ ids: flags.repeatIds ? "repeat" : undefined }),
      progressText: "resetting",
      formatResult: ({ namespace }, { flags: { keep = "webhooks, keys" } }) =>
        `namespace "${namespace}" reset (kept: ${Array.isArray(keep) ? keep.join(", ") : keep})\n`,
    }),
  },
  {
    usage: "snapshot <verb> [name]",
    summary: "save | restore | list | delete NAME",
    example: "payments-sandbox snapshot save before-checkout",
    verbs: {
      save: runs("createSnapshot", { ...NAMED_SNAPSHOT, progressText: "saving" }),
      restore: runs("restoreSnapshot", {
        ...NAMED_SNAPSHOT,
        progressText: "restoring",
        formatResult: ({ namespace }, { words }) =>
          `namespace "${namespace}" restored from snapshot "${words.name}"\n`,
      }),
      list: listAction("listSnapshots"),
      delete: runs("deleteSnapshot", NAMED_SNAPSHOT),
    },
  },
  {
    usage: "export <file>",
    summary: "writes the namespace's state to a file",
    example: "payments-sandbox export state.json",
    defaultAction: {
      call: async ({ connection, words: { file } }) => {
        const state = await connection.run("getState");
        writeOutputFile("export", file!, `${JSON.stringify(state)}\n`);
        return { file, seq: state.seq };
      },
      progressText: "exporting",
    },
  },
  {
    usage: "import <file>",
    summary: "replaces the namespace's state by an exported one",
    example: "payments-sandbox import state.json",
    defaultAction: runs("putState", {
      input: ({ words }) => readJsonFile(words.file!),
      progressText: "importing",
      formatResult: ({ namespace }, { words }) => `${words.file} imported into namespace "${namespace}"\n`,
    }),
  },
  {
    usage: "namespace <verb> [name]",
    summary: "list | add [NAME] | delete NAME",
    example: "payments-sandbox namespace add worker-1",
    verbs: {
      list: listAction("listNamespaces"),
      add: runs("createNamespace", {
        takes: ["name"],
        formatResult: recordFormatter("name", "api_key", "live_api_key", "webhook_secret"),
      }),
      delete: runs("deleteNamespace", { takes: ["name"], needs: "the namespace's name" }),
    },
  },
  {
    usage: "scenario <verb> [name]",
    summary: "list | show NAME | use NAME | drop NAME",
    example: "payments-sandbox scenario use declined",
    verbs: {
      list: {
        ...listAction("listScenarios", { limit: 100 }),
        formatResult: (answer, asked) => {
          const show = `all of one: ${asked.connection.commandFor("scenario show NAME")}`;
          const { values, ...list } = LIST_COLUMNS.scenarios;
          const description = (scenario: JsonBody) => /^[^.:;]*/.exec(String(values!.description!(scenario)));
          const shown = isTerminal()
            ? { ...list, values: { ...values, description } }
            : LIST_COLUMNS.scenarios;
          return tableFormatter(shown, [["dim", show]])(answer, asked);
        },
      },
      show: runs("getScenario", {
        ...NAMED_SCENARIO,
        formatResult: (scenario, asked) =>
          isTerminal()
            ? recordFormatter(
                "name",
                "kind",
                "description",
                "rules",
                "all_of_it",
              )(
                {
                  ...scenario,
                  description: columnValue(LIST_COLUMNS.scenarios, "description", scenario),
                  rules: scenarioRuleTexts(scenario as unknown as Scenario),
                  all_of_it: asked.connection.commandFor(`scenario show ${scenario.name} --json`),
                },
                asked,
              )
            : `${JSON.stringify(scenario, null, 2)}\n`,
      }),
      use: runs("activateScenario", { ...NAMED_SCENARIO, formatResult: formatActivation }),
      drop: runs("deactivateScenario", { ...NAMED_SCENARIO, formatResult: formatActivation }),
    },
  },
  {
    usage: "fault <verb> [rule]",
    summary: "list | add RULE (as JSON) | remove ID | clear",
    example: `payments-sandbox fault add '${FAULT_EXAMPLE}'`,
    verbs: {
      list: listAction("listFaults"),
      add: runs("createFault", { needs: "the rule", input: ({ words }) => parseRule(words.rule!) }),
      remove: runs("deleteFault", {
        needs: "the fault's id",
        input: ({ words }) => ({ fault_id: words.rule }),
      }),
      clear: runs("deleteFaults"),
    },
  },
  {
    usage: "env",
    summary: "the variables an app needs, to be read by a shell or written to a file",
    example: 'eval "$(payments-sandbox env --format shell)"',
    options: [["--format <format>", "dotenv (default), shell or github"]],
    defaultAction: {
      call: async ({ connection, flags }) => {
        const info = await connection.run("getSandbox");
        const values = appEnvironment({
          url: connection.url,
          apiKey: String(info.api_key),
          webhookSecret: String(info.webhook_secret),
        });
        if (flags.json || formatOf(flags) !== "github" || process.env.GITHUB_ENV === undefined) return values;
        const { appendFileSync } = await import("node:fs");
        appendFileSync(process.env.GITHUB_ENV, linesOf(values, "github"));
        return undefined;
      },
      formatResult: (values, { flags }) => linesOf(values, formatOf(flags)),
    },
  },
];

function readJsonFile(file: string): object {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const isRead = error instanceof SyntaxError;
    const fault = isRead
      ? `is not an exported state: ${error.message}`
      : `cannot be read: ${systemErrorText(error)}`;
    throw new UserError(`${file} ${fault}`);
  }
}

function parseRule(text: string): object {
  try {
    return JSON.parse(text);
  } catch {
    throw new UserError(`the rule is not valid JSON, such as '${FAULT_EXAMPLE}'`);
  }
}

function formatOf({ format = "dotenv" }: CommandInput["flags"]): string {
  const given = String(format);
  if (FORMATS.includes(given)) return given;
  throw new UserError(`--format ${given} must be one of ${FORMATS.join(", ")}${didYouMean(given, FORMATS)}`);
}

function linesOf(values: JsonBody, format: string): string {
  const line = (name: string, value: string) =>
    format === "shell" ? `export ${name}=${quoteForShell(value)}` : `${name}=${value}`;
  return Object.entries(values)
    .map(([name, value]) => `${line(name, String(value))}\n`)
    .join("");
}

const clockRecord = recordFormatter("mode", "speed", "now", "next_due");

/** Action that advances time. `input` reads the argument after the verb. */
function advance(verb: string, input: (argument: string | undefined) => object): ClientAction {
  return runs("advanceClock", {
    input: ({ words }) => input(words.argument),
    progressText: "advancing",
    formatResult: (report, { words }) => {
      const { from, to } = report;
      const by = verb === "advance" ? ` ${words.argument}` : "";
      const isOneDay = String(from).slice(0, 10) === String(to).slice(0, 10);
      const [start, end] = [String(from), String(to)].map((at) =>
        isTerminal() ? at.slice(isOneDay ? 11 : 5, 19).replace("T", " ") : at,
      );
      const zone = isTerminal() ? " UTC" : "";
      const { counts, failures } = report as unknown as AdvanceReport;
      const width = lineWidth();
      return `${[
        `advanced${by}: ${start} → ${end}${zone}; ${countsText(counts)}`,
        ...failures.flatMap((one) =>
          wrap(`✗ ${happenedText(one)}`, 4, width).map((line) => paint("red", line)),
        ),
      ].join("\n")}\n`;
    },
  });
}

function setMode(input: (argument: string | undefined) => object): ClientAction {
  return runs("setClock", { input: ({ words }) => input(words.argument), formatResult: clockRecord });
}

function requiredWord(verb: string, what: string, argument: string | undefined): string {
  if (argument === undefined) throw new UserError(`clock ${verb} needs ${what}`);
  return argument;
}

function byText(argument: string | undefined): string {
  const by = requiredWord("advance", "a duration such as 30m", argument);
  if (parseDuration(by) !== undefined) return by;
  if (by.startsWith("-")) throw new UserError(`time only moves forward, not by ${by}`);
  const fault = durationErrorMessage(by);
  throw new UserError(
    fault === undefined
      ? `clock advance takes a duration such as 30m, not ${by}`
      : `clock advance: ${by} ${fault}`,
  );
}

function toText(argument: string | undefined): string {
  const to = requiredWord("to", "an instant such as 2026-01-31T09:00:00Z", argument);
  if (parseInstant(to) !== undefined) return to;
  const fault = instantErrorMessage(to);
  throw new UserError(
    fault === undefined ? `clock to takes an ISO 8601 instant, not ${to}` : `clock to: ${to} ${fault}`,
  );
}

function speedOf(argument: string | undefined): number {
  const speed = Number(requiredWord("speed", "a number such as 60", argument));
  if (speed > 0) return speed;
  throw new UserError(`clock speed takes a number such as 60, not ${argument}`);
}

export const CLOCK_COMMAND: ClientCommand = {
  usage: "clock [verb] [argument]",
  summary: "the current time; advance DUR | to ISO | next | idle | freeze | resume | speed N",
  example: "payments-sandbox clock advance 30m",
  defaultAction: runs("getClock", { formatResult: clockRecord }),
  verbs: {
    advance: advance("advance", (argument) => ({ by: byText(argument) })),
    to: advance("to", (argument) => ({ to: toText(argument) })),
    next: advance("next", () => ({ until: "next" })),
    idle: advance("idle", () => ({ until: "idle" })),
    freeze: setMode(() => ({ mode: "manual" })),
    resume: setMode(() => ({ mode: "real" })),
    speed: setMode((argument) => ({ speed: speedOf(argument) })),
  },
};
