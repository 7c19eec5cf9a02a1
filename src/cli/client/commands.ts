import { Argument, type Command, Option } from "commander";
import { UserError } from "../../core/schema/user-error.js";
import { repeatEvery } from "../../core/time/timers.js";
import { helpText } from "../help-text.js";
import { addConnectionOptions } from "../options.js";
import { ProgressLine, printJson, printText } from "../terminal.js";
import { CHARGE_COMMANDS, MONEY_COMMANDS } from "./charges.js";
import { type ClientCommand, type CommandInput, requireKnownWord } from "./client-command.js";
import { Connection } from "./connection.js";
import { NEXT_COMMAND } from "./next.js";
import { recordFormatter } from "./output.js";
import { REPORT_COMMANDS } from "./reports.js";
import { CLOCK_COMMAND, SANDBOX_COMMANDS } from "./sandbox.js";
import { WATCHING_COMMANDS } from "./watching.js";
import { WEBHOOK_COMMANDS } from "./webhooks.js";

/** Commands that call a running sandbox. The help shows groups in the order of their first commands. */
export const CLIENT_COMMANDS: readonly ClientCommand[] = [
  ...REPORT_COMMANDS,
  NEXT_COMMAND,
  ...WEBHOOK_COMMANDS,
  CLOCK_COMMAND,
  ...SANDBOX_COMMANDS,
  ...CHARGE_COMMANDS,
  ...MONEY_COMMANDS,
  ...WATCHING_COMMANDS,
];

export function addClientCommands(root: Command): void {
  for (const row of CLIENT_COMMANDS) {
    const [name, ...words] = row.usage.split(" ");
    const command = root.command(name!).description(row.summary);
    for (const word of words) command.addArgument(argument(word, command, row));
    for (const [flags, says, verb] of row.options ?? [])
      command.option(flags, verb === undefined ? says : `${verb}: ${says}`);
    addConnectionOptions(command)
      .addHelpText("after", helpText(row.example))
      .action(async (...given: unknown[]) => {
        const flags = given.at(-2) as CommandInput["flags"];
        const named = words.map((word, place) => [word.slice(1, -1), given[place]]);
        refuseForeignOptions(command, row, given);
        await runAction(row, { connection: new Connection(flags), flags, words: Object.fromEntries(named) });
      });
  }
}

function refuseForeignOptions(
  command: Command,
  { options = [] }: ClientCommand,
  given: readonly unknown[],
): void {
  for (const [flags, , verb] of options) {
    const option = new Option(flags);
    const isForeign = verb !== undefined && !verb.split(" or ").some((one) => given.includes(one));
    if (isForeign && command.getOptionValue(option.attributeName()) !== undefined)
      throw new UserError(`${option.long} goes with ${command.name()} ${verb} only`);
  }
}

const VERB = /^[<[](verb|what)[\]>]$/;

/** Declares an argument. An unknown verb is refused before the sandbox is called. */
function argument(word: string, command: Command, { verbs = {}, checkWords }: ClientCommand): Argument {
  const made = new Argument(word);
  if (!VERB.test(word)) return made;
  const known = Object.keys(verbs);
  return made.choices(known).argParser((given) => {
    checkWords?.(command.args);
    return requireKnownWord(known, command.name(), given);
  });
}

/** Shows the elapsed time each second, and how far an advance is. Returns a function that ends the display. */
function withElapsedTime(
  doing: string | undefined,
  { connection, flags }: Pick<CommandInput, "connection" | "flags">,
): () => void {
  if (doing === undefined) return () => {};
  const progress = new ProgressLine(flags.json !== true);
  let seconds = 0;
  const stop = repeatEvery(1_000, () => {
    seconds++;
    void connection
      .run<{ progress?: { done: number; due: number } }>("getClock")
      .then(({ progress: far }) => (far === undefined ? "" : `, ${far.done} of ${far.due} done`))
      .catch(() => "")
      .then((far) => progress.show(`${doing}: ${seconds} s${far}`));
  });
  return () => {
    stop();
    progress.end();
  };
}

async function runAction({ verbs = {}, defaultAction }: ClientCommand, asked: CommandInput): Promise<void> {
  const { verb = asked.words.what } = asked.words;
  const action = verb === undefined ? defaultAction! : verbs[verb]!;
  const working = withElapsedTime(action.progressText, asked);
  const answer = await action.call(asked).finally(working);
  if (answer === undefined) return;
  if (asked.flags.json) printJson(answer);
  else printText(await (action.formatResult ?? recordFormatter())(answer, asked));
}
