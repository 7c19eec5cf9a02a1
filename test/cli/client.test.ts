import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { noSandboxError, URL_SOURCES } from "../../src/cli/sandbox-url.js";
import { START } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { Command, type ReadyLine, run } from "../support/process-command.js";
import type { Client } from "../support/receiver-client.js";
import { REFUSING_URL, Receiver } from "../support/receiver-server.js";
import { freePort } from "../support/servers.js";
import { commandLine, expectAligned, refusal, startServer } from "../support/started.js";

let ready: ReadyLine;
let client: Client;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.open();
  const flags = ["--clock", "manual", "--start-time", START, "--webhook-url", receiver.url];
  ({ ready, client } = await startServer(flags));
});

/** Commands against the server, which they find by its variable. */
const { told, output, json, refused } = commandLine(() => ({ env: { PAYMENTS_SANDBOX_URL: ready.url } }));

describe("every command", () => {
  it("says in one line what to start when no sandbox is running", async () => {
    const url = REFUSING_URL.replace("/hooks", "");
    expect(refusal(await run(["status", "--url", url]))).toBe(
      `there is no sandbox at ${url}; start one with: payments-sandbox start`,
    );
  });

  it("says how to name another sandbox when nobody is at the default port", () => {
    expect(noSandboxError("http://127.0.0.1:4402", URL_SOURCES.default).message).toBe(
      "there is no sandbox at http://127.0.0.1:4402, the default: name another with --url, or start one with: payments-sandbox start",
    );
  });

  it("says in one line that the server is no sandbox, or the URL is invalid", async () => {
    expect(refusal(await run(["status", "--url", receiver.url]))).toContain("did not respond like a sandbox");
    expect(refusal(await run(["status", "--url", "http://"]))).toContain("is not a URL");
  });

  it("takes --url with or without a scheme, before PAYMENTS_SANDBOX_URL", async () => {
    const { code, stdout } = await run(["status", "--json", "--url", ready.url.replace("http://", "")], {
      env: { PAYMENTS_SANDBOX_URL: "http://127.0.0.1:1" },
    });
    expect([code, JSON.parse(stdout).namespace]).toEqual([0, "default"]);
  });

  it("names the invalid one of the two", async () => {
    for (const url of ["foo bar", ""]) {
      const env = { PAYMENTS_SANDBOX_URL: url };
      const fault = `${JSON.stringify(url)} is not a URL`;
      expect(refusal(await run(["charges"], { env }))).toBe(`PAYMENTS_SANDBOX_URL ${fault}`);
      expect(refusal(await run(["charges", "--url", url], { env }))).toBe(`--url ${fault}`);
    }
  });

  it("uses the named namespace; an unknown one is reported in a line", async () => {
    const made = await json("namespace", "add", "worker-1");
    expect(made).toMatchObject({ name: "worker-1", api_key: "sk_test_ns_worker-1" });
    await client.pay({ key: "sk_test_ns_worker-1", email: "worker@shop.test" });
    const mine = await json("charges", "--namespace", "worker-1");
    expect(mine.items.map((one: { customer_email: string }) => one.customer_email)).toEqual([
      "worker@shop.test",
    ]);
    expect((await json("charges", "--email", "worker@shop.test")).total).toBe(0);
    expect(await output("namespace", "list")).toMatch(/^name +api key +charges\nworker-1 /);
    expect(await refused("namespace", "add", "worker-1")).toContain("NAMESPACE_EXISTS");
    await output("namespace", "delete", "worker-1");
    expect(await refused("charges", "--namespace", "worker-1")).toBe(
      'There is no namespace "worker-1" (NOT_FOUND)',
    );
    expect(await refused("namespace", "delete")).toBe("missing argument: the namespace's name");
  });
});

describe("commands for charges", () => {
  it("status prints the server's state", async () => {
    expect(await output("status")).toMatch(/^url +http.*\nversion +\d.*\nnamespace +default\n/);
    expect((await json("status")).clock.mode).toBe("manual");
  });

  it("charges prints a table, filtered and cut; charge finds one by id, last and email", async () => {
    const ada = await client.pay({ email: "ada@cli.test" });
    const bob = await client.pay({ email: "bob-with-a-longer-name@cli.test" });
    const table = await output("charges");
    expectAligned(table);
    expect(table.split("\n")[0]).toMatch(
      /^created at +status +amount +customer email +order +payment method +charge id$/,
    );
    expect(table).toContain(ada);
    expect(await output("charges", "--limit", "1")).toMatch(/\n1 of \d+\n$/);
    expect((await json("charges", "--email", "ada@cli.test", "--status", "PENDING")).items).toMatchObject([
      { charge_id: ada },
    ]);
    expect(await output("charges", "--email", "nobody@cli.test")).toBe("none\n");
    expect((await json("charge", "last")).charge_id).toBe(bob);
    expect((await json("charge", "email:ada@cli.test")).charge_id).toBe(ada);
    expect(await output("charge", ada)).toContain(
      `charge id           ${ada}\nstatus              PENDING\n`,
    );
    expect(await refused("charge", "email:nobody@cli.test")).toBe(
      "no charge matches email:nobody@cli.test (NOT_FOUND)",
    );
    expect(await refused("charge", "lst")).toBe("no charge matches lst; did you mean last? (NOT_FOUND)");
    const { charge_id } = await json("charge", "last");
    for (const selector of [
      charge_id.slice(0, 12),
      "last-0",
      `email:${(await json("charge", "last")).customer_email}`,
    ])
      expect((await json("charge", selector)).charge_id).toBe(charge_id);
    const { items } = await json("charges");
    expect((await json("charge", "last-1")).charge_id).toBe(items[1].charge_id);
    expect(await refused("charge", "ch_")).toMatch(/^ch_ is ambiguous: ch_\w+, ch_\w+/);
    expect(await refused("withdrawal", "wd_")).toBe("no withdrawal matches wd_ (NOT_FOUND)");
    expect(await refused("charge", "ch_nobody")).toBe("no charge matches ch_nobody (NOT_FOUND)");
    expect(await refused("charges", "--status", "COMPLTED")).toMatch(/did you mean COMPLETED\?$/);
    expect(await output("next", ada)).toMatch(/ AWAITING_PAYMENT, PROCESSING, /);
    expect(await refused("charges", "--status", "paid")).toMatch(
      /^Invalid query parameters \(VALIDATION_ERROR\); status /,
    );
  });

  it("a prefix that all ids share finds the only charge", async () => {
    await output("namespace", "add", "alone");
    const id = await client.pay({ key: "sk_test_ns_alone" });
    expect((await json("charge", "ch_", "--namespace", "alone")).charge_id).toBe(id);
  });

  it.each([
    ["order=5", { order_id: "5" }],
    ["basket=5", { basket: "5" }],
  ])("%s with two charges is refused with both ids, and changes neither", async (selector, metadata) => {
    const ids = [await client.pay({ metadata }), await client.pay({ metadata })].reverse();
    expect(await refused("charge", selector, "complete")).toBe(
      `${selector} is ambiguous: ${ids.join(", ")} (VALIDATION_ERROR)`,
    );
    for (const id of ids) expect((await json("charge", id)).status).toBe("PENDING");
  });

  it.each(["order", "order_id"])("order=7 finds the charge with metadata.%s", async (key) => {
    const id = await client.pay({ metadata: { [key]: `7-${key}` } });
    expect((await json("charge", `order=7-${key}`)).charge_id).toBe(id);
  });

  it("an order with a charge under either name is refused with both", async () => {
    const one = await client.pay({ metadata: { order: "8" } });
    const other = await client.pay({ metadata: { order_id: "8" } });
    expect(await refused("charge", "order=8")).toBe(
      `order=8 is ambiguous: ${other}, ${one} (VALIDATION_ERROR)`,
    );
  });

  it("an order with many charges lists five of them", async () => {
    for (let n = 0; n < 6; n++) await client.pay({ metadata: { order_id: "6" } });
    expect(await refused("charge", "order=6")).toMatch(
      /^order=6 is ambiguous: (ch_\w+, ){4}ch_\w+ and more \(VALIDATION_ERROR\)$/,
    );
  });

  it("charge create accepts options only, and says so", async () => {
    expect(await refused("charge", "create", "100")).toBe(
      'charge create takes options, no word "100"; the price is --amount 100',
    );
    expect(await refused("charge", "create", "fial")).toBe(
      'charge create takes options, no word "fial"; the price is --amount 25.00',
    );
  });

  it.each([
    ["complete", "COMPLETED"],
    ["fail", "FAILED"],
    ["cancel", "CANCELLED"],
    ["expire", "EXPIRED"],
  ])("charge last %s makes it %s", async (verb, status) => {
    const id = await client.pay();
    expect(await json("charge", "last", verb, "--reason", "said so")).toMatchObject({
      charge_id: id,
      status,
    });
  });

  it("charge refunds a completed charge, and refuses an illegal transition", async () => {
    await client.pay();
    expect(await refused("charge", "last", "refund")).toContain("INVALID_TRANSITION");
    await output("charge", "last", "complete");
    expect((await json("charge", "last", "refund")).status).toBe("REFUNDED");
    expect(await refused("charge", "last", "refnd")).toContain("did you mean refund?");
  });

  it("checkout pays and cancels as the customer does", async () => {
    const order = () =>
      client.ask("POST /api/v1/payments/checkouts", {
        pricing: { base_currency: "NGN", amount: "10.00" },
      });
    const made = await order();
    expect(made.status).toBe(200);
    expect(await refused("checkout", "last", "pay")).toBe(
      "--method is required: one of bank_transfer, mobile_money, card, crypto; mobile money needs --phone too",
    );
    expect(await json("checkout", made.json.checkout_id, "pay", "--method", "card")).toMatchObject({
      charge_id: made.json.charge_id,
      payment_method: "card",
    });
    await order();
    expect((await json("checkout", "last", "cancel")).status).toBe("CANCELLED");
  });

  it("wait returns at once for an existing record, and times out with a line", async () => {
    const id = await client.pay({ email: "wait@cli.test" });
    const match = ["--match", "customer_email=wait@cli.test"];
    expect((await json("wait", "charge", ...match, "status=PENDING")).charge_id).toBe(id);
    const missed = await refused("wait", "charge", ...match, "status=FAILED", "--timeout", "50ms");
    expect(missed).toContain(
      `No charge matched within 50ms (WAIT_TIMEOUT); ${id} status is "PENDING", not "FAILED"`,
    );
    expect(await output("wait", "ready")).toBe(`ready  true\nurl    ${ready.url}\n`);
    expect(await json("wait", "idle")).toMatchObject({ idle: true });
  });

  it("wait ready waits for a server to start, until its timeout", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const never = await run(["wait", "ready", "--url", url, "--timeout", "100ms"]);
    expect(refusal(never)).toBe(`no sandbox at ${url} within 100ms`);
    const waiting = run(["wait", "ready", "--url", url, "--timeout", "20s"]);
    const late = new Command(["start", "--json", "--port", new URL(url).port]);
    expect((await waiting).code).toBe(0);
    expect((await late.stop()).code).toBe(0);
    expect(await refused("wait", "ready", "--timeout", "soon")).toContain("--timeout takes a duration");
  });
});

describe("other commands", () => {
  it("clock shows and moves the time", async () => {
    expect(await output("clock")).toMatch(/^mode +manual\nspeed +1\nnow +2026-/m);
    expect(await output("clock", "advance", "1h30m")).toMatch(
      /^advanced 1h30m: 2026\S+ → 2026\S+; \d+ steps? ran\n$/,
    );
    expect((await json("clock", "to", "2026-03-01T00:00:00Z")).to).toBe("2026-03-01T00:00:00.000Z");
    await client.pay();
    expect((await json("clock", "next")).fired_total).toBeGreaterThan(0);
    expect((await json("clock", "idle")).fired_total).toBeGreaterThan(0);
    expect((await json("clock", "speed", "60")).mode).toBe("60x");
    expect((await json("clock", "resume")).mode).toBe("real");
    expect((await json("clock", "freeze")).mode).toBe("manual");
    for (const [words, line] of [
      [["advance"], "needs a duration"],
      [["advance", "soon"], "takes a duration"],
      [["advance", "-5s"], "time only moves forward, not by -5s"],
      [["advance", "--", "-5s"], "time only moves forward, not by -5s"],
      [["advance", "99999999999d"], "99999999999d is too long: a duration is at most"],
      [["to", "2026-02-30T00:00:00Z"], "2026-02-30T00:00:00Z is not an existing date or time"],
      [["to", "noon"], "takes an ISO 8601 instant"],
      [["to", "2020-01-01T00:00:00Z"], "must not be earlier"],
      [["speed", "-1"], ""],
      [["speed", "fast"], "takes a number"],
      [["stop"], 'unknown action "stop" for clock'],
    ] as const) {
      const { code, stderr } = await told("clock", ...words);
      expect([code, stderr]).toEqual([1, expect.stringContaining(line)]);
    }
  });

  it("scenario, fault and snapshot work as documented", async () => {
    expect(await output("scenario", "use", "declined")).toBe("name    declined\nactive  true\n");
    const list = await output("scenario", "list");
    expect(list).toMatch(/^name +active +description\ndeclined +true +\S/);
    expect(list).toMatch(/^default +always +\S/m);
    expect(list).not.toContain("\uFFFD");
    expect(JSON.parse(await output("scenario", "show", "declined"))).toMatchObject({ name: "declined" });
    expect((await json("scenario", "drop", "declined")).active).toBe(false);
    expect(await refused("scenario", "use", "nobody")).toContain('There is no scenario "nobody"');
    expect(await refused("scenario", "use", "declind")).toContain("did you mean declined?");
    expect(await refused("events", "--follow", "--type", "charge.complete")).toContain(
      "is an unknown event type",
    );
    const rule = '{"match":{"operation":"createQuote"},"respond":{"status":503},"times":1}';
    expect((await json("fault", "add", rule)).applied).toBe(0);
    expect((await client.quote()).status).toBe(503);
    expect((await json("fault", "list")).items[0].applied).toBe(1);
    expectAligned(await output("fault", "list"));
    expect(await output("fault", "clear")).toBe("removed  1\n");
    expect(await refused("fault", "add", "{")).toBe("the rule is not valid JSON");
    await output("snapshot", "save", "here");
    const { counts } = await json("status");
    await client.pay();
    expect(await output("snapshot", "restore", "here")).toContain('restored from snapshot "here"');
    expect((await json("status")).counts.charges).toBe(counts.charges);
    expect((await json("snapshot", "list")).items).toMatchObject([{ name: "here" }]);
    await output("snapshot", "delete", "here");
    expect(await refused("snapshot", "restore", "here")).toContain('There is no snapshot "here"');
  });

  it("requests and events print filtered tables", async () => {
    await client.pay();
    await client.ask("GET /api/v1/payments/charges/ch_x");
    const table = await output("requests", "--status", "4xx", "--operation", "getCharge");
    expect(table).toMatch(
      /^at +method +path +operation +status +fault\n2026-\S+ +GET +\/api\/v1\/payments\/charges\/ch_x +getCharge +404 +-\n +NOT_FOUND: /,
    );
    expectAligned(await output("requests", "--status", "200"));
    expect((await json("requests", "--limit", "1")).items.length).toBe(1);
    await client.ask("GET /api/v1/payments/payins?lmit=1");
    expect(await output("requests", "--limit", "1")).toMatch(
      /\n +! passed over: query\.lmit: not a parameter of this call; did you mean limit\?\n/,
    );
    expect(await refused("requests", "--status", "bad")).toContain("status must be");
    await output("trigger", "charge.failed", "--charge", "last");
    const events = await output("events", "--type", "charge.failed", "--limit", "1");
    expectAligned(events);
    expect(events).toMatch(/^at +type +event id +about\n2026-\S+ +charge\.failed +evt_\w+ +ch_\w+\n/);
  });

  it("env prints an app's variables, for a file, a shell and GitHub", async () => {
    const lines = [
      `PAYMENTS_BASE_URL=${ready.url}`,
      "PAYMENTS_API_KEY=sk_test_sandbox",
      `PAYMENTS_WEBHOOK_SECRET=${ready.webhook_secret}`,
      `PAYMENTS_SANDBOX_URL=${ready.url}`,
    ];
    expect(await output("env")).toBe(`${lines.join("\n")}\n`);
    expect(await output("env", "--format", "shell")).toBe(
      `${lines.map((line) => `export ${line.replace("=", "='")}'`).join("\n")}\n`,
    );
    expect(await output("env", "--format", "github")).toBe(`${lines.join("\n")}\n`);
    expect((await json("env")).PAYMENTS_API_KEY).toBe("sk_test_sandbox");
    const file = join(temporaryFolder(), "github-env");
    writeFileSync(file, "BEFORE=1\n");
    const env = { PAYMENTS_SANDBOX_URL: ready.url, GITHUB_ENV: file };
    expect(await run(["env", "--format", "github"], { env })).toMatchObject({ code: 0, stdout: "" });
    expect(readFileSync(file, "utf8")).toBe(`BEFORE=1\n${lines.join("\n")}\n`);
    expect(await refused("env", "--format", "shel")).toContain("did you mean shell?");
  });

  it.each([
    ["/nope/x", "export /nope/x cannot be written (ENOENT)"],
    [tmpdir(), `export ${tmpdir()} cannot be written (EISDIR)`],
    ["", 'export "" cannot be written (ENOENT)'],
  ])("export says in one line that it cannot write %j", async (file, message) => {
    expect(await refused("export", file)).toBe(message);
  });

  it("import distinguishes an unreadable file from an invalid state", async () => {
    expect(await refused("import", "/nope/x")).toBe("/nope/x cannot be read (ENOENT)");
    const file = join(temporaryFolder(), "torn.json");
    writeFileSync(file, "{");
    expect(await refused("import", file)).toContain("torn.json is not an exported state: ");
  });

  it("reset restores the start, and keeps the named parts", async () => {
    await client.pay();
    await output("scenario", "use", "declined");
    expect(await output("reset", "--keep", "scenarios", "webhooks", "keys")).toBe(
      'namespace "default" reset (kept: scenarios, webhooks, keys)\n',
    );
    expect((await json("scenario", "list")).items[0]).toMatchObject({ name: "declined", active: true });
    expect((await json("reset", "--repeat-ids")).counts.charges).toBe(0);
    expect(await output("charges")).toBe("none\n");
    expect(await refused("charge", "last")).toBe("no charge matches last: there is none yet (NOT_FOUND)");
    expect(await refused("reset", "--keep", "money")).toContain("VALIDATION_ERROR");
  });
});

it("control characters of an app or a customer are replaced in text, and unchanged in JSON", async () => {
  const evil = "\u001b]0x\u0007\u009b2J\u202e\ny";
  const charge = await client.pay();
  await client.ask(`POST /_sandbox/charges/${charge}/transition`, { to: "FAILED", reason: evil });
  await client.ask(`GET /api/v1/${encodeURIComponent(evil)}`);
  const shown = "\uFFFD]0x\uFFFD\uFFFD2J\uFFFD\uFFFDy";
  expect(await output("charge", charge)).toContain(`failure reason      ${shown}\n`);
  expect(await output("requests", "--limit", "1")).toContain(` /api/v1/${shown} `);
  expect((await json("charge", charge)).failure_reason).toBe(evil);
  expect((await json("requests", "--limit", "1")).items[0].path).toBe(`/api/v1/${evil}`);
  expect((await told("charge", charge, "--json")).stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
});
