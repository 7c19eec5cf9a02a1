import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { CLIENT_COMMANDS } from "../../src/cli/client/commands.js";
import { temporaryFile } from "../support/folders.js";
import { type Finished, ROOT, run } from "../support/process-command.js";
import { buildProgram } from "../support/program.js";
import { REFUSING_URL } from "../support/receiver-server.js";

const { commands: COMMANDS } = buildProgram();
const NAMES = COMMANDS.map((command) => command.name());
/** Returns the exit code of a usage error. */
const usageCode = (name: string): number =>
  ["exec", "run", "explore", "validate", "check-webhook", "reconcile", "compare"].includes(name) ? 2 : 1;

/** Returns the printed error line without the program's name. */
function errorLine({ code, stdout, stderr }: Finished, expected = 1): string {
  expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
  expect(stderr).toMatch(/^payments-sandbox: [^\n]+\n$/);
  return stderr.slice("payments-sandbox: ".length, -1);
}

/** Splits each example into words with a shell. */
function splitByShell(examples: readonly string[]): string[][] {
  const source = `payments-sandbox() { printf '%s\\0' "$@" >&3; printf '\\n\\0' >&3; }
    { ${examples.join("\n")}\n} > words 2> /dev/null 3>&1; cat words`;
  const text = execFileSync("bash", ["--norc", "-ec", source], {
    cwd: temporaryFile("x", "").slice(0, -2),
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  });
  return text
    .split("\n\0")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1));
}

it("--help of every command matches its snapshot", async () => {
  const all: string[] = [];
  for (const args of [["--help"], ...NAMES.map((name) => [name, "--help"])]) {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    all.push(`$ payments-sandbox ${args.join(" ")}\n${stdout}`);
  }
  await expect(all.join("\n")).toMatchFileSnapshot("snapshots/help.txt");
});

it("--help of every command has valid examples", async () => {
  for (const name of NAMES) {
    const whole = (await run([name, "--help"])).stdout.replace(/ \\\n +/g, " ");
    const examples = /\nExamples?:\n((?: {2}\S.*\n)+)$/.exec(whole)?.[1]?.trimEnd().split("\n") ?? [];
    expect(examples.length, name).toBeGreaterThan(0);
    for (const words of splitByShell(examples)) {
      const root = buildProgram();
      let ran: string | undefined;
      for (const command of root.commands) command.action(() => void (ran = command.name()));
      await root.parseAsync(words, { from: "user" });
      expect([words[0], ran]).toEqual([name, name]);
    }
  }
});

it("help COMMAND prints the help of a command", async () => {
  const { stdout } = await run(["--help"]);
  for (const args of [["-h"], ["help"]]) expect(await run(args)).toMatchObject({ code: 0, stdout });
  expect((await run(["help", "clock"])).stdout).toBe((await run(["clock", "--help"])).stdout);
  expect(errorLine(await run(["help", "clok"]))).toContain('unknown command "clok"; did you mean clock?');
});

it.each(["--version", "-V", "-v", "version"])("%s prints the version", async (flag) => {
  const { version } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8"));
  expect(await run([flag])).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: "" });
});

it.each(NAMES)("%s refuses unknown options, missing and surplus arguments", async (name) => {
  const command = COMMANDS.find((one) => one.name() === name)!;
  const refused = async (...words: string[]) => errorLine(await run([name, ...words]), usageCode(name));
  const hint = ` (run npx payments-sandbox ${name} --help)`;
  expect(await refused("--hepl")).toBe(`unknown option '--hepl'; did you mean --help?${hint}`);
  const { registeredArguments } = command;
  const verb = registeredArguments.findIndex(({ argChoices }) => argChoices !== undefined);
  if (verb >= 0) {
    const known = registeredArguments[verb]!.argChoices!;
    expect(await refused(...Array(verb).fill("last"), `${known[0]}x`)).toBe(
      `unknown action "${known[0]}x" for ${name}; did you mean ${known[0]}? Use one of: ${known.join(", ")}`,
    );
  }
  const [first] = registeredArguments;
  const known = first?.argChoices ?? (first?.name() === "selector" ? ["an id", "last"] : []);
  const use = known.length === 0 ? "" : `; use one of: ${known.join(", ")}`;
  if (first?.required)
    expect(await refused()).toBe(`missing required argument '${first.name()}'${use}${hint}`);
  if (registeredArguments.some(({ variadic }) => variadic)) return;
  const count = registeredArguments.length;
  const all = registeredArguments.map(({ argChoices }) => argChoices?.[0] ?? "x");
  expect(await refused(...all, "x")).toBe(
    `too many arguments for '${name}': it takes ${count}, not ${count + 1}${hint}`,
  );
});

it.each([
  [["--prot", "1"], "unknown option '--prot'; did you mean --port? (run npx payments-sandbox start --help)"],
  [
    ["--verison"],
    "unknown option '--verison'; did you mean --version? (run npx payments-sandbox start --help)",
  ],
  [
    ["--vesion"],
    "unknown option '--vesion'; did you mean --version? (run npx payments-sandbox start --help)",
  ],
  [["-x"], "unknown option '-x' (run npx payments-sandbox start --help)"],
  [["--port"], "option '-p, --port <number>' needs a value (run npx payments-sandbox start --help)"],
  [["--json=3"], "unknown option '--json=3'; did you mean --json? (run npx payments-sandbox start --help)"],
  [["strat"], 'unknown command "strat"; did you mean start? (run npx payments-sandbox --help)'],
  [["frobnicate"], 'unknown command "frobnicate" (run npx payments-sandbox --help)'],
  // `reset` deletes the state, so it is never suggested.
  [["rset"], 'unknown command "rset" (run npx payments-sandbox --help)'],
  [["resett"], 'unknown command "resett" (run npx payments-sandbox --help)'],
])("refuses a mistyped command line with a hint: %j", async (args, expected) => {
  expect(errorLine(await run(args))).toBe(expected);
});

it.each([
  [["listen", "--forward-to", "localhost:3000"], "listen", "start --webhook-url URL"],
  [["resend", "evt_1"], "resend", "webhook redeliver ID"],
  [["events", "resend", "evt_1"], "events resend", "webhook redeliver ID"],
  [["logs", "tail"], "logs", "requests --follow"],
  [["help", "listen"], "listen", "start --webhook-url URL"],
])("suggests the right command for %j of another tool", async (args, word, command) => {
  expect(errorLine(await run(args))).toBe(
    `unknown command "${word}"; here it is: npx payments-sandbox ${command} (run npx payments-sandbox --help)`,
  );
});

it.each([
  [["charges", "--url", "127.0.0.1:1"], "NO_SANDBOX", "npx payments-sandbox start"],
  [["charges", "--limt"], "USAGE", "npx payments-sandbox charges --help"],
  [["chargs"], "USAGE", "npx payments-sandbox --help"],
  [["run"], "USAGE", "npx payments-sandbox run --help"],
])("%j --json prints the error as JSON with a fix", async (args, code, fix) => {
  const { stdout, stderr } = await run([...args, "--json"]);
  const { error } = JSON.parse(stdout);
  expect(error).toMatchObject({ code, fix, doc: expect.stringMatching(/^docs\/[\w-]+\.md$/) });
  expect(stderr).toBe(`payments-sandbox: ${error.message}\n`);
});

it("every client command explains how to start a sandbox", async () => {
  const url = REFUSING_URL.replace("/hooks", "");
  const cwd = temporaryFile("state.json", "{}").replace("/state.json", "");
  for (const { example } of CLIENT_COMMANDS) {
    const words = splitByShell([example])[0]!.filter((word) => word !== "--follow");
    expect(errorLine(await run(words, { cwd, env: { PAYMENTS_SANDBOX_URL: url } }))).toBe(
      `there is no sandbox at ${url}, which PAYMENTS_SANDBOX_URL names; unset it, or start one with: npx payments-sandbox start`,
    );
  }
});
