import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command as Program } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { CLIENT_COMMANDS } from "../../src/cli/client/commands.js";
import { addCommands } from "../../src/cli/commands.js";
import { addStartOptions } from "../../src/cli/options.js";
import { temporaryFolder } from "../support/folders.js";
import { type Finished, ROOT, run } from "../support/process-command.js";
import type { Client } from "../support/receiver-client.js";
import { REFUSING_URL, Receiver } from "../support/receiver-server.js";
import { startServer } from "../support/started.js";

/** All commands, to be asked what they are; `start` has its help where it is loaded by itself. */
function program(): Program {
  const root = new Program("payments-sandbox").exitOverride().enablePositionalOptions();
  root.configureOutput({ outputError: () => {} });
  addStartOptions(root.command("start", { isDefault: true }));
  addCommands(root);
  return root;
}

const NAMES = program().commands.map((command) => command.name());
/** Commands that exit with 1 for findings (contract section 1). */
const USAGE_CODE = (name: string): number =>
  ["exec", "run", "explore", "validate", "check-webhook", "reconcile"].includes(name) ? 2 : 1;

/** The line that reports a mistake. */
function line({ code, stdout, stderr }: Finished, expected = 1): string {
  expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
  expect(stderr).toMatch(/^payments-sandbox: [^\n]+\n$/);
  return stderr.slice("payments-sandbox: ".length, -1);
}

/** A line of a shell, with a function in the place of the command. */
function shell(source: string, command: string, env: Record<string, string> = {}): string {
  return execFileSync("bash", ["--norc", "-ec", `payments-sandbox() { ${command}; }\n${source}`], {
    cwd: temporaryFolder(),
    encoding: "utf8",
    env: { PATH: process.env.PATH, ...env },
  });
}

/** Words of an example as a shell splits them. */
function wordsOf(example: string): string[] {
  return shell(`{ ${example}\n} > words 2> /dev/null 3>&1; cat words`, 'printf "%s\\0" "$@" >&3')
    .split("\0")
    .slice(0, -1);
}

/** Examples in the help of a command, a line each. */
async function examplesOf(name: string): Promise<string[]> {
  const { code, stdout, stderr } = await run([name, "--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(new RegExp(`^Usage: payments-sandbox ${name} `));
  for (const one of stdout.split("\n")) expect(one.length, one).toBeLessThanOrEqual(80);
  const whole = stdout.replace(/ \\\n +/g, " ");
  const lines = /\nExamples?:\n((?: {2}\S.*\n)+)$/.exec(whole)?.[1]?.trimEnd().split("\n") ?? [];
  expect(lines.length).toBeGreaterThan(0);
  return lines.map((one) => one.trim());
}

describe.each(NAMES)("%s", (name) => {
  it("has an example with existing options in its help", async () => {
    for (const example of await examplesOf(name)) {
      const words = wordsOf(example);
      const root = program();
      let ran: string | undefined;
      for (const command of root.commands) command.action(() => void (ran = command.name()));
      await root.parseAsync(["node", "payments-sandbox", ...words]);
      expect([words[0], ran]).toEqual([name, name]);
    }
  });

  it("suggests an option for a typo, in a line", async () => {
    expect(line(await run([name, "--hepl"]), USAGE_CODE(name))).toBe(
      `unknown option '--hepl'; did you mean --help? (run payments-sandbox ${name} --help)`,
    );
  });
});

it("exec --help shows exec's own defaults", () => {
  const help = program()
    .commands.find((command) => command.name() === "exec")!
    .helpInformation()
    .replace(/\s+/g, " ");
  expect(help).toContain("(default 0, any free one)");
  expect(help).toContain("requests per minute and key, or off (default off)");
  expect(help).toContain(
    "--json with --under: print the matrix in one line of JSON; with --explore: the report",
  );
  expect(help).not.toContain("4402");
});

describe("help", () => {
  it("of the program names every command, and the version", async () => {
    for (const args of [["--help"], ["-h"], ["help"]]) {
      const { code, stdout } = await run(args);
      expect(code).toBe(0);
      for (const name of NAMES) expect(stdout).toMatch(new RegExp(`^  ${name}[ \\n]`, "m"));
      expect(stdout).toContain("--version");
    }
  });

  it("of the program lists each command by purpose", async () => {
    const { stdout } = await run(["--help"]);
    const [, ...groups] = [...stdout.matchAll(/^(\w+):$/gm)].map(([, name]) => name);
    expect(groups).toEqual(["Run", "Check", "Look", "Act", "Time", "Namespaces", "Commands"]);
    expect(stdout).toMatch(/\nCommands:\n {2}help [^\n]*\n$/);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("of a command is printed by `help` with its name too", async () => {
    expect((await run(["help", "clock"])).stdout).toBe((await run(["clock", "--help"])).stdout);
    expect(line(await run(["help", "clok"]))).toContain('unknown command "clok"; did you mean clock?');
  });

  it("of start has the other name of an option", async () => {
    expect((await run(["start", "--help"])).stdout).toMatch(
      /--forward-to <url> +the same as --webhook-url\n/,
    );
  });

  it("lists each option's long name", () => {
    for (const command of program().commands)
      for (const { long } of command.options) expect(long).toMatch(/^--[a-z-]+$/);
  });
});

it.each(["--version", "-V", "-v", "version"])("%s prints the version", async (flag) => {
  const { version } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8"));
  expect(await run([flag])).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: "" });
});

describe("a mistake is reported in a line, with a reference", () => {
  const hint = (name: string) => ` (run payments-sandbox ${name} --help)`;

  it.each([
    [["start", "4402"], "start", "too many arguments for 'start': it takes 0, not 1"],
    [["--prot", "1"], "start", "unknown option '--prot'; did you mean --port?"],
    [["-x"], "start", "unknown option '-x'"],
    [["--port"], "start", "option '-p, --port <number>' needs a value"],
    [["--json=3"], "start", "unknown option '--json=3'; did you mean --json?"],
    [["trigger"], "trigger", "missing required argument 'type'"],
    [["clock", "advance", "1s", "2s"], "clock", "too many arguments for 'clock': it takes 2, not 3"],
    [["run"], "run", "missing required argument 'file'"],
  ])("%j", async (args, name, what) => {
    expect(line(await run(args), USAGE_CODE(name))).toBe(`${what}${hint(name)}`);
  });

  it.each([
    ["strat", 'unknown command "strat"; did you mean start?'],
    ["frobnicate", 'unknown command "frobnicate" (run payments-sandbox --help)'],
  ])("command %s", async (word, what) => {
    expect(line(await run([word]))).toContain(what);
  });

  it.each([
    [["listen", "--forward-to", "localhost:3000"], "listen", "start --webhook-url URL"],
    [["resend", "evt_1"], "resend", "webhook redeliver ID"],
    [["events", "resend", "evt_1"], "events resend", "webhook redeliver ID"],
    [["logs", "tail"], "logs", "requests --follow"],
    [["help", "listen"], "listen", "start --webhook-url URL"],
  ])("a habit of another tool, %j, is answered with the command here", async (args, word, command) => {
    expect(line(await run(args))).toContain(
      `unknown command "${word}"; here it is: payments-sandbox ${command} (run`,
    );
  });

  it.each(["rest", "rset", "resett", "reste", "preset"])(
    "reset, which loses the state, is not suggested for %s",
    async (word) => {
      expect(line(await run([word]))).not.toContain("reset?");
    },
  );

  it.each(
    program().commands.flatMap((command) =>
      command.registeredArguments.flatMap(({ argChoices, required }, index) =>
        argChoices === undefined ? [] : [[command.name(), argChoices, index, required] as const],
      ),
    ),
  )("%s suggests for the words %j", async (name, known, index) => {
    const before = Array.from({ length: index }, () => "last");
    expect(line(await run([name, ...before, `${known[0]}x`]))).toBe(
      `unknown action "${known[0]}x" for ${name}; did you mean ${known[0]}? Use one of: ${known.join(", ")}`,
    );
  });
});

describe("every command for a running sandbox", () => {
  const CLIENTS = CLIENT_COMMANDS.map(({ usage, example }) => [usage.split(" ")[0]!, example] as const);

  it.each(CLIENTS)("%s says in a line what to start when no sandbox is running", async (_name, example) => {
    const url = REFUSING_URL.replace("/hooks", "");
    const words = wordsOf(example).filter((word) => word !== "--follow");
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "state.json"), "{}");
    expect(line(await run(words, { cwd, env: { PAYMENTS_SANDBOX_URL: url } }))).toBe(
      `there is no sandbox at ${url}, which PAYMENTS_SANDBOX_URL names; unset it, or start one with: payments-sandbox start`,
    );
  });

  describe("on a server", () => {
    let url: string;
    let client: Client;
    /** Where `export` leaves what `import` takes. */
    let cwd: string;
    beforeAll(async () => {
      cwd = temporaryFolder();
      const receiver = await Receiver.open();
      ({ url, client } = await startServer(["--clock", "manual", "--webhook-url", receiver.url]));
    });

    // `--follow` does not end; test/cli/client.test.ts tests it.
    it.each(CLIENTS.filter(([name]) => name !== "events"))(
      "%s: its example does what it says",
      async (name, example) => {
        await client.reset();
        if (name === "checkout")
          await client.ask("POST /api/v1/payments/checkouts", {
            pricing: { base_currency: "NGN", amount: "10.00" },
          });
        else {
          await client.pay({ email: "ada@example.com" });
          // A transition needs an open charge; the other commands need a completed one with an event.
          if (name !== "charge") await client.advance({ by: "10s" });
          // One that the bank has begun with, so that it can fail.
          if (name === "withdrawal") {
            await client.ask("POST /_sandbox/balances", { currency: "KES", amount: "500" });
            await client.withdraw({ currency: "KES", amount: "500.00" });
            await client.advance({ by: "1s" });
          }
        }
        const env = { PAYMENTS_SANDBOX_URL: url };
        // All but one are a command and its words.
        if (example.startsWith("payments-sandbox ")) {
          const { code, stdout, stderr } = await run(wordsOf(example), { cwd, env });
          expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
          expect(stdout).toMatch(/\S/);
        } else {
          const bin = `"${process.execPath}" "${ROOT}/bin/payments-sandbox.js" "$@"`;
          expect(shell(`${example}\necho "$PAYMENTS_SANDBOX_URL"`, bin, env)).toBe(`${url}\n`);
        }
      },
    );
  });
});
