import { Command, CommanderError } from "commander";
import { didYouMean } from "../schema/nearest.js";
import { UserError } from "../schema/user-error.js";
import { addCommands } from "./commands.js";
import { tell, usageMistake } from "./mistakes.js";
import { addStartOptions } from "./options.js";

/** Any line of words that is not a plain start: other commands, help, and what has to be refused. */
export async function runProgram(words: readonly string[]): Promise<void> {
  const [first = "start"] = words;
  if (first === "version" || first === "-v") return runProgram(["--version"]);
  const root = program();
  try {
    if (!isStart(first)) {
      addCommands(root);
      refuseUnknown(root, first === "help" ? (words[1] ?? "help") : first);
    }
    await root.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and the version end this way too.
    if (error.exitCode !== 0) tell(usageMistake(error, isStart(first) ? "start" : first));
    process.exitCode = error.exitCode;
  }
}

/** `start`, or its options alone; asking for help or the version is asking the whole program. */
function isStart(word: string): boolean {
  return word === "start" || (word.startsWith("-") && !["--help", "-h", "--version", "-V"].includes(word));
}

function program(): Command {
  const root = new Command("payments-sandbox")
    .description("A local server that stands in for a payments service in test mode.")
    // Told in `main`, in a line.
    .configureOutput({ outputError: () => {} })
    .enablePositionalOptions()
    .exitOverride();

  addStartOptions(root.command("start", { isDefault: true }))
    .description("run the sandbox until it is interrupted (the default)")
    .addHelpText("after", "\nExample:\n  payments-sandbox start --webhook-url localhost:3000/webhooks")
    .action(async (flags: Record<string, unknown>) => (await import("./start.js")).start(flags));
  return root;
}

/** With a default command, commander would take a misspelt one for an argument of `start`. */
function refuseUnknown(root: Command, word: string): void {
  const known = [...root.commands.map((command) => command.name()), "help"];
  if (word.startsWith("-") || known.includes(word)) return;
  throw new UserError(
    `there is no command ${word}${didYouMean(word, known)} (payments-sandbox --help tells what there is)`,
  );
}
