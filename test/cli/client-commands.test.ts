import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { CLIENT_COMMANDS } from "../../src/cli/client/commands.js";
import { noSandboxError, URL_SOURCES } from "../../src/cli/sandbox-url.js";
import { START } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { Command, ROOT, run } from "../support/process-command.js";
import { REFUSING_URL, Receiver, refuseWith } from "../support/receiver-server.js";
import { freePort } from "../support/servers.js";
import { commandLine, refusal, type Started, startServer } from "../support/started.js";

/**
 * Sections of `snapshots/client-commands/`, each on an empty sandbox. A line is a command or, if it begins with a
 * method or with `pay` or `withdraw`, what the app does before the next. `$ch` is the latest charge's id, `$ch:6` its
 * first six characters.
 */
const SECTIONS: Readonly<Record<string, string>> = {
  sandbox: `
    status
    status --json
    env
    env --format shell
    env --format github
    env --format shel
    env --json
    pay
    reset --keep scenarios webhooks keys
    charges
    charge last
    reset --repeat-ids
    reset --keep money
    reset --repeat-ids --json`,
  charges: `
    charges
    pay {"email":"ada@example.com"}
    pay {"email":"bob-with-a-longer-name@cli.test"}
    charges
    charges --limit 1
    charges --status PENDING --email ada@example.com
    charges --email nobody@cli.test
    charges --status COMPLTED
    charges --status paid
    charges --limit many --json
    charges --json
    charge $ch
    charge $ch:12
    charge last-1
    charge email:ada@example.com
    charge ada@example.com --json
    charge ch_
    charge lst
    charge ch_nobody
    charge email:nobody@cli.test
    charge email:nobody@cli.test --json
    charge nope --json
    charge lst --json
    next $ch
    next last
    next last --limit 1 --json
    next`,
  orders: `
    pay {"metadata":{"order_id":"5"}}
    pay {"metadata":{"order_id":"5"}}
    charge order=5 complete
    pay {"metadata":{"basket":"5"}}
    pay {"metadata":{"basket":"5"}}
    charge basket=5 complete
    charges --status COMPLETED
    pay {"metadata":{"order":"7"}}
    charge order=7
    pay {"metadata":{"order_id":"8"}}
    charge order=8
    pay {"metadata":{"order":"8"}}
    charge order=8
    pay {"metadata":{"order_id":"6"}}
    pay {"metadata":{"order_id":"6"}}
    pay {"metadata":{"order_id":"6"}}
    pay {"metadata":{"order_id":"6"}}
    pay {"metadata":{"order_id":"6"}}
    pay {"metadata":{"order_id":"6"}}
    charge order=6`,
  transitions: `
    pay
    charge last refund
    charge last refnd
    charge last complete --reason 'said so' --json
    charge last refund
    pay
    charge last fail --reason insufficient_funds
    charge last
    pay
    charge last cancel
    charge last cancel
    pay
    charge last expire
    charge last story
    charges`,
  create: `
    charge create
    charge create --method mobile_money --currency KES --amount 500.00 --email bo@shop.test --set metadata.order=17 --scenario declined --json
    clock advance 10s
    history last
    history last --json
    charge create --hosted
    charge create 100
    charge create fial
    charge create --method cash
    charge create --method crad
    charge create --amount x
    charge create --scenario lost_response`,
  checkout: `
    checkout last pay
    POST /api/v1/payments/checkouts {"pricing":{"base_currency":"NGN","amount":"10.00"}}
    checkout last pay
    checkout last pay --method mobile_money
    checkout last pay --method card
    POST /api/v1/payments/checkouts {"pricing":{"base_currency":"NGN","amount":"10.00"}}
    checkout $co cancel --json
    checkout co_nobody cancel
    checkout last refund`,
  clock: `
    clock
    pay
    clock advance 30m
    clock to 2026-02-28T00:00:00Z
    pay
    clock next
    clock idle
    clock idle --json
    clock advance
    clock advance soon
    clock advance -5s
    clock advance -- -5s
    clock advance 99999999999d
    clock to
    clock to 2026-02-30T00:00:00Z
    clock to noon
    clock to 2020-01-01T00:00:00Z
    clock speed
    clock speed -1
    clock speed fast
    clock stop
    clock to 2026-03-01T00:00:00Z
    clock speed 60
    clock resume --json
    clock freeze`,
  wait: `
    pay {"email":"ada@example.com"}
    wait charge --match customer_email=ada@example.com --match status=PENDING
    wait charge --match customer_email=ada@example.com status=PENDING --json
    wait charge --match customer_email=ada@example.com status=FAILED --timeout 50ms
    charge last complete
    wait charge --match customer_email=ada@example.com --match status=COMPLETED
    wait ready
    wait ready --json
    wait ready --timeout soon
    wait idle
    wait idle --timeout 50ms --json
    wait nobody`,
  scenarios: `
    scenario use declined
    scenario list
    scenario use declind
    scenario use nobody
    scenario show declined
    scenario drop declined --json
    scenario show
    fault add '{"match":{"operation":"createQuote"},"respond":{"status":500},"times":1}'
    POST /api/v1/payments/quotes {}
    fault list
    fault list --json
    fault remove $flt
    fault remove $flt
    fault add {
    fault add '{"match":{"operation":"createQuot"}}'
    fault add
    fault clear`,
  states: `
    pay
    snapshot save before-checkout
    snapshot save before-checkout
    pay
    snapshot restore before-checkout
    snapshot restore before-checkout --json
    charges
    snapshot delete before-checkout
    snapshot restore before-checkout
    snapshot save
    snapshot list
    export state.json
    pay
    import state.json
    import state.json --json
    charges
    export nope/x
    export .
    export ''
    import nope.json`,
  namespaces: `
    namespace add worker-1
    namespace add worker-1
    pay {"key":"sk_test_ns_worker-1","email":"worker@shop.test"}
    charge ch_ --namespace worker-1
    charges
    namespace list
    namespace delete worker-1
    charges --namespace worker-1
    namespace delete
    namespace add --json`,
  money: `
    fund KES 5000.00
    fund XXX 50
    fund KES fifty
    fund KES 10 --mode live --json
    balances
    balances --json
    withdrawals
    withdrawal last
    withdrawal wd_
    withdraw {"currency":"KES","amount":"500.00"}
    withdrawals --status PENDING
    next $wd
    withdrawal last process
    withdrawal last fail --reason account_closed
    withdrawal last --json
    withdraw {"currency":"KES","amount":"500.00"}
    withdrawal $wd process --json
    withdrawal last complete
    withdraw {"currency":"KES","amount":"500.00"}
    withdrawal last cancel
    withdrawals --status FAILED
    balances`,
  webhooks: `
    webhook list
    webhook add
    webhook add ftp://example.com
    webhook add http://169.254.169.254/
    webhook add localhost:3999/hooks --mode live --secret whsec_AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMD --events charge.* withdrawal.*
    webhook add localhost:3999/hooks --events order.shipped
    webhook add localhost:3999/hooks --events order.shipped --force --json
    webhook list
    webhook delete $we
    webhook redeliver
    webhook add $RECEIVER
    pay {"scenario":"instant"}
    wait charge --match status=COMPLETED
    POST /_sandbox/wait {"for":"delivery","match":{"answered":500}}
    deliveries --failing
    deliveries --limit 1 --json
    webhook redeliver last --times 2
    webhook redeliver $dlv
    webhook redeliver $evt --json
    webhook redeliver evt_x
    webhook redeliver dl_x
    webhook redeliver last --times many
    POST /_sandbox/wait {"for":"delivery","match":{"delivery_id":"$dlv","answered":500}}
    webhook retry
    trigger charge.completed --charge last
    webhook retry last extra
    webhook delete
    webhook redelivr
    webhook frobnicate
    webhook pull
    webhook pull --forward-to http://
    webhook pull --forward-to ftp://localhost/hooks
    webhook pull --forward-to http://169.254.169.254/`,
  events: `
    events
    trigger charge.completed --charge last
    pay
    trigger charge.completed --charge last
    trigger charge.completed --charge last --set amount=1.00 a.b=true --json
    trigger webhook.test --set constructor.a=1 c=3 c.d=4 --json
    trigger charge.failed --set order.id=17 'failure_reason=no funds' --json
    trigger charge.completed --mode live
    trigger dispute.opened --force --set reason=fraud
    trigger charge.completed --charge ch_0
    trigger webhook.test --set nonsense
    trigger Nonsense!
    trigger charge.complete
    trigger charge.succeeded
    trigger charge.success
    trigger payment_intent.succeeded
    trigger payment_intent.payment_failed
    trigger payout.paid
    trigger transfer.failed
    events --type charge.completed --limit 1
    events --type *.failed --json
    events --follow --type charge.complete`,
  requests: `
    pay
    GET /api/v1/payments/charges/ch_x
    GET /api/v1/payments/payins?lmit=1
    requests --status 4xx
    requests --operation getCharge --json
    requests --status 200
    requests --limit 1
    requests --status bad
    requests --follow --operation getCharg`,
  coverage: `
    coverage
    pay
    clock advance 10s
    coverage --require charge.completed,createWhitelabel
    coverage --require COMPLETED,EXPIRED
    coverage --require charge.fialed
    coverage --require duplicates
    coverage --json
    advice
    GET /api/v1/accounts/balances
    GET /api/v1/accounts/balances
    advice
    advice --json`,
};

/** Commands that run until they are interrupted; `following.test.ts` has them. */
const ENDLESS = ["events --follow", "webhook pull"];

const snapshotFile = (section: string) => `snapshots/client-commands/${section}.txt`;

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

/** Does what the app would do. Returns the response. */
async function callAsApp(line: string): Promise<string> {
  const [, words, json = "{}"] = /^([^{]+?)(?: (\{.*))?$/.exec(line)!;
  const body = words === "GET" ? undefined : JSON.parse(json);
  if (words === "pay") return server.client.pay(body);
  if (words === "withdraw") return (await server.client.withdraw(body)).withdrawal_id;
  return (await server.client.ask(words!, words!.startsWith("GET") ? undefined : body)).text;
}

/** Runs a section's lines. Returns them with their output, exit code and standard error. */
async function transcriptOf(section: string): Promise<string> {
  await server.client.reset({ keep: [] });
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  /** Replaces what differs between runs by something as wide. */
  const masked = (text: string): string =>
    text
      .replace(/\b(ch|co|dlv|dst|evt|flt|wd|we)_[0-9a-f]{8,}/g, (id, kind: string) => {
        ids.set(kind, id);
        if (!names.has(id)) names.set(id, `${kind}_${String(names.size + 1).padStart(24, "0")}`);
        return names.get(id)!;
      })
      .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
      .replace(/\bPSB\w{10}\b/g, "PSB0000000000")
      .replace(/"(sent_at|now)":"2026-(?!0[12])[^"]+"/g, '"$1":"…"')
      .replace(/("duration_ms":|"webhook-timestamp":"|seq +)\d+/g, "$1N")
      .replace(/"v1,[^"]+"/g, '"v1,…"')
      // The clock runs at the end of `clock`.
      .replace(/2026-03-01T00[\d:.]+Z/g, "2026-03-01T00:…Z");
  const lines: string[] = [];
  for (const line of section.trim().split(/\n */)) {
    lines.push(`$ ${line}`);
    const filled = line
      .replace("$RECEIVER", receiver.url)
      .replace(/\$(\w+)(?::(\d+))?/, (_, kind: string, length = "99") =>
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
    expect(stderr).toMatch(code === 0 ? /^$/ : /^(payments-sandbox: [^\n]+\n)+$/);
    lines.push(masked(`${stdout}${stderr}${code === 0 ? "" : `[exit ${code}]\n`}`));
  }
  return `${lines.join("\n")}\n`;
}

describe("the output of client commands matches its snapshot", () => {
  it.each(Object.keys(SECTIONS))("%s", async (name) => {
    await expect(await transcriptOf(SECTIONS[name]!)).toMatchFileSnapshot(snapshotFile(name));
  });

  it("and has each example and each verb with exit code 0", () => {
    const texts = Object.keys(SECTIONS).map((name) =>
      readFileSync(new URL(snapshotFile(name), import.meta.url), "utf8"),
    );
    const passed = texts
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
});

describe("the sandbox of a client command", () => {
  const OFF = REFUSING_URL.replace("/hooks", "");
  const status = async (...args: string[]) => run(["status", ...args], { env: {} });

  it("is that of --url, with or without a scheme, before PAYMENTS_SANDBOX_URL", async () => {
    const env = { PAYMENTS_SANDBOX_URL: OFF };
    for (const url of [server.url, server.url.replace("http://", "")]) {
      const { code, stdout } = await run(["status", "--json", "--url", url], { env });
      expect([code, JSON.parse(stdout).namespace]).toEqual([0, "default"]);
    }
  });

  it("is reported in one line when it is none, or its URL is invalid", async () => {
    expect(refusal(await status("--url", OFF))).toBe(
      `there is no sandbox at ${OFF}; start one with: payments-sandbox start`,
    );
    expect(noSandboxError("http://127.0.0.1:4402", URL_SOURCES.default).message).toBe(
      "there is no sandbox at http://127.0.0.1:4402, the default: name another with --url, or start one with: payments-sandbox start",
    );
    expect(refusal(await status("--url", receiver.url))).toContain("did not respond like a sandbox");
    for (const url of ["http://", "foo bar", ""]) {
      const fault = `${JSON.stringify(url)} is not a URL`;
      const env = { PAYMENTS_SANDBOX_URL: url };
      expect(refusal(await run(["charges"], { env }))).toBe(`PAYMENTS_SANDBOX_URL ${fault}`);
      expect(refusal(await run(["charges", "--url", url], { env }))).toBe(`--url ${fault}`);
    }
  });

  it("is waited for by wait ready, until its timeout", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const never = await run(["wait", "ready", "--url", url, "--timeout", "100ms"]);
    expect(refusal(never)).toBe(`no sandbox at ${url} within 100ms`);
    const waiting = run(["wait", "ready", "--url", url, "--timeout", "20s"]);
    const late = new Command(["start", "--json", "--port", new URL(url).port]);
    expect((await waiting).code).toBe(0);
    expect((await late.stop()).code).toBe(0);
  });
});

it("env --format github appends to the file of GITHUB_ENV", async () => {
  const file = join(cwd, "github-env");
  writeFileSync(file, "BEFORE=1\n");
  const env = { PAYMENTS_SANDBOX_URL: server.url, GITHUB_ENV: file };
  expect(await run(["env", "--format", "github"], { env })).toMatchObject({ code: 0, stdout: "" });
  const { stdout } = await run(["env"], { env });
  expect(readFileSync(file, "utf8")).toBe(`BEFORE=1\n${stdout}`);
});

it("eval of env --format shell sets the app's variables", () => {
  const bin = `"${process.execPath}" "${ROOT}/bin/payments-sandbox.js" "$@"`;
  const { example } = CLIENT_COMMANDS.find(({ usage }) => usage === "env")!;
  const source = `payments-sandbox() { ${bin}; }\n${example}\necho "$PAYMENTS_BASE_URL"`;
  const env = { PATH: process.env.PATH, PAYMENTS_SANDBOX_URL: server.url };
  expect(execFileSync("bash", ["--norc", "-ec", source], { encoding: "utf8", env })).toBe(`${server.url}\n`);
});

it("control characters of an app or a customer are replaced in text, and unchanged in JSON", async () => {
  const { client } = server;
  const { output, runCommand, json } = commandLine(() => ({ env: { PAYMENTS_SANDBOX_URL: server.url } }));
  const evil = "\u001b]0x\u0007\u009b2J\u202e\ny";
  const charge = await client.pay();
  await client.ask(`POST /_sandbox/charges/${charge}/transition`, { to: "FAILED", reason: evil });
  await client.ask(`GET /api/v1/${encodeURIComponent(evil)}`);
  const shown = "\uFFFD]0x\uFFFD\uFFFD2J\uFFFD\uFFFDy";
  expect(await output("charge", charge)).toContain(`failure reason      ${shown}\n`);
  expect(await output("requests", "--limit", "1")).toContain(` /api/v1/${shown} `);
  expect((await json("charge", charge)).failure_reason).toBe(evil);
  expect((await json("requests", "--limit", "1")).items[0].path).toBe(`/api/v1/${evil}`);
  expect((await runCommand("charge", charge, "--json")).stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
});
