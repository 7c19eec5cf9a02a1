import { Command, CommanderError } from "commander";
import { UserError } from "../schema/user-error.js";
import { addStartOptions } from "./options.js";

/** The command line. Each command's work is loaded when it is asked for. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    await program().parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode;
      return;
    }
    if (!(error instanceof Error && isUserMistake(error))) throw error;
    for (const line of error.message.split("\n")) process.stderr.write(`payments-sandbox: ${line}\n`);
    process.exitCode = 1;
  }
}

/** What the user can mend is told in a line; anything else is a bug of ours and keeps its stack. */
function isUserMistake(error: Error): boolean {
  return error instanceof UserError || error.name === "StoreError";
}

function program(): Command {
  const root = new Command("payments-sandbox")
    .description("A local server that stands in for a payments service in test mode.")
    .showHelpAfterError("(payments-sandbox --help tells what there is)")
    .enablePositionalOptions()
    .exitOverride();

  addStartOptions(root.command("start", { isDefault: true }))
    .description("run the sandbox until it is interrupted (the default)")
    .addHelpText("after", "\nExample:\n  payments-sandbox start --webhook-url localhost:3000/webhooks")
    .action(async (flags: Record<string, unknown>) => (await import("./start.js")).start(flags));

  addStartOptions(root.command("exec"))
    .description("run a command with a sandbox beside it; exits with the command's own code")
    .option(
      "--env <NAME=TEMPLATE>",
      "also set NAME; {base_url} {api_key} {webhook_secret} {sandbox_url} are filled in",
      collect,
    )
    .argument("<command...>", "the command and its arguments, after --")
    .passThroughOptions()
    .addHelpText("after", "\nExample:\n  payments-sandbox exec --env API_ROOT={base_url}/api -- npm test")
    .action(async (command: string[], flags: Record<string, unknown>) =>
      (await import("./exec.js")).exec(command, flags),
    );

  root
    .command("openapi")
    .description("print the OpenAPI 3.1 document of the service, as /openapi.json serves it")
    .option("-c, --config <file>", "configuration file, as for start")
    .option("--fixtures <file>", "describe the service with these fixtures")
    .option("--public-url <url>", "the server the document names")
    .addHelpText("after", "\nExample:\n  payments-sandbox openapi > openapi.json")
    .action(async (flags: Record<string, unknown>) => (await import("./openapi.js")).openapi(flags));
  return root;
}

function collect(value: string, all: string[] | undefined): string[] {
  return [...(all ?? []), value];
}
