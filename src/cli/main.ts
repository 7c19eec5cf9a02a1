import { Command, CommanderError } from "commander";
import { didYouMean } from "../schema/nearest.js";
import { UserError } from "../schema/user-error.js";
import { isUserMistake, tell, usageMistake } from "./mistakes.js";
import { addStartOptions } from "./options.js";
import { goOnUnread } from "./own-process.js";

/** The command line. Each command's work is loaded when it is asked for. */
export async function main(argv: readonly string[]): Promise<void> {
  goOnUnread();
  try {
    const root = program();
    if (argv[2] === "version" || argv[2] === "-v") return await main([...argv.slice(0, 2), "--version"]);
    // A start is what must not wait: the other commands are built only when something else was asked for.
    if (!isStart(argv[2])) {
      (await import("./commands.js")).addCommands(root);
      refuseUnknown(root, argv[2] === "help" ? (argv[3] ?? "help") : argv[2]!);
    }
    await root.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and the version end this way too.
      if (error.exitCode !== 0) tell(usageMistake(error, isStart(argv[2]) ? "start" : argv[2]!));
      process.exitCode = error.exitCode;
      return;
    }
    if (!(error instanceof Error && isUserMistake(error))) throw error;
    tell(error);
    process.exitCode = error instanceof UserError ? error.exitCode : 1;
  }
}

/** `start`, or its options alone; asking for help or the version is asking the whole program. */
function isStart(word: string | undefined): boolean {
  return (
    word === undefined ||
    word === "start" ||
    (word.startsWith("-") && !["--help", "-h", "--version", "-V"].includes(word))
  );
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
