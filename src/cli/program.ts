import { Command, CommanderError, Help } from "commander";
import { didYouMean } from "../core/schema/nearest.js";
import { addCommands } from "./commands.js";
import { reportError, toUsageError, usageError } from "./errors.js";
import { helpText } from "./help-text.js";
import { addStartOptions } from "./options.js";

/** Parses every command line that `parseStartFlags` does not. */
export async function runProgram(words: readonly string[]): Promise<void> {
  const [first = "start"] = words;
  if (first === "version" || first === "-v") return runProgram(["--version"]);
  const root = program();
  try {
    if (!isStart(first)) {
      addCommands(root, words);
      groupCommands(root);
      refuseUnknown(root, first === "help" ? [words[1] ?? "help"] : [first, words[1]]);
    }
    await root.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander throws after printing help or the version too, with exit code 0.
    const name = isStart(first) ? "start" : first;
    const command = root.commands.find((one) => one.name() === name) ?? new Command(name);
    if (error.exitCode !== 0) reportError(toUsageError(error, command));
    process.exitCode = error.exitCode;
  }
}

/** Returns true if the first word means `start`: the word itself, or any option but help and version. */
function isStart(word: string): boolean {
  return word === "start" || (word.startsWith("-") && !["--help", "-h", "--version", "-V"].includes(word));
}

function program(): Command {
  const root = new Command("payments-sandbox")
    .description("A local server that stands in for a payments service in test mode.")
    // `main` prints the error in one line.
    .configureOutput({ outputError: () => {} })
    .enablePositionalOptions()
    .addHelpText(
      "after",
      helpText([
        "payments-sandbox start",
        "payments-sandbox exec -- npm test",
        "payments-sandbox charge create",
      ]),
    )
    .exitOverride();

  addStartOptions(root.command("start", { isDefault: true }))
    .description("run the sandbox until it is interrupted (the default)")
    .addHelpText("after", helpText("payments-sandbox start --webhook-url localhost:3000/webhooks"))
    .action(async (flags: Record<string, unknown>) => (await import("./start.js")).start(flags));
  return root;
}

/** Commands of other services' tools → the command here. */
const OTHER_COMMANDS: ReadonlyMap<string, string> = new Map([
  ["listen", "start --webhook-url URL"],
  ["resend", "webhook redeliver ID"],
  ["events resend", "webhook redeliver ID"],
  ["logs", "requests --follow"],
]);

/** Refuses an unknown command: commander would take it as an argument of the default command. */
function refuseUnknown(root: Command, [word, next]: readonly [string, string?]): void {
  const known = [...root.commands.map((command) => command.name()), "help"];
  const spoken = word === "events" && next === "resend" ? "events resend" : word;
  const other = OTHER_COMMANDS.get(spoken);
  if (other === undefined && (word.startsWith("-") || known.includes(word))) return;
  // A reset loses the state, so it is never suggested.
  const suggestion = didYouMean(
    word,
    known.filter((name) => name !== "reset"),
  );
  const hint = other === undefined ? suggestion : `; here it is: npx payments-sandbox ${other}`;
  throw usageError(`unknown command "${spoken}"${hint}`, "npx payments-sandbox --help");
}

/** Groups of commands, in the order of the help. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Run: ["start", "exec", "run", "explore", "demo", "init", "guide", "openapi"],
  Check: ["check-webhook", "reconcile", "validate", "advice", "coverage"],
  Look: [
    ...["status", "charges", "charge", "history", "requests", "events", "deliveries", "next"],
    ...["balances", "withdrawals", "withdrawal", "env"],
  ],
  Act: ["checkout", "trigger", "webhook", "fund", "scenario", "fault", "wait"],
  Time: ["clock"],
  Namespaces: ["reset", "snapshot", "export", "import", "namespace"],
};

export function groupCommands(root: Command): void {
  const heading = (name: string) => Object.keys(GROUPS).find((one) => GROUPS[one]!.includes(name));
  for (const command of root.commands) {
    const found = heading(command.name());
    if (found !== undefined) command.helpGroup(`${found}:`);
  }
  const order = Object.values(GROUPS).flat();
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  const help = new Help();
  root.configureHelp({
    // Leaves out `[options]`: every command has some, and the description needs the room.
    subcommandTerm: (shown) => help.subcommandTerm(shown).replace(" [options]", ""),
    visibleCommands: (shown) => help.visibleCommands(shown).sort((a, b) => place(a.name()) - place(b.name())),
  });
}
