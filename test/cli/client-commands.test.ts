import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { CLIENT_COMMANDS } from "../../src/cli/client/commands.js";
import { noSandboxError, URL_SOURCES } from "../../src/cli/sandbox-url.js";
import { START } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { Command, ROOT, run } from "../support/process-command.js";
import { REFUSING_URL, Receiver, refuseWith } from "../support/receiver-server.js";
import { freePort } from "../support/servers.js";
import { commandLine, refusal, type Started, startServer } from "../support/started.js";

/**
 * Each snapshot file has lines to run on an empty sandbox, with their output: a command after `$`, or a call
 * of the app. `$ch` is the latest charge's id. `vitest -u` writes the output.
 */
const FOLDER = new URL("snapshots/client-commands/", import.meta.url);
const SECTIONS = new Map(
  readdirSync(FOLDER).map((name) => [name.replace(".txt", ""), readFileSync(new URL(name, FOLDER), "utf8")]),
);

/** Commands that run until interrupted. */
const ENDLESS = ["events --follow", "webhook pull"];

let server: Started;
let receiver: Receiver;
let cwd: string;

beforeAll(async () => {
  receiver = await Receiver.open(refuseWith(500));
  server = await startServer(["--clock", "manual", "--start-time", START, "--seed", "spring"]);
  cwd = temporaryFolder();
});

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);

/** Makes a call of the app and returns the response body. */
async function callAsApp(line: string): Promise<string> {
  const [, call, json] = /^([^{]+?)(?: (\{.*))?$/.exec(line)!;
  const body = json === undefined ? undefined : JSON.parse(json);
  if (call === "pay") return server.client.pay(body);
  if (call === "withdraw") return (await server.client.withdraw(body)).withdrawal_id;
  return (await server.client.ask(call!, body)).text;
}

/** Runs lines and returns each with its output and exit code. */
async function transcriptOf(section: string): Promise<string> {
  await server.client.reset({ keep: [], ids: "repeat" });
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  /** Replaces ids and times with text of the same width. */
  const masked = (text: string): string =>
    text
      .replace(/\b(ch|co|dlv|dst|evt|flt|wd|we)_[0-9a-f]{8,}/g, (id, kind: string) => {
        ids.set(kind, id);
        if (!names.has(id)) names.set(id, `${kind}_${String(names.size + 1).padStart(24, "0")}`);
        return names.get(id)!;
      })
      .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
      // An attempt may end before or after the command reads its outcome.
      .replace(/[●✗]( \S+ → :)\d+(\/hooks · )(queued|500 answer · next try at .*)/g, "✗$1PORT$2OUTCOME")
      .replace(/\bPSB\w{10}\b/g, "PSB0000000000")
      .replace(/"(sent_at|now)":"2026-(?!0[12])[^"]+"/g, '"$1":"…"')
      .replace(/("duration_ms":|"webhook-timestamp":"|seq +)\d+/g, "$1N")
      .replace(/^(process +)\d+, started \S+/gm, "$1PID, started …")
      .replace(/"v1,[^"]+"/g, '"v1,…"')
      // `clock` starts the clock, so the time varies.
      .replace(/2026-03-01T00[\d:.]+Z/g, "2026-03-01T00:…Z");
  const lines: string[] = [];
  for (const [, line = ""] of section.matchAll(/^\$ (.+)$/gm)) {
    lines.push(`$ ${line}`);
    const filled = line
      .replace("$RECEIVER", receiver.url)
      .replace(/\$([a-z]+)(?::(\d+))?/, (_, kind: string, length = "99") =>
        ids.get(kind)!.slice(0, Number(length)),
      );
    if (/^(pay|withdraw|GET|POST)\b/.test(filled)) {
      masked(await callAsApp(filled));
      continue;
    }
    const { code, stdout, stderr } = await run(wordsOf(filled), {
      cwd,
      env: { PAYMENTS_SANDBOX_URL: server.url },
    });
    expect(stderr).toMatch(code === 0 ? /^$/ : /^(payments-sandbox: [^\n]+\n)*$/);
    lines.push(masked(`${stdout}${stderr}${code === 0 ? "" : `[exit ${code}]\n`}`));
  }
  return `${lines.join("\n")}\n`;
}

it.each([...SECTIONS.keys()])("%s", async (name) => {
  const transcript = await transcriptOf(SECTIONS.get(name)!);
  await expect(transcript).toMatchFileSnapshot(fileURLToPath(new URL(`${name}.txt`, FOLDER)));
});

it("the snapshots contain every example and command with exit code 0", () => {
  const passed = [...SECTIONS.values()]
    .flatMap((text) => text.split(/^\$ /m))
    .filter((block) => !block.includes("\n[exit "))
    .map((block) => block.split("\n")[0]!);
  for (const { usage, example, verbs = {} } of CLIENT_COMMANDS) {
    const [name, ...parameters] = usage.split(" ");
    const place = 1 + parameters.findIndex((parameter) => /verb|what/.test(parameter));
    const tried = passed.map(wordsOf).filter((words) => words[0] === name);
    for (const verb of Object.keys(verbs))
      if (!ENDLESS.includes(`${name} ${verb}`))
        expect(
          tried.map((words) => words[place]),
          name,
        ).toContain(verb);
    const [program, ...words] = example.split(" ");
    if (program === "payments-sandbox" && !ENDLESS.includes(words.join(" ")))
      expect(passed).toContain(words.join(" "));
  }
});

const OFF = REFUSING_URL.replace("/hooks", "");
const status = async (...args: string[]) => run(["status", ...args], { env: {} });

it("--url takes precedence over PAYMENTS_SANDBOX_URL", async () => {
  const env = { PAYMENTS_SANDBOX_URL: OFF };
  for (const url of [server.url, server.url.replace("http://", "")]) {
    const { code, stdout } = await run(["status", "--json", "--url", url], { env });
    expect([code, JSON.parse(stdout).namespace]).toEqual([0, "default"]);
  }
});

it("reports an invalid or unreachable URL in one line", async () => {
  expect(refusal(await status("--url", OFF))).toBe(
    `there is no sandbox at ${OFF}; start one with: npx payments-sandbox start`,
  );
  expect(noSandboxError("http://127.0.0.1:4402", URL_SOURCES.default).message).toBe(
    "there is no sandbox at http://127.0.0.1:4402, the default: name another with --url, or start one with: npx payments-sandbox start",
  );
  expect(refusal(await status("--url", receiver.url))).toContain("did not respond like a sandbox");
  for (const url of ["http://", "foo bar", ""]) {
    const fault = `${JSON.stringify(url)} is not a URL`;
    const env = { PAYMENTS_SANDBOX_URL: url };
    expect(refusal(await run(["charges"], { env }))).toBe(`PAYMENTS_SANDBOX_URL ${fault}`);
    expect(refusal(await run(["charges", "--url", url], { env }))).toBe(`--url ${fault}`);
  }
});

it("`wait ready` polls until the sandbox responds", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const never = await run(["wait", "ready", "--url", url, "--timeout", "100ms"]);
  expect(refusal(never)).toBe(`no sandbox at ${url} within 100ms`);
  const waiting = run(["wait", "ready", "--url", url, "--timeout", "20s"]);
  const late = new Command(["start", "--json", "--port", new URL(url).port]);
  expect((await waiting).code).toBe(0);
  expect((await late.stop()).code).toBe(0);
});

it("`env --format github` appends to the file of GITHUB_ENV", async () => {
  const file = join(cwd, "github-env");
  writeFileSync(file, "BEFORE=1\n");
  const env = { PAYMENTS_SANDBOX_URL: server.url, GITHUB_ENV: file };
  expect(await run(["env", "--format", "github"], { env })).toMatchObject({ code: 0, stdout: "" });
  const { stdout } = await run(["env"], { env });
  expect(readFileSync(file, "utf8")).toBe(`BEFORE=1\n${stdout}`);
});

it("`env --format shell` prints exports that eval applies", () => {
  const bin = `"${process.execPath}" "${ROOT}/bin/payments-sandbox.js" "$@"`;
  const { example } = CLIENT_COMMANDS.find(({ usage }) => usage === "env")!;
  const source = `payments-sandbox() { ${bin}; }\n${example}\necho "$PAYMENTS_BASE_URL"`;
  const env = { PATH: process.env.PATH, PAYMENTS_SANDBOX_URL: server.url };
  expect(execFileSync("bash", ["--norc", "-ec", source], { encoding: "utf8", env })).toBe(`${server.url}\n`);
});

it("escapes control characters in text, but not in JSON", async () => {
  const { client } = server;
  const { output, runCommand, json } = commandLine(() => ({ env: { PAYMENTS_SANDBOX_URL: server.url } }));
  const evil = "\u001b]0x\u0007\u009b2J\u202e\ny";
  const charge = await client.pay();
  await client.ask(`POST /_sandbox/charges/${charge}/transition`, { to: "FAILED", reason: evil });
  await client.ask(`GET /api/v1/${encodeURIComponent(evil)}`);
  const shown = "\uFFFD]0x\uFFFD\uFFFD2J\uFFFD\uFFFDy";
  expect(await output("charge", charge)).toContain(`status              FAILED, ${shown}\n`);
  expect(await output("requests", "--limit", "1")).toContain(` /api/v1/${shown} `);
  expect((await json("charge", charge)).failure_reason).toBe(evil);
  expect((await json("requests", "--limit", "1")).items[0].path).toBe(`/api/v1/${evil}`);
  expect((await runCommand("charge", charge, "--json")).stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
});
