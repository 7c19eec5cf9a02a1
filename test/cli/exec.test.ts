import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { paint } from "../../src/cli/text-layout.js";
import { openSandbox } from "../support/api-client.js";
import { folderWith, temporaryFolder } from "../support/folders.js";
import { CALL_REQUIRED } from "../support/light-fetch.js";
import { Command, isAlive, isServing, ROOT, run } from "../support/process-command.js";
import { carryOut } from "../support/resident-command.js";
import { words } from "../support/words.js";

/** Arguments of exec that run `node -e SCRIPT ARGS…`. */
function script(source: string, ...args: string[]): string[] {
  const start = source.includes("call(") ? CALL_REQUIRED : "";
  return ["--", process.execPath, "-e", start + source, ...args];
}

/** Arguments of exec that run a shell, which starts faster than Node. */
const shell = (source: string): string[] => ["--", "/bin/sh", "-c", source];

it("exec sets the sandbox's URL, key and secret in the environment", async () => {
  const { code, stdout, stderr } = await run([
    "exec",
    ...script(
      'call("GET", "/api/v1/accounts/balances").then(() => console.log(JSON.stringify(process.env)))',
    ),
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const seen = JSON.parse(stdout);
  expect(seen.PAYMENTS_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(seen.PAYMENTS_SANDBOX_URL).toBe(seen.PAYMENTS_BASE_URL);
  expect(seen.PAYMENTS_API_KEY).toBe("sk_test_sandbox");
  expect(seen.PAYMENTS_WEBHOOK_SECRET).toBe("whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE=");
  expect(seen.PATH).toBe(process.env.PATH);
});

it("exec --env sets variables with filled-in values", async () => {
  const [both, plain] = ["BOTH={webhook_secret} {sandbox_url}", "PLAIN=a=b {} { base_url }"];
  const flags = words`--env API_ROOT={base_url}/api --env=KEY={api_key} --env ${both} --env ${plain} --env EMPTY=`;
  const { stdout } = await run(["exec", ...flags, ...script("console.log(JSON.stringify(process.env))")], {
    env: { KEY: "of the shell" },
  });
  const seen = JSON.parse(stdout);
  expect(seen).toMatchObject({
    API_ROOT: `${seen.PAYMENTS_BASE_URL}/api`,
    KEY: "sk_test_sandbox",
    BOTH: `${seen.PAYMENTS_WEBHOOK_SECRET} ${seen.PAYMENTS_SANDBOX_URL}`,
    PLAIN: "a=b {} { base_url }",
    EMPTY: "",
  });
});

it.each([
  ["NAME", '--env takes NAME=TEMPLATE, not "NAME"'],
  ["1NAME=x", "--env takes NAME=TEMPLATE"],
  ["=x", "--env takes NAME=TEMPLATE"],
  ["ROOT={base_uri}", "--env ROOT: there is no {base_uri}; known: {base_url}"],
  // Names of Object.prototype must not be found.
  ["X={constructor}", "--env X: there is no {constructor}; known: {base_url}"],
])("exec refuses --env %s", async (template, expected) => {
  const { code, stdout, stderr } = await carryOut(["exec", "--env", template, ...shell("echo ran")]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^payments-sandbox: .+\n$/);
  expect(stderr).toContain(expected);
});

it("two runs of exec have the same ids and no rate limit", async () => {
  const source = `
      (async () => {
        let quote;
        for (let count = 0; count < 120; count++) quote = await call("POST", "/api/v1/payments/quotes", PRICE);
        console.log(JSON.stringify(quote));
      })();
    `;
  const options = words`exec --clock manual --start-time 2026-01-01T00:00:00Z`;
  const [one, two] = await Promise.all([1, 2].map(() => run([...options, ...script(source)])));
  expect(one!.code).toBe(0);
  expect(JSON.parse(one!.stdout).quote_id).toMatch(/^qt_/);
  expect(one!.stdout).toBe(two!.stdout);
});

it("the sandbox closes when the command ends", async () => {
  const tells = script(
    "console.log(JSON.stringify({ pid: process.pid, url: process.env.PAYMENTS_BASE_URL }))",
  );
  const { stdout } = await run(words`exec --seed ${"gone with it"} ${tells}`);
  const { pid, url } = JSON.parse(stdout);
  expect(isAlive(pid)).toBe(false);
  expect(await isServing(Number(new URL(url).port), "gone with it")).toBe(false);
});

it("exec does not wait for open connections of child processes", async () => {
  const { code } = await run([
    "exec",
    ...script(`
        const net = require("node:net");
        net.connect(Number(new URL(process.env.PAYMENTS_BASE_URL).port), "127.0.0.1", () => process.exit(4));
      `),
  ]);
  expect(code).toBe(4);
});

it.each([0, 1, 42, 255])("exec exits with the command's code %i", async (expected) => {
  expect((await run(["exec", ...shell(`exit ${expected}`)])).code).toBe(expected);
});

it.each([
  [127, "a command that is not there", "no-such-command-anywhere", "command not found"],
  [127, "an empty name", "", "command not found"],
  [126, "a file that may not be run", temporaryFolder(), "cannot be run: this user has no permission"],
  [
    126,
    "a path through a file",
    `${process.execPath}/x`,
    "cannot be run: there is a file in place of a folder",
  ],
])("exec exits with %i for %s, and prints one line", async (code, _what, command, why) => {
  const stderr = `payments-sandbox: ${command || '""'}: ${why}\n`;
  expect(await run(["exec", "--", command, "--help"])).toMatchObject({ code, stdout: "", stderr });
});

it.each([
  ["SIGKILL", 137],
  ["SIGTERM", 143],
  ["SIGINT", 130],
  ["SIGABRT", 134],
])("exec exits with 128 plus the signal's number after %s", async (signal, expected) => {
  const ended = await run(["exec", ...shell(`kill -${signal.slice(3)} $$; exec sleep 1000`)]);
  expect([ended.code, ended.signal]).toEqual([expected, null]);
});

it.each([
  ["an invalid value", ["--clock", "fast", ...shell("echo ran")], "--clock must be "],
  ["an unknown option", ["--clok", "real", ...shell("echo ran")], "unknown option '--clok'; did you mean"],
  ["an option for --explore only", ["--depth", "2", ...shell("echo ran")], "--depth goes with --explore"],
  ["an unknown scenario", ["--under", "nowhere", ...shell("echo ran")], "--under: there is no "],
  ["an unknown scenario at startup", ["--scenario", "nowhere", ...shell("echo ran")], "nowhere"],
  ["a missing config file", ["-c", "nowhere.yaml", ...shell("echo ran")], "nowhere.yaml"],
  ["a missing command", [], "missing required argument 'command'"],
])("exec exits with 2 for %s, without running the command", async (_what, args, expected) => {
  const { code, stdout, stderr } = await carryOut(["exec", ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^payments-sandbox: .+\n$/);
  expect(stderr).toContain(expected);
});

it("exec exits with 2 for a port in use, without running the command", async () => {
  const { port } = await (await openSandbox()).listen();
  const { code, stdout, stderr } = await carryOut(["exec", "--port", String(port), ...shell("echo ran")]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(String(port));
});

const NO_CALL =
  "payments-sandbox: the command made no call to the payments API; does it use PAYMENTS_BASE_URL?\n";

it.each([
  ["fails", [], "exit 1", 1, NO_CALL],
  ["passes", [], "exit 0", 0, NO_CALL],
  [
    "passes with a variable of its own",
    ["--env", "API={base_url}"],
    "exit 0",
    0,
    NO_CALL.replace("?", " or API?"),
  ],
  ["passes, quietly", ["--quiet"], "exit 0", 0, ""],
  ["was killed", [], "kill -9 $$", 137, ""],
] as const)("exec says of a command that made no call: %s", async (_case, flags, source, code, stderr) => {
  expect(await run(["exec", ...flags, ...shell(source)])).toMatchObject({ code, stderr });
});

it("a refused call counts as a call", async () => {
  const { stderr } = await run(["exec", ...script('call("GET", "/api/v1/nope")')]);
  expect(stderr).not.toContain("made no call");
});

it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const)(
  "exec forwards %s to the command",
  async (signal) => {
    const source = `
      process.on("${signal}", () => { console.log("got ${signal}"); process.exit(7); });
      setInterval(() => {}, 1e6);
      console.log(JSON.stringify({ pid: process.pid, url: process.env.PAYMENTS_BASE_URL }));
    `;
    const command = new Command(words`exec --seed ${signal} ${script(source)}`);
    const { pid, url } = JSON.parse((await command.printed(/^(\{.*\})\n/))[1]!);
    const { code, stdout, stderr } = await command.stop(signal);
    expect({ code, stderr }).toEqual({ code: 7, stderr: signal === "SIGUSR2" ? NO_CALL : "" });
    expect(stdout).toContain(`got ${signal}`);
    expect(isAlive(pid)).toBe(false);
    expect(await isServing(Number(new URL(url).port), signal)).toBe(false);
  },
);

it("a forwarded SIGTERM ends a command without a handler", async () => {
  const command = new Command(["exec", ...shell("echo $$; exec sleep 1000")]);
  const pid = Number((await command.printed(/^(\d+)\n/))[1]);
  expect((await command.stop("SIGTERM")).code).toBe(143);
  expect(isAlive(pid)).toBe(false);
});

it("a command that continues after SIGTERM keeps its sandbox", async () => {
  const command = new Command([
    "exec",
    ...script(`
        process.on("SIGTERM", async () => {
          await call("GET", "/health");
          console.log("still there");
          process.exit(0);
        });
        setInterval(() => {}, 1e6);
        console.log("ready");
      `),
  ]);
  await command.printed(/ready/);
  const { code, stdout } = await command.stop("SIGTERM");
  expect([code, stdout]).toEqual([0, "ready\nstill there\n"]);
});

const PRINT_ARGUMENTS = "console.log(JSON.stringify(process.argv.slice(1)))";

it("exec passes standard input and output through byte for byte", async () => {
  const { code, stdout, stderr } = await run(
    ["exec", ...script("process.stdin.pipe(process.stdout); console.error('on the side')")],
    { input: "line one\nzeile zwei ✓\n" },
  );
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: "line one\nzeile zwei ✓\n",
    stderr: `on the side\n${NO_CALL}`,
  });
});

it("exec passes arguments after -- to the command", async () => {
  const args = [...words`--port 1 --clock fast --help --env X -c nowhere.yaml --`, "a b", ""];
  // The second -- is for Node itself.
  const { code, stdout } = await run(words`exec --seed s ${script(PRINT_ARGUMENTS, "--", ...args)}`);
  expect([code, JSON.parse(stdout)]).toEqual([0, args]);
});

it("exec passes arguments to the command even without --", async () => {
  const { stdout } = await run(words`exec ${process.execPath} -e ${PRINT_ARGUMENTS} -- --port 1`);
  expect(JSON.parse(stdout)).toEqual(["--port", "1"]);
});

it("exec prints a failed command's refused calls, with a suggested path", async () => {
  const thrice = 'Promise.allSettled([1, 2, 3].map(() => call("POST", "/payments/quotes", {})))';
  const { code, stderr } = await run(["exec", ...script(`${thrice}.then(() => process.exit(3))`)]);
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /^payments-sandbox: 3 of 3 calls were refused:\n {2}3 × POST \/payments\/quotes → 404 .*did you mean \/api\/v1\/payments\/quotes\?/,
  );
});

it("exec does not print calls that failed because of a fault", async () => {
  const often =
    'Promise.allSettled(Array.from({ length: 8 }, () => call("GET", "/api/v1/accounts/balances")))';
  const failing = script(`${often}.then(() => process.exit(3))`);
  const { stderr } = await run(words`exec --scenario flaky_api ${failing}`);
  expect(stderr).not.toContain("refused");
});

/** Runs a receiver that fails, creates charges, runs `then`, and exits with `code`. */
const shop = (emails: readonly string[], code = 1, then = "") =>
  script(`
      const server = require("node:http").createServer((request, response) => {
        let body = "";
        request.on("data", (part) => (body += part)).on("end", () => {
          response.statusCode = body.includes('"charge.completed"') ? 500 : 204;
          response.end("TypeError: order is undefined");
        });
      });
      server.listen(0, "127.0.0.1", async () => {
        const url = "http://127.0.0.1:" + server.address().port + "/webhooks";
        await call("POST", "/_sandbox/webhook-endpoints", { url });
        for (const customer_email of ${JSON.stringify(emails)}) await pay({ customer_email });
        await call("POST", "/_sandbox/clock/advance", { by: "10s" });
        ${then}
        process.exit(${code});
      });
    `);

it("exec prints a failed command's declined charges and failed webhooks", async () => {
  const { code, stderr } = await run([
    ...words`exec --clock manual`,
    ...shop(["declined@shop.test", "ada@shop.test"]),
  ]);
  expect(code).toBe(1);
  const [heading, first, ...rows] = stderr.split("\n");
  expect(heading).toBe("payments-sandbox: 2 of 2 charges are not in order:");
  expect(first).toMatch(/^ {2}✗ COMPLETED · NGN 10\.34 · ada@shop\.test · ch_\w{24}$/);
  expect(rows[0]).toMatch(/^ {4}1 webhook not accepted: :\d+\/webhooks 500 TypeError: order is undefined$/);
  const second = rows.findIndex((row) => /^ {2}✗ FAILED, declined .*declined@shop/.test(row));
  expect(rows[second - 1]).toBe("");
  expect(rows[second + 1]).toBe("    because customer_email matches declined@* (scenario default)");
  expect(rows.slice(0, second).join("\n")).toMatch(
    /\n +\+5s {2}webhook {2}charge\.completed → :\d+\/webhooks 500 TypeError: order is undefined \(2 attempts until \+10s\) · next try at\s+\+5m 10s(\n|$)/,
  );
  expect(rows.slice(second).join("\n")).toMatch(
    /\n +\+3s {2}status {3}FAILED \(declined\) because customer_email matches declined@\* \(scenario default\)\n/,
  );
});

it.each([
  ["no receiver is registered", "", true],
  ["one is", 'await call("POST", "/_sandbox/webhook-endpoints", { url: "http://127.0.0.1:1/" });', false],
])("exec says after a failed command whether webhooks had a receiver: %s", async (_case, before, isSaid) => {
  const pays = `${before} await pay({}); await call("POST", "/_sandbox/clock/advance", { by: "10s" });`;
  const { stderr } = await run([
    ...words`exec --clock manual`,
    ...script(`(async () => { ${pays} process.exit(1); })();`),
  ]);
  const said = /^payments-sandbox: no webhook was sent, since no receiver is registered; /m.test(stderr);
  expect(said).toBe(isSaid);
});

it("exec prints the reversals of a charge whose webhook failed", async () => {
  const reverse = `
        await call("POST", "/_sandbox/clock/advance", { by: "1d" });
        const { items } = await call("GET", "/_sandbox/charges");
        for (const amount of ["1.00", "2.00"])
          await call("POST", "/_sandbox/charges/" + items[0].charge_id + "/partial-refund", { amount });`;
  const command = shop(["ada@shop.test"], 1, reverse);
  const { stderr } = await run([...words`exec --clock manual`, ...command]);
  expect(stderr).toMatch(/\n {2}✗ PARTLY REFUNDED, NGN 1\.00; NGN 2\.00 \(was COMPLETED\) · NGN 10\.34 /);
});

it("exec prints the failures of a receiver once, with the number of webhooks", async () => {
  const resend = `
        const { items } = await call("GET", "/_sandbox/charges");
        for (let n = 0; n < 3; n++)
          await call("POST", "/_sandbox/events", { type: "charge.completed", charge_id: items[0].charge_id });
        await call("POST", "/_sandbox/clock/advance", { by: "10s" });`;
  const { stderr } = await run([...words`exec --clock manual`, ...shop(["ada@shop.test"], 1, resend)]);
  expect(stderr).toMatch(/\n {4}4 webhooks not accepted: :\d+\/webhooks 500 TypeError: order is undefined\n/);
  expect(stderr.match(/ webhook .* 500 /g)).toHaveLength(1);
});

it("exec prints at most three charges", async () => {
  const emails = words`stuck@a.test declined@b.test ada@c.test stuck@d.test declined@e.test`;
  const { stderr } = await run([...words`exec --clock manual`, ...shop(emails)]);
  expect(stderr).toMatch(/^payments-sandbox: 5 of 5 charges are not in order:\n/);
  const printed = stderr.match(/^ {2}✗ .*$/gm)!.map((title) => /\S+@\S+/.exec(title)![0]);
  expect(printed).toEqual(["ada@c.test", "declined@e.test", "declined@b.test"]);
  expect(stderr).toMatch(
    /\n {2}and 2 more\npayments-sandbox: all requests and histories as files: npx payments-sandbox exec --artifacts DIR\n$/,
  );
});

it("exec prints an unfinished charge in one line", async () => {
  const { stderr } = await run([...words`exec --clock manual`, ...shop(["stuck@a.test", "declined@b.test"])]);
  expect(stderr).toMatch(
    /\n\n {2}● not finished: PROCESSING · NGN 10\.34 · stuck@a\.test · ch_\w+\npayments-sandbox: all requests/,
  );
});

it.each([
  ["the command passed", [], 0],
  ["--quiet", ["--quiet"], 1],
])("exec prints no charges when %s", async (_why, flags, code) => {
  const { stderr } = await run([...words`exec --clock manual`, ...flags, ...shop(["ada@shop.test"], code)]);
  expect(stderr).toBe("");
});

const suite = script(`
    (async () => {
      const { name } = await call("POST", "/_sandbox/namespaces", { clock: "manual" });
      const inside = { headers: { "sandbox-namespace": name } };
      await call("POST", "/payments/quotes", {}, inside).catch(() => {});
      const { quote_id } = await call("POST", "/api/v1/payments/quotes", PRICE, inside);
      const customer = { customer_name: "A", customer_email: "declined@shop.test" };
      await call("POST", "/api/v1/payments/whitelabel", { ...PRICE, ...customer, quote_id }, inside);
      await call("POST", "/_sandbox/clock/advance", { by: "10s" }, inside);
      await call("POST", "/_sandbox/failed-tests", { test: "shop > sells" }, inside);
      await call("DELETE", "/_sandbox/namespaces/" + name);
      process.exit(1);
    })();
  `);

it("exec prints refused calls of a deleted namespace with the failed test", async () => {
  const { code, stderr } = await run(["exec", ...suite]);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^payments-sandbox: 1 of 3 calls was refused:\n {2}1 × POST \/payments\/quotes → 404 /,
  );
  expect(stderr).toMatch(
    /\npayments-sandbox: shop > sells failed, and made 1 charge:\n {2}✗ FAILED, declined .* · test shop > sells · ch_\w+\n/,
  );
});

/** A flow that pays a charge and expects its status an hour later. */
const flowOf = (email: string, status: string) => `name: ${status.toLowerCase()}
steps:
  - pay: { customer_email: ${email}, amount: "19.99", currency: USD, as: charge, until: AWAITING_PAYMENT }
  - advance: 2h
  - expect_charge: { charge_id: "\${charge}", status: ${status} }
`;

it("exec ends on the charges of the flow that failed, and leaves out those of flows that passed", async () => {
  const cwd = folderWith({
    "expired.yaml": flowOf("expired@shop.test", "EXPIRED"),
    "paid.yaml": flowOf("ada@shop.test", "FAILED"),
  });
  const bin = join(ROOT, "bin/payments-sandbox.js");
  const flows = ["run", "expired.yaml", "paid.yaml", "--url"];
  const source = `"${process.execPath}" "${bin}" ${flows.join(" ")} "$PAYMENTS_SANDBOX_URL"`;
  const { code, stderr } = await run(["exec", "--clock", "manual", ...shell(source)], { cwd });
  expect(code).toBe(1);
  expect(stderr).not.toContain("expired@");
  const [, end] = stderr.split("payments-sandbox: paid.yaml:5 failed, and made 1 charge:\n");
  expect(end).toMatch(/^ {2}✓ COMPLETED · USD [\d.]+ · ada@shop\.test · test paid\.yaml:5 · ch_\w+\n/);
  expect(end).toMatch(/\n {4}\+\ds {2}status {3}COMPLETED\n/);
  expect(end!.split("\n").slice(-2)).toEqual([
    "payments-sandbox: all requests and histories as files: npx payments-sandbox exec --artifacts DIR",
    "",
  ]);
});

it("exec colours refused calls, failed statuses and failed webhooks", async () => {
  const env = { FORCE_COLOR: "1" };
  const { stderr } = await run(["exec", ...suite], { env });
  expect(stderr).toContain(painted("yellow", "  1 × POST /payments/quotes → 404 "));
  expect(stderr).toContain(painted("red", "FAILED (declined)"));
  expect(stderr).toContain("\u001b[31m\u001b[1m  ✗ FAILED, declined ");
  const { stderr: failed } = await run([...words`exec --clock manual`, ...shop(["ada@shop.test"])], { env });
  expect(failed).toContain(painted("red", "charge.completed → :"));
});

/** The beginning of painted text. */
const painted = (style: "red" | "yellow", start: string) => paint(style, start, true).split("\u001b[39m")[0]!;

it("--artifacts contains calls and charges of a deleted namespace", async () => {
  const folder = temporaryFolder();
  await run(["exec", "--artifacts", folder, ...suite]);
  const json = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const test = "shop > sells";
  expect(json("requests.json")).toMatchObject({
    total: 3,
    items: [
      { operation: "createWhitelabel", test },
      { operation: "createQuote", test },
      { status: 404, test },
    ],
  });
  expect(json("events.json").items[0]).toMatchObject({ type: "charge.failed", test });
  expect(json("timelines.json")).toMatchObject({ charges: 1, not_in_order: 1, items: [{ test }] });
  expect(readFileSync(join(folder, "timelines.txt"), "utf8")).toMatch(
    /^1 charge, 1 not in order\n\nch_\w+ {2}FAILED, declined .* test shop > sells\n/,
  );
});
