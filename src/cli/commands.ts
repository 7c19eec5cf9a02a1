import { type Command, CommanderError } from "commander";
import { addClientCommands } from "./client/commands.js";
import { isUserMistake, tell } from "./mistakes.js";
import { addStartOptions } from "./options.js";

/** Every command but `start`, which is loaded without the others. */
export function addCommands(root: Command): void {
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
    .command("check-webhook")
    .description("send a webhook receiver good and bad events, and tell what is wrong with it")
    .argument("<url>", "the receiver's address; a missing scheme means http")
    .option("--secret <secret>", "what it verifies with (default: PAYMENTS_WEBHOOK_SECRET, or the sandbox's)")
    .option("--signature <preset>", "how events are signed: a preset's name, or a scheme as JSON")
    .option("--timeout <duration>", "how long it may take to answer (default 15s)")
    .option("--json", "print the report as JSON")
    .option("--junit <file>", "also write the report as JUnit XML")
    .addHelpText("after", "\nExample:\n  payments-sandbox check-webhook localhost:3000/webhooks")
    .action(async (url: string, flags: Record<string, string>) =>
      (await import("./check-webhook.js")).checkWebhookCommand(url, flags),
    );

  root
    .command("openapi")
    .description("print the OpenAPI 3.1 document of the service, as /openapi.json serves it")
    .option("-c, --config <file>", "configuration file, as for start")
    .option("--fixtures <file>", "describe the service with these fixtures")
    .option("--public-url <url>", "the server the document names")
    .addHelpText("after", "\nExample:\n  payments-sandbox openapi > openapi.json")
    .action(async (flags: Record<string, unknown>) => (await import("./openapi.js")).openapi(flags));

  root
    .command("run")
    .description("carry out scenario files that have steps; exits 0 passed, 1 a step failed, 2 could not run")
    .argument("<file...>", "scenario files")
    .option("--url <url>", "a running sandbox (default: a fresh one for each file, its clock standing)")
    .option("--namespace <name>", "with --url: the namespace to run in")
    .option("--control-token <value>", "with --url: what its control API asks for")
    .option("--app <url>", "the app under test, for app steps")
    .option("--var <name=value>", "a variable of the file (repeatable)", collect)
    .option("--seed <text>", "without --url: the same seed gives the same run")
    .option("-c, --config <file>", "without --url: configuration file, as for start")
    .option("--junit <file>", "also write the report as JUnit XML")
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      "\nExample:\n  payments-sandbox run flows/*.yaml --url localhost:4402 --app localhost:3000 --junit report.xml",
    )
    .exitOverride(asCouldNotRun)
    .action((files: string[], flags: Record<string, unknown>) =>
      orExit2(async () => (await import("./run.js")).run(files, flags)),
    );

  root
    .command("validate")
    .description("check scenario, fixtures and config files; exits 0 when they are fine, 2 when not")
    .argument("<file...>", "the files; what each is, its content tells")
    .option("--var <name=value>", "a variable of a scenario (repeatable)", collect)
    .option("--json", "print the faults as JSON")
    .addHelpText("after", "\nExample:\n  payments-sandbox validate flows/*.yaml payments-sandbox.config.yaml")
    .exitOverride(asCouldNotRun)
    .action((files: string[], flags: Record<string, unknown>) =>
      orExit2(async () => (await import("./validate.js")).validate(files, flags)),
    );

  addClientCommands(root);
}

/** `run` and `validate` keep 1 for what they find; that they cannot be carried out is 2. */
function asCouldNotRun(error: CommanderError): never {
  throw new CommanderError(error.exitCode === 0 ? 0 : 2, error.code, error.message);
}

async function orExit2(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error && isUserMistake(error))) throw error;
    tell(error);
    process.exitCode = 2;
  }
}

function collect(value: string, all: string[] | undefined): string[] {
  return [...(all ?? []), value];
}
