import { type Command, CommanderError } from "commander";
import { packageVersion } from "../core/files/package.js";
import { addClientCommands } from "./client/commands.js";
import type { CompareFlags } from "./compare.js";
import { endWithError } from "./errors.js";
import { helpText } from "./help-text.js";
import { addConnectionOptions, addExploreOptions, addStartOptions, appendOptionValue } from "./options.js";

/** Adds every command but `start`, which loads faster without this file. `words` is the command line. */
export function addCommands(root: Command, words: readonly string[] = []): void {
  root.version(packageVersion(), "-V, --version", "print the version");

  const exec = root
    .command("exec")
    .description("run a command with a sandbox beside it; exits with the command's own code")
    .option(
      "--env <NAME=TEMPLATE>",
      "also set NAME; {base_url} {api_key} {webhook_secret} {sandbox_url} are filled in",
      appendOptionValue,
    )
    .option("--artifacts <dir>", "keep state, requests, events, deliveries, timelines and coverage there")
    .option(
      "--under <scenario,…>",
      "run it plain, then under each scenario (names, files, mishaps or all); print under which it fails",
      appendOptionValue,
    )
    .option(
      "--strict",
      "also exit 1 when a scenario never applied or the service ignored something; with --explore: when the depth is not complete",
    )
    .option(
      "--reconcile <command>",
      "afterwards, compare the app's orders that it prints (CSV or JSON lines) with the ledger",
    )
    .option("--require <list>", "also exit 1 unless all of these were met (names, separated by commas)")
    .option("--explore <flow>", "the command is an app: start it, explore this flow, then stop it")
    .optionsGroup("With --explore:")
    .option("--kill", "with --explore: also kill the app at each call and each webhook, and start it again");
  addExploreOptions(exec).optionsGroup("The sandbox, as with start:");
  addStartOptions(exec, {
    port: "port to listen on (default 0, any free one)",
    rate_limit: "requests per minute and key, or off (default off)",
    seed: "the same seed and calls give the same ids (default: a fixed one)",
    json: "with --under: print the matrix in one line of JSON; with --explore: the report",
  })
    .argument("<command...>", "the command and its arguments, after --")
    .passThroughOptions()
    .addHelpText(
      "after",
      helpText(
        [
          "payments-sandbox exec --env API_ROOT={base_url}/api -- npm test",
          "payments-sandbox exec --artifacts sandbox-artifacts -- npm test",
          "payments-sandbox exec --under webhook_chaos,lost_response -- npm test",
          "payments-sandbox exec --explore order.yaml --app localhost:3000 --webhook-url localhost:3000/webhooks -- npm start",
        ],
        [
          "Exits with the command's own code; 127 not found, 126 not executable, 128+n ended by signal n; 2 when an option is wrong or the sandbox cannot start.",
          "--under: 0 when every run passed, the plain run's code when that fails (the others are not run), 1 when a run under a scenario fails. --under mishaps: all shipped scenarios that a good app survives; --under all: also those in which a payment ends differently.",
          "--require, when the command passes: 1 when something was never met, 2 for an unknown name.",
          "--reconcile, when the command passes: 1 when the app's books and the ledger differ, 2 when they could not be compared.",
          "--explore: 0 nothing found, 1 findings, 2 could not run.",
        ],
      ),
    )
    .exitOverride(withExitCode2)
    .action((command: string[], flags: Record<string, unknown>) =>
      orExit2(async () => (await import("./exec.js")).exec(command, flags, words.slice(1))),
    );

  root
    .command("check-webhook")
    .description("send a webhook receiver good and bad events, and report what is wrong with it")
    .argument("<url>", "the receiver's address; a missing scheme means http")
    .option(
      "--secret <secret>",
      "what it verifies with (default: PAYMENTS_WEBHOOK_SECRET, or the sandbox's usual one)",
    )
    .option("--signature <preset>", "how events are signed: a preset's name, or a scheme as JSON")
    .option("--timeout <duration>", "how long it may take to respond (default 15s)")
    .option("--json", "print the report as JSON")
    .option("--junit <file>", "also write the report as JUnit XML")
    .addHelpText("after", helpText("payments-sandbox check-webhook localhost:3000/webhooks"))
    .exitOverride(withExitCode2)
    .action((url: string, flags: Record<string, string>) =>
      orExit2(async () => (await import("./check-webhook.js")).runCheckWebhook(url, flags)),
    );

  const reconcile = root
    .command("reconcile")
    .description("compare the app's payments with the ledger; exits 0 when they match, 1 when they differ")
    .option("--app-cmd <command>", "what prints the app's rows: CSV with a header, or JSON lines")
    .option("--file <file>", "or the file that has them; - is standard input")
    .option(
      "--map <field=path>",
      "where a row has a field, such as status=payment.state (repeatable)",
      appendOptionValue,
    )
    .option(
      "--status <word=meaning>",
      "a status of the app's own: paid, unpaid or refunded (repeatable)",
      appendOptionValue,
    )
    .option("--partial", "the rows are only part of the app's orders")
    .option("--since <instant>", "charges created earlier need no row")
    .option("--junit <file>", "also write the report as JUnit XML");
  addConnectionOptions(reconcile)
    .addHelpText("after", helpText("payments-sandbox reconcile --file orders.csv --status BEZAHLT=paid"))
    .exitOverride(withExitCode2)
    .action((flags: Record<string, string>) =>
      orExit2(async () => (await import("./reconcile.js")).runReconcile(flags)),
    );

  root
    .command("compare")
    .description(
      "compare the sandbox with the service; exits 0 when they are the same, 1 when they differ, 2 when it could not",
    )
    .option("--against <url|file>", "the service, or a recording of it (required)")
    .option("--key <key>", "the service's key of test mode, sk_test_…")
    .option("--write", "write the config that follows the service, and run again")
    .option("--record <file>", "keep what the service did, by shape, for --against")
    .option("--listen <url>", "where the service reaches this machine: its webhooks are compared too")
    .option("--received <file>", "or webhooks that came earlier, in JSON lines")
    .option("--payouts", "make a withdrawal too, of test money")
    .option("--burst", "compare the rate limit too, as far as 100 calls reach")
    .option("-c, --config <file>", "configuration file, as for start")
    .option("--json", "print the differences as JSON")
    .addHelpText(
      "after",
      helpText(
        [
          "payments-sandbox compare --against https://api.example.test --key sk_test_… --write",
          "payments-sandbox compare --against recordings/service.json",
        ],
        ["It makes at most 100 calls, payments of test money among them."],
      ),
    )
    .exitOverride(withExitCode2)
    .action((flags: CompareFlags) => orExit2(async () => (await import("./compare.js")).runCompare(flags)));

  root
    .command("openapi")
    .description("print the OpenAPI 3.1 document of the service, as /openapi.json serves it")
    .option("-c, --config <file>", "configuration file, as for start")
    .option("--fixtures <file>", "describe the service with these fixtures")
    .option("--public-url <url>", "the server the document names")
    .option("--control", "the document of the control API, as /_sandbox/openapi.json serves it")
    .addHelpText("after", helpText("payments-sandbox openapi > openapi.json"))
    .action(async (flags: Record<string, unknown>) => (await import("./openapi.js")).printOpenApi(flags));

  root
    .command("run")
    .description("run the steps of scenario files; exits 0 passed, 1 a step failed, 2 could not run")
    .argument("<file...>", "scenario files, or the names of flows that are shipped, such as card")
    .option(
      "--url <url>",
      "a running sandbox (default: with --app PAYMENTS_SANDBOX_URL, else a fresh one per file with a manual clock)",
    )
    .option("--namespace <name>", "with --url: the namespace to run in")
    .option("--control-token <value>", "with --url: its control API's token")
    .option("--app <url>", "the app under test, which calls that sandbox")
    .option("--var <name=value>", "a variable of the file (repeatable)", appendOptionValue)
    .option("--seed <text>", "without --url: the same seed gives the same run")
    .option("--start-time <instant>", "without --url: sandbox time at the start (default: now)")
    .option("-c, --config <file>", "without --url: configuration file, as for start")
    .option(
      "--strict",
      "also exit 1 when a rule or fault never applied, or nothing was checked; treat warnings as errors",
    )
    .option("--junit <file>", "also write the report as JUnit XML")
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      helpText(
        "payments-sandbox run flows/*.yaml --url localhost:4402 --app localhost:3000 --junit report.xml",
      ),
    )
    .exitOverride(withExitCode2)
    .action((files: string[], flags: Record<string, unknown>) =>
      orExit2(async () => (await import("./run.js")).run(files, flags)),
    );

  const explore = root
    .command("explore")
    .description("find the failures that break an app; exits 0 nothing found, 1 findings, 2 could not run")
    .argument("<flow>", "a scenario file whose steps carry one customer through the app");
  addConnectionOptions(
    addExploreOptions(explore).option("--strict", "also exit 1 when the depth is not complete"),
  )
    .addHelpText(
      "after",
      helpText("payments-sandbox explore flows/order.yaml --app localhost:3000 --save found"),
    )
    .exitOverride(withExitCode2)
    .action((flow: string, flags: Record<string, string>) =>
      orExit2(async () => (await import("./explore.js")).runExplore(flow, flags)),
    );

  root
    .command("validate")
    .description("check scenario, fixtures and config files; exits 0 when they are fine, 2 when not")
    .argument("<file...>", "the files; the kind of each follows from its content")
    .option("--var <name=value>", "a variable of a scenario (repeatable)", appendOptionValue)
    .option("--strict", "treat warnings as errors")
    .option("-c, --config <file>", "configuration file, as for start: what names there are")
    .option("--fixtures <file>", "the fixtures scenarios are written for")
    .option("--json", "print the errors as JSON")
    .addHelpText("after", helpText("payments-sandbox validate flows/*.yaml payments-sandbox.config.yaml"))
    .exitOverride(withExitCode2)
    .action((files: string[], flags: Record<string, unknown>) =>
      orExit2(async () => (await import("./validate.js")).validate(files, flags)),
    );

  root
    .command("init")
    .description("write a commented config and an example scenario, print a CI snippet; never overwrites")
    .addHelpText("after", helpText("payments-sandbox init"))
    .action(async () => (await import("./init.js")).init());

  root
    .command("demo")
    .description("one paid charge and its webhooks; then it ends")
    .option("--json", "print the charge and its webhooks as JSON")
    .addHelpText("after", helpText("payments-sandbox demo"))
    .action(async (flags: { json?: boolean }) => (await import("./demo.js")).runDemo(flags));

  root
    .command("guide")
    .description("one page for an agent or a person in a hurry: the flow, a receiver's rules, every call")
    .addHelpText("after", helpText("payments-sandbox guide > llms.txt"))
    .action(async () => (await import("./openapi.js")).printGuide());

  addClientCommands(root);
}

/** Exits with 2 when the command line is invalid; 1 means findings. */
function withExitCode2(error: CommanderError): never {
  throw new CommanderError(error.exitCode === 0 ? 0 : 2, error.code, error.message);
}

async function orExit2(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    endWithError(error, 2);
  }
}
