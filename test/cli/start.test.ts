import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { folderWith, temporaryFolder } from "../support/folders.js";
import { Command, isAlive, isServing, run } from "../support/process-command.js";
import { Client } from "../support/receiver-client.js";
import { Receiver } from "../support/receiver-server.js";
import { carryOut } from "../support/resident-command.js";
import { freePort, listening } from "../support/servers.js";
import { words } from "../support/words.js";

const DEFAULT_SECRET = "whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE=";

/** Records which modules a server has loaded. */
const NOTES_MODULES = `
const { writeFileSync } = require("node:fs");
const { Server } = require("node:net");
const { listen } = Server.prototype;
Server.prototype.listen = function (...options) {
  const loaded = () => [...process.moduleLoadList, ...Object.keys(require.cache)];
  this.once("listening", () => writeFileSync(process.env.MODULES_FILE, loaded().join("\\n")));
  return listen.apply(this, options);
};
`;

it("start does not load large Node modules", async () => {
  const folder = folderWith({ "notes.cjs": NOTES_MODULES });
  const file = join(folder, "modules");
  const env = { NODE_OPTIONS: `--require ${JSON.stringify(join(folder, "notes.cjs"))}`, MODULES_FILE: file };
  const command = new Command(["start", "--json", "--port", "0"], { env });
  const { url } = await command.ready();
  const loaded = readFileSync(file, "utf8").split("\n");
  expect(loaded).toContain("NativeModule http");
  const large = ["assert", "crypto", "http2", "https", "internal/deps/undici/undici", "tls", "zlib"];
  expect(large.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([]);
  const files = loaded.map((name) => basename(name));
  expect(files).toContain("cli.cjs");
  // The first call that needs the other modules loads them.
  const order = { pricing: { base_currency: "KES", amount: "500.00" }, payment_method: "card" };
  expect(await Client.at(url).ask("POST /api/v1/payments/quotes", order)).toMatchObject({ status: 200 });
  await command.stop();
});

it("start --json prints one line with url, keys and secret", async () => {
  const command = new Command(["start", "--json", "--port", "0"]);
  const ready = await command.ready();
  expect(Object.keys(ready)).toEqual(
    words`url port pid api_key live_api_key webhook_secret control_url dashboard_url seed`,
  );
  expect(ready).toMatchObject({
    url: `http://127.0.0.1:${ready.port}`,
    pid: command.pid,
    api_key: "sk_test_sandbox",
    live_api_key: "sk_live_sandbox",
    webhook_secret: DEFAULT_SECRET,
    control_url: `http://127.0.0.1:${ready.port}/_sandbox`,
    dashboard_url: `http://127.0.0.1:${ready.port}/_sandbox/dashboard`,
  });
  expect(ready.seed).toMatch(/^\w+$/);
  expect((await fetch(`${ready.url}/health`)).status).toBe(200);
  expect((await Client.at(ready.url).ask("GET /api/v1/payments/payins")).status).toBe(200);
  expect(await command.stop()).toEqual({
    code: 0,
    signal: null,
    stdout: `${JSON.stringify(ready)}\n`,
    stderr: "",
  });
});

it("start uses a free port and a new seed each time", async () => {
  const commands = [new Command(["--json", "-p", "0"]), new Command(["start", "--json", "-p0"])];
  const [one, two] = await Promise.all(commands.map((command) => command.ready()));
  expect(one!.seed).not.toBe(two!.seed);
  expect(one!.port).not.toBe(two!.port);
});

it("start uses --public-url in links", async () => {
  const command = new Command(["--json", "-p", "0", "--public-url", "https://pay.test/sandbox"]);
  const ready = await command.ready();
  expect(ready.url).toBe("https://pay.test/sandbox");
  expect(ready.control_url).toBe(`http://127.0.0.1:${ready.port}/_sandbox`);
});

it("start prints a banner with URL, keys, secret and next commands", async () => {
  const command = new Command(words`start -p 0 --seed spring --webhook-url localhost:3000/hooks`);
  await command.printed(/Ctrl-C/);
  const [, url] = await command.printed(/(http:\/\/127\.0\.0\.1:\d+)/);
  for (const text of words`sk_test_sandbox sk_live_sandbox ${DEFAULT_SECRET} spring localhost:3000/hooks`)
    expect(command.stdout).toContain(text);
  expect(command.stdout).toMatch(/Rate limit +100 requests per minute and key \(--rate-limit off for none\)/);
  expect(command.stdout).not.toMatch(/Also at|From elsewhere/);
  // There is no terminal.
  expect(command.stdout).not.toContain("\u001b");
  expect(command.stdout).toContain(`npx payments-sandbox charge create --url ${url}`);
  expect(command.stdout).toContain(`API reference   ${url}/docs\n`);
  expect(command.stdout).toContain(`Make a charge: npx payments-sandbox charge create --url ${url}\n`);
  // Activity is printed only on a terminal.
  expect((await Client.at(url!).ask("GET /api/v1/payments/payins")).status).toBe(200);
  expect(await command.stop("SIGINT")).toMatchObject({
    stderr: "",
    stdout: expect.stringMatching(/Stop with Ctrl-C\. Times are UTC\.\n\nStopped\.\n$/),
  });
});

it("the banner explains a webhook URL without a host", async () => {
  const command = new Command(words`start -p 0 --webhook-url 3000 --rate-limit off`);
  await command.printed(/Webhooks to +http:\/\/localhost:3000\/\n/);
  await command.printed(/Rate limit +off\n/);
});

it("the banner after a restart names the stored receivers and the stored clock", async () => {
  const data = join(temporaryFolder(), "kept.data");
  const first = new Command(words`start -p 0 --data ${data} --clock manual --json`);
  const { url } = await first.ready();
  const client = Client.at(url);
  await client.ask("POST /_sandbox/webhook-endpoints", { url: "http://localhost:3000/hooks" });
  await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: "tests" });
  await first.stop("SIGTERM");
  const second = new Command(words`start -p 0 --data ${data}`);
  await second.printed(/Ctrl-C/);
  expect(second.stdout).toMatch(/^ {2}Webhooks to +http:\/\/localhost:3000\/hooks, mailbox tests$/m);
  expect(second.stdout).toMatch(/^ {2}Clock +manual$/m);
});

it("start --quiet prints nothing", async () => {
  const port = await freePort();
  const command = new Command(words`start --quiet --seed quiet -p ${port}`);
  while (!(await isServing(port, "quiet")));
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  expect(await command.stop()).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
});

/** Returns the banner of a server on other addresses. */
async function bannerOf(...args: string[]): Promise<string> {
  const command = new Command(["start", "-p", "0", ...args]);
  await command.printed(/Ctrl-C/);
  return command.stdout;
}

it.each(["0.0.0.0", "0", "::"])("the banner at %s explains how to open the control API", async (host) => {
  const banner = await bannerOf("--host", host);
  expect(banner).toMatch(/Control API +closed .*--control-token generate/);
  expect(banner).not.toMatch(/Dashboard|Move time/);
  expect(banner).toMatch(/From elsewhere +rejected until --allowed-host /);
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(banner)!;
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect((await fetch(`${url}/_sandbox`)).status).toBe(403);
});

it("the printed dashboard URL and advance command work with a token", async () => {
  const banner = await bannerOf("--host", "0.0.0.0", "--control-token", "it's=a token&");
  const [, dashboard] = /Dashboard +(\S+)/.exec(banner)!;
  const shown = await fetch(dashboard!, { redirect: "manual" });
  expect([shown.status, shown.headers.get("set-cookie")]).toEqual([303, expect.any(String)]);
  const [, command] = /Move time: (.+)/.exec(banner)!;
  expect(command).toMatch(
    /^npx payments-sandbox clock advance 10s --url http:\S+ --control-token 'it'\\''s=a token&'$/,
  );
  expect(banner).not.toContain("curl");
  const [, line] = /Make a charge: npx payments-sandbox (.+)/.exec(banner)!;
  expect(line).toMatch(/^charge create --url http:\S+ --control-token 'it'\\''s=a token&'$/);
  const [, address] = /--url (\S+)/.exec(line!)!;
  const flags = words`--url ${address!} --control-token ${"it's=a token&"}`;
  const made = await run(words`charge create ${flags}`);
  const moved = await run(words`clock advance 10s ${flags}`);
  expect(moved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^advanced 10s/) });
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^charge id +ch_/) });
});

it("the printed dashboard URL and advance command work with --control-token off", async () => {
  const banner = await bannerOf("--host", "0.0.0.0", "--control-token", "off");
  const [, dashboard] = /Dashboard +(\S+)/.exec(banner)!;
  expect((await fetch(dashboard!)).status).toBe(200);
  expect(banner).not.toContain("Control token");
  expect(banner).not.toContain("Sandbox-Control-Token");
});

it("the banner lists other addresses", async () => {
  const named = await bannerOf("--host", "0.0.0.0", "--allowed-host", "payments", "--allowed-host", "::5");
  const [, port] = /URL +http:\/\/127\.0\.0\.1:(\d+)/.exec(named)!;
  expect(named).toContain(`Also at         http://payments:${port}, http://[::5]:${port}\n`);
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s stops start with exit code 0", async (signal) => {
  const receiver = await Receiver.open(() => {});
  const command = new Command(words`start --json --seed ${signal} -p 0 --webhook-url ${receiver.url}`);
  const { url, port } = await command.ready();
  // An open connection or delayed delivery must not delay the exit.
  await Client.at(url).pay({ scenario: "instant" });
  await receiver.arrived(1);
  const { code, signal: killedBy, stderr } = await command.stop(signal);
  expect({ code, killedBy, stderr }).toEqual({ code: 0, killedBy: null, stderr: "" });
  expect(await isServing(port, signal)).toBe(false);
  expect(isAlive(command.pid)).toBe(false);
  await receiver.close();
});

it("start can be stopped as soon as it is ready", async () => {
  const commands = Array.from({ length: 4 }, () => new Command(["start", "--json", "-p", "0"]));
  const ends = await Promise.all(
    commands.map(async (command) => {
      await command.ready();
      return command.stop("SIGTERM");
    }),
  );
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
});

const FOREIGN_KEY = "keys:\n  - { key: sk_test_mine, organization_id: org_nobody, permission: full }\n";
const PAID = "name: mine\ncharges:\n  - timeline:\n      - { after: 1s, to: PAID }\n";

/** Expects one line on standard error and exit code 1. */
async function refusal(args: readonly string[], options?: Parameters<typeof run>[1]): Promise<string> {
  const { code, stdout, stderr } = await carryOut(args, options);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr).toMatch(/^payments-sandbox: .+\n$/);
  return stderr.trimEnd();
}

it("start fails on a port in use", async () => {
  const port = await listening(createServer());
  expect(await refusal(["start", "--port", String(port)])).toBe(
    `payments-sandbox: port ${port} on 127.0.0.1 is in use by another program; choose another with --port, or --port 0 for any free one`,
  );
});

it("start on a port of a sandbox names its version, process and start", async () => {
  const other = new Command(words`start -p 0 --json`);
  const { port, pid } = await other.ready();
  const { version, started_at } = (await Client.at(`http://127.0.0.1:${port}`).ask("GET /health")).json;
  const at = String(started_at).slice(0, 19).replace("T", " ");
  expect(await refusal(["start", "--port", String(port)])).toBe(
    `payments-sandbox: port ${port} on 127.0.0.1 is in use by payments-sandbox ${version} (process ${pid}, started ${at} UTC); use that one, end it, or choose another with --port, or --port 0 for any free one`,
  );
});

it("start fails on an address of another machine", async () => {
  expect(await refusal(["start", "-p", "0", "--host", "192.0.2.1"])).toContain("--host");
});

// options.test.ts covers every option.
it("start names the variable that holds an invalid value", async () => {
  const line = await refusal(["start"], { env: { PAYMENTS_SANDBOX_PORT: "http" } });
  expect(line).toMatch(/^payments-sandbox: PAYMENTS_SANDBOX_PORT must be /);
});

it("start refuses an unknown scenario and suggests a known one", async () => {
  const line = await refusal(["start", "-p", "0", "--scenario", "declind"]);
  expect(line).toContain('there is no scenario "declind"; did you mean declined?');
});

it.each([
  ["--config", "port: 1\nsed: x\n", "payments.yaml:2:1 sed: unknown field; did you mean seed?"],
  ["--config", "clock:\n  fast\n", "payments.yaml:1:1 clock: must be real, manual or a speed"],
  ["--config", '{\n  "port": 1,\n  "seed": }', "payments.json:3:3 seed: must be a string"],
  ["--config", undefined, "nowhere.yaml: there is no such file"],
  [
    "--fixtures",
    FOREIGN_KEY,
    "fixtures.yaml:2:26 keys.0.organization_id: there is no organization org_nobody",
  ],
  ["--fixtures", "currencies: [{ code: NGN, rate: 1550 }]\n", "fixtures.yaml:1:27 currencies.0.rate: "],
  ["--fixtures", undefined, "nowhere.yaml: there is no such file"],
  ["--scenario", PAID, "mine.yaml:4:22 charges.0.timeline.0.to: must be one of"],
  ["--scenario", "name: mine\ncharges: [\n", "mine.yaml:3:1 "],
])("start refuses a broken file: %s %j: %s", async (flag, text, expected) => {
  const [name = ""] = expected.split(":");
  const folder = folderWith(text === undefined ? {} : { [name]: text });
  const line = await refusal(["start", "-p", "0", `${flag}=./${name}`], { cwd: folder });
  expect(line).toContain(expected);
});

it("start reports every error of a file, one per line", async () => {
  const folder = folderWith({ "payments-sandbox.config.yaml": "port: http\nclock: fast\ncolour: red\n" });
  const { code, stderr } = await run(["start"], { cwd: folder });
  expect(code).toBe(1);
  expect(stderr.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^payments-sandbox: payments-sandbox\.config\.yaml:1:1 port: must be/),
    expect.stringMatching(/^payments-sandbox: payments-sandbox\.config\.yaml:2:1 clock: must be/),
    expect.stringMatching(/^payments-sandbox: payments-sandbox\.config\.yaml:3:1 colour: unknown field/),
  ]);
});

it.each([["start"], ["exec", "--", "true"], ["openapi"]])(
  "start reports the position of every unknown name: %s",
  async (command, ...rest) => {
    const config =
      'paths:\n  createQoute: /x\nfees:\n  crad: { platform_percent: "1" }\nrates:\n  KEZ: "1"\n';
    const cwd = folderWith({ "my.yaml": config });
    const faults = (await run(["validate", "my.yaml"], { cwd })).stdout;
    expect(faults.match(/^my\.yaml:[246]:3 /gm)).toHaveLength(3);
    const { code, stdout, stderr } = await run([command!, "-c", "my.yaml", ...rest], { cwd });
    expect({ code, stdout }).toEqual({ code: command === "exec" ? 2 : 1, stdout: "" });
    expect(stderr).toBe(faults.replace(/^/gm, "payments-sandbox: ").replace(/payments-sandbox: $/, ""));
  },
);

const CONFIG = "seed: from-file\nclock: manual\nstart_time: 2026-01-01T00:00:00Z\nport: 0\njson: true\n";

it.each(["payments-sandbox.config.yaml", "payments-sandbox.config.yml", "payments-sandbox.config.json"])(
  "start reads %s in the working directory",
  async (name) => {
    const folder = folderWith({ [name]: name.endsWith("json") ? JSON.stringify(parse(CONFIG)) : CONFIG });
    const ready = await new Command([], { cwd: folder }).ready();
    expect(ready.seed).toBe("from-file");
    const { json } = await Client.at(ready.url).clock();
    expect(json).toMatchObject({ mode: "manual", now: "2026-01-01T00:00:00.000Z" });
  },
);

it("start reads the config file of a flag or a variable", async () => {
  const folder = folderWith({ "payments-sandbox.config.yaml": "seed: not-this\n", "other.yaml": CONFIG });
  mkdirSync(join(folder, "elsewhere"));
  const env = { PAYMENTS_SANDBOX_CONFIG: "../other.yaml" };
  const [byFlag, byVariable] = await Promise.all([
    new Command(["-c", "other.yaml"], { cwd: folder }).ready(),
    new Command([], { cwd: join(folder, "elsewhere"), env }).ready(),
  ]);
  expect([byFlag.seed, byVariable.seed]).toEqual(["from-file", "from-file"]);
});

it("--webhook-url adds a test webhook to those of the config", async () => {
  const [live, first, second] = [await Receiver.open(), await Receiver.open(), await Receiver.open()];
  const folder = folderWith({
    "payments-sandbox.config.yaml": `webhooks:\n  - { url: "${live.url}", mode: live, events: [charge.completed] }\n`,
  });
  const args = ["--json", "-p", "0", "--clock", "manual", "--webhook-url", first.url, "--forward-to"];
  const { url } = await new Command([...args, second.url.replace("http://", "")], { cwd: folder }).ready();
  const client = Client.at(url);
  await client.pay();
  await client.pay({ key: "sk_live_sandbox" });
  await client.advance({ by: "10s" });
  expect(live.types).toEqual(["charge.completed"]);
  expect(live.received[0]!.event.mode).toBe("live");
  expect([first.received.length, second.received.length]).toEqual([3, 3]);
  for (const receiver of [live, first, second]) await receiver.close();
});

it("a config may have fixtures and scenarios", async () => {
  const folder = folderWith({
    "fixtures.yaml": "keys:\n  - { key: sk_test_mine, organization_id: org_sandbox, permission: full }\n",
    "mine.yaml": "name: mine\ncharges:\n  - timeline:\n      - { after: 0s, to: FAILED, reason: mine }\n",
  });
  const args = ["--json", "-p", "0", "--fixtures", "fixtures.yaml", "--scenario", "./mine.yaml"];
  const { url } = await new Command(args, { cwd: folder }).ready();
  const client = Client.at(url);
  const charge = await client.pay({ key: "sk_test_mine" });
  expect((await client.charge(charge)).json).toMatchObject({ status: "FAILED", failure_reason: "mine" });
});

it("the default rate limit is 100 calls a minute", async () => {
  const [usual, ten, off] = await Promise.all(
    [[], ["--rate-limit", "10"], ["--rate-limit", "off"]].map((args) =>
      new Command(["--json", "-p", "0", "--clock", "manual", ...args]).ready(),
    ),
  );
  const policy = async (url: string) =>
    (await Client.at(url).ask("GET /api/v1/payments/payins")).headers.get("ratelimit-policy");
  expect(await policy(usual!.url)).toBe('"default";q=100;w=60');
  expect(await policy(ten!.url)).toBe('"default";q=10;w=60');
  expect(await policy(off!.url)).toBe(null);
});
