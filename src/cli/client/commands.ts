import { Argument, type Command } from "commander";
import { SandboxError } from "../../schema/sandbox-error.js";
import { isUserMistake } from "../mistakes.js";
import { say, sayJson } from "../terminal.js";
import { CHARGE_COMMANDS } from "./charges.js";
import { CLOCK_COMMAND } from "./clock.js";
import { Connection } from "./connection.js";
import { INSIGHT_COMMANDS } from "./insight.js";
import { MONEY_COMMANDS } from "./money.js";
import { record } from "./output.js";
import { type Asked, type ClientCommand, knownWord } from "./row.js";
import { ENV_COMMAND, RULE_COMMANDS, SANDBOX_COMMANDS, STATUS_COMMAND } from "./sandbox.js";
import { WATCHING_COMMANDS } from "./watching.js";
import { WEBHOOK_COMMANDS } from "./webhooks.js";

/** Every command that speaks to a running sandbox, a row a command, in the order of the help. */
export const CLIENT_COMMANDS: readonly ClientCommand[] = [
  STATUS_COMMAND,
  ...WEBHOOK_COMMANDS,
  CLOCK_COMMAND,
  ...SANDBOX_COMMANDS,
  ...CHARGE_COMMANDS,
  ...MONEY_COMMANDS,
  ...RULE_COMMANDS,
  ...WATCHING_COMMANDS,
  ...INSIGHT_COMMANDS,
  ENV_COMMAND,
];

/** Adds them to the program, each with the options they all share. */
export function addClientCommands(root: Command): void {
  for (const row of CLIENT_COMMANDS) {
    const [name, ...words] = row.usage.split(" ");
    const command = root.command(name!).description(row.says);
    for (const word of words) command.addArgument(argument(word, name!, Object.keys(row.verbs ?? {})));
    for (const [flags, says] of row.options ?? []) command.option(flags, says);
    command
      .option("--url <url>", "the running sandbox (default: PAYMENTS_SANDBOX_URL, else the default port)")
      .option("--namespace <name>", "the namespace to speak to")
      .option("--control-token <value>", "what the control API asks for")
      .option("--json", "print the answer as JSON")
      .addHelpText("after", `\nExample:\n  ${row.example}`)
      .action(async (...given: unknown[]) => {
        const flags = given.at(-2) as Asked["flags"];
        await carryOut(row, {
          connection: new Connection(flags),
          flags,
          words: given.slice(0, -2) as Asked["words"],
        });
      });
  }
}

const VERB = /^[<[](verb|what)[\]>]$/;

/** The argument that stands for a verb is checked before anything is asked of a server. */
function argument(word: string, command: string, verbs: readonly string[]): Argument {
  const made = new Argument(word);
  if (!VERB.test(word)) return made;
  return made.choices(verbs).argParser((given) => knownWord(verbs, command, given));
}

/** In the service's shape; the line on standard error is for people. */
function errorJson(error: Error): object {
  const { code = "NOT_DONE", details } = error instanceof SandboxError ? error : {};
  return { error: { code, message: error.message, details } };
}

async function carryOut({ usage, verbs = {}, plain }: ClientCommand, asked: Asked): Promise<void> {
  const [, ...names] = usage.split(" ");
  const verb = asked.words[names.findIndex((name) => VERB.test(name))];
  const action = verb === undefined ? plain! : verbs[verb]!;
  const answer = await action.call(asked).catch((error: Error) => {
    if (asked.flags.json && isUserMistake(error)) sayJson(errorJson(error));
    throw error;
  });
  if (answer === undefined) return;
  if (asked.flags.json) sayJson(answer);
  else say((action.print ?? record())(answer, asked));
}
