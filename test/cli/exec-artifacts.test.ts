import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { summaryText } from "../../src/cli/exec/summary.js";
import type { Story } from "../../src/client/collect.js";
import { MASKED_SECRET, Mask } from "../../src/client/mask.js";
import { createSandbox } from "../../src/index.js";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/schema/options.js";
import { secretFault } from "../../src/schema/webhooks.js";
import { temporaryFolder } from "../support/folders.js";
import { Command, type CommandOptions, run } from "../support/process-command.js";

/** Sells twice, once to somebody whose card is declined; then does what the test wants. */
const shop = (end: string) => `
  const { PAYMENTS_BASE_URL: base, PAYMENTS_API_KEY: key } = process.env;
  const call = async (method, path, body, headers) => (await fetch(base + path, { method, body: body && JSON.stringify(body),
    headers: { authorization: "Bearer " + key, "content-type": "application/json", ...headers } })).json();
  (async () => {
    for (const sandbox_scenario of ["declined", "success"]) {
      const common = { pricing: { base_currency: "NGN", amount: "10.00" }, payment_method: "card" };
      const { quote_id } = await call("POST", "/api/v1/payments/quotes", common);
      await call("POST", "/api/v1/payments/whitelabel", { ...common, quote_id, customer_email: "a@shop.test",
        customer_name: "A", metadata: { sandbox_scenario, note: "<b>\`\`\`</details>" } });
    }
    await call("POST", "/_sandbox/clock/advance", { by: "10s" });
    ${end}
  })();
`;

function shopping(end: string, flags: readonly string[], options?: CommandOptions) {
  return run(["exec", "--clock", "manual", ...flags, "--", process.execPath, "-e", shop(end)], options);
}

const json = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));
const FILES = ["advice", "coverage", "deliveries", "events", "requests", "state", "timelines"].map(
  (name) => `${name}.json`,
);

describe("--artifacts", () => {
  it("keeps what there is to know of a run that fails, in a folder it makes", async () => {
    const folder = join(temporaryFolder(), "deep", "down");
    const flags = [
      "--artifacts",
      folder,
      "--seed",
      "s1",
      "--control-token",
      "a-token-nobody-knows",
      "--env",
      "X={api_key}",
    ];
    const { code, stderr } = await shopping("process.exit(3)", flags);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^payments-sandbox: what happened in the sandbox\n {2}in the sandbox: 4 calls, 1 charge, 1 not in order\n {2}ch_\w+ {2}FAILED /,
    );
    expect(stderr).not.toContain("COMPLETED");
    expect(readdirSync(folder).sort()).toEqual([...FILES, "exec.json", "timelines.txt"].sort());

    const exec = json(folder, "exec.json");
    expect(exec).toMatchObject({
      exit_code: 3,
      seed: "s1",
      version: "0.1.0",
      namespaces: ["default"],
      env: ["X"],
      options: { clock: "manual", seed: "s1" },
    });
    expect(exec.command[0]).toBe(process.execPath);
    expect(JSON.stringify(exec)).not.toContain("a-token-nobody-knows");

    expect(json(folder, "requests.json")).toMatchObject({
      total: 4,
      items: [{ operation: "createWhitelabel", status: 200, api_key: "sk_test_…dbox" }, {}, {}, {}],
    });
    expect(json(folder, "events.json").items.map((event: { type: string }) => event.type)).toContain(
      "charge.failed",
    );
    expect(json(folder, "coverage.json").operations.met).toEqual({ createQuote: 2, createWhitelabel: 2 });
    expect(json(folder, "timelines.json")).toMatchObject({
      charges: 2,
      not_in_order: 1,
      items: [
        { is_in_order: false, charge: { status: "FAILED" } },
        { is_in_order: true, charge: { status: "COMPLETED" } },
      ],
    });
    const text = readFileSync(join(folder, "timelines.txt"), "utf8");
    expect(text).toMatch(
      /^2 charges, 1 not in order\n\nch_\w+ {2}FAILED {2}declined {2}10\.34 NGN {2}card {2}a@shop\.test {2}scenario declined\n/,
    );
    expect(text).toMatch(
      /\n {2}\+5\.000s {2}transition {2}FAILED \(declined\)\n {2}\+5\.000s {2}event {7}charge\.failed evt_/,
    );
    expect(text).toMatch(/ledger {6}settlement NGN: pending -10\.00, available 10\.00\n/);
  });

  it("keeps a state that can be put in place elsewhere, without the keys in it", async () => {
    const folder = temporaryFolder();
    const end = `
      const { destination_id } = await call("POST", "/api/v1/payouts/destinations", { type: "bank_account", currency: "NGN",
        bank_code: "999", account_number: "0123456789", account_name: "Ada" });
      const made = await call("POST", "/api/v1/payouts/withdrawals", { destination_id, amount: "1.00", currency: "NGN" },
        { "idempotency-key": "once" });
      console.log(JSON.stringify(made));
    `;
    const fixtures = join(temporaryFolder(), "fixtures.yaml");
    writeFileSync(fixtures, 'currencies: [{ code: NGN, minimum_withdrawal: "1" }]\n');
    const { code, stdout } = await shopping(end, ["--artifacts", folder, "--fixtures", fixtures]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('"status":"PENDING"')]);
    const text = readFileSync(join(folder, "state.json"), "utf8");
    expect(text).not.toContain("sk_test_sandbox");
    expect(text).toContain("sk_test_…dbox|createWithdrawal|once");
    await using sandbox = await createSandbox({ clock: "manual" });
    const put = await sandbox.fetch(
      new Request("http://sandbox/_sandbox/state", {
        method: "PUT",
        body: text,
        headers: { "content-type": "application/json" },
      }),
    );
    expect(put.status).toBe(200);
    expect((await put.json()).counts.charges).toBe(2);
  });

  it("masks what lets somebody sign, call or come in, in every file, and lets nobody else read them", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "requests.json"), "of an earlier run", { mode: 0o644 });
    const end = `
      const url = "http://ada:pass-word-1@localhost:9/hooks?token=query-token-1&x=1";
      const made = await call("POST", "/api/v1/webhooks", { url });
      const rotated = await call("POST", "/api/v1/webhooks/" + made.webhook_id + "/rotate-secret");
      const gone = await call("POST", "/api/v1/webhooks", { url: "http://localhost:9/gone" });
      await call("DELETE", "/api/v1/webhooks/" + gone.webhook_id);
      await call("POST", "/_sandbox/webhook-endpoints", { mailbox: "hash", signature: "flutterwave", secret: "the-secret-hash" });
      await call("GET", "/api/v1/payments/payins?api_key=query-key-1&limit=5");
      await call("POST", "/_sandbox/events", { type: "webhook.test" });
      await call("POST", "/_sandbox/mailboxes/hash/take", {});
      console.log(JSON.stringify([made.secret, rotated.secret, gone.secret]));
    `;
    const flags = ["--artifacts", folder, "--webhook-secret", "whsec_T25lIHRoYXQgaXMgbm90IHRoZSBkZWZhdWx0"];
    const { stdout, stderr } = await shopping(end, [
      ...flags,
      "--webhook-url",
      "http://u:given-pass@localhost:9/",
    ]);
    const issued = JSON.parse(stdout) as string[];
    expect([issued.length, stderr.replace(/^payments-sandbox: advice: .*\n/gm, "")]).toEqual([3, ""]);
    const secrets = [
      ...issued,
      "whsec_T25lIHRoYXQgaXMgbm90IHRoZSBkZWZhdWx0",
      "pass-word-1",
      "given-pass",
      "query-token-1",
      "query-key-1",
      "the-secret-hash",
    ];
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      const text = readFileSync(file, "utf8");
      // The command is what the test itself is.
      const kept = name === "exec.json" ? JSON.stringify({ ...JSON.parse(text), command: [] }) : text;
      expect([name, secrets.filter((secret) => kept.includes(secret))]).toEqual([name, []]);
      expect([name, (statSync(file).mode & 0o777).toString(8)]).toEqual([name, "600"]);
    }
    expect(json(folder, "requests.json").items[0]).toMatchObject({
      path: "/api/v1/payments/payins",
      query: { api_key: "masked", limit: "5" },
    });
    await using sandbox = await createSandbox({ clock: "manual" });
    const put = await sandbox.fetch("/_sandbox/state", {
      method: "PUT",
      body: readFileSync(join(folder, "state.json")),
      headers: { "content-type": "application/json" },
    });
    expect([put.status, await put.text()]).toEqual([200, expect.any(String)]);
  });

  it("has a folder for each namespace when there are several, and whole lists", async () => {
    const folder = temporaryFolder();
    const end = `
      await call("PUT", "/_sandbox/namespaces/worker-1", {});
      for (let count = 0; count < 250; count++)
        await call("GET", "/api/v1/accounts/balances", undefined, { "sandbox-namespace": "worker-1" });
    `;
    expect((await shopping(end, ["--artifacts", folder])).code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(["default", "exec.json", "worker-1"]);
    const { total, items } = json(folder, "worker-1", "requests.json");
    expect([total, new Set(items.map((item: { request_id: number }) => item.request_id)).size]).toEqual([
      250, 250,
    ]);
    expect(json(folder, "default", "timelines.json").charges).toBe(2);
    expect(json(folder, "worker-1", "timelines.json").charges).toBe(0);
  });

  it("keeps the tests that failed in each run, over a reset, and the run that failed tells their stories", async () => {
    const folder = temporaryFolder();
    const end = `
      if (process.env.PAYMENTS_SANDBOX_UNDER === "") return;
      await call("POST", "/_sandbox/failed-tests", { test: "shop > an order/../is paid" });
      await call("POST", "/_sandbox/reset");
      process.exit(1);
    `;
    const { code, stderr } = await shopping(end, ["--artifacts", folder, "--under", "declined"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /what happened in the sandbox\n {2}shop > an order\/\.\.\/is paid\n {2}in the sandbox: 4 calls/,
    );
    expect(stderr).toMatch(/\n {2}… \d+ more lines; it is all among the artifacts\n/);
    expect(existsSync(join(folder, "plain", "failed-tests"))).toBe(false);
    const [failed] = json(folder, "under-declined", "exec.json").failed_tests;
    expect(failed.folder).toBe(join("failed-tests", "001-shop-an-order-is-paid"));
    expect(json(folder, "under-declined", failed.folder, "timelines.json").charges).toBe(2);
    expect(json(folder, "under-declined", "timelines.json").charges).toBe(0);
  });

  it("is written when a signal ends the command, and when it is not there", async () => {
    const folder = temporaryFolder();
    const source = shop(`console.log("ready"); setInterval(() => {}, 1e6);`);
    const command = new Command([
      "exec",
      "--clock",
      "manual",
      "--artifacts",
      folder,
      "--",
      process.execPath,
      "-e",
      source,
    ]);
    await command.printed(/ready/);
    expect((await command.stop("SIGTERM")).code).toBe(143);
    expect([json(folder, "exec.json").exit_code, json(folder, "timelines.json").charges]).toEqual([143, 2]);

    expect((await run(["exec", "--artifacts", folder, "--", "no-such-command"])).code).toBe(127);
    expect(json(folder, "exec.json").exit_code).toBe(127);
  });

  it("that cannot be written is found out before the command runs", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    for (const [folder, code] of [
      [file, "EEXIST"],
      [join(file, "x"), "ENOTDIR"],
      // Where Node would try for ever.
      ...(process.platform === "linux" ? ([["/proc/x", "ENOENT"]] as const) : []),
    ] as const) {
      const ended = await run([
        "exec",
        "--artifacts",
        folder,
        "--",
        process.execPath,
        "-e",
        "console.log('ran')",
      ]);
      expect(ended).toMatchObject({
        code: 2,
        stdout: "",
        stderr: `payments-sandbox: --artifacts: ${folder} cannot be written (${code})\n`,
      });
    }
  });
});

describe("the step's summary on GitHub", () => {
  it("gets the timelines of what is not in order when the command fails, after what is there", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "summary.md");
    writeFileSync(file, "before\n");
    const env = { GITHUB_STEP_SUMMARY: file };
    await shopping("process.exit(3)", ["--artifacts", join(folder, "a")], { env });
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(/^before\n\n### (`+).*\1 failed \(exit code 3\)\n/s);
    expect(text).toMatch(
      /<details><summary>ch_\w+ {2}FAILED {2}declined .*<\/summary>\n\n```text\n {2}\+0\.000s/,
    );
    expect(text).not.toContain("COMPLETED");
    expect(text.match(/<details>/g)).toHaveLength(1);
  });

  it("gets nothing when it passes, and nothing without --artifacts", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "summary.md");
    const env = { GITHUB_STEP_SUMMARY: file };
    await shopping("", ["--artifacts", join(folder, "a")], { env });
    await shopping("process.exit(3)", [], { env });
    expect(existsSync(file)).toBe(false);
  });

  it("that cannot be written is told, and the exit code stays the command's", async () => {
    const folder = temporaryFolder();
    const env = { GITHUB_STEP_SUMMARY: join(folder, "no", "where.md") };
    const { code, stderr } = await shopping("process.exit(3)", ["--artifacts", folder], { env });
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^payments-sandbox: GITHUB_STEP_SUMMARY could not be written \(ENOENT: .*\)\npayments-sandbox: what/,
    );
  });

  const story = (email: string, note: string): Story => ({
    charge: { charge_id: "ch_1", status: "FAILED", amount: "1.00", currency: "NGN", customer_email: email },
    is_in_order: false,
    items: [{ at: "2026-01-31T09:00:00.000Z", kind: "note", note }],
  });

  it("is not broken out of by what is in a charge", () => {
    const text = summaryText(
      "### x",
      [story("</summary><script>&\n# x", "```\n````\n</details>\u001b")],
      1,
      10_000,
    );
    expect(text).toContain("&lt;/summary&gt;&lt;script&gt;&amp;\uFFFD# x</summary>");
    expect(text).toContain(
      "\n`````text\n  +0.000s  note        ```\uFFFD````\uFFFD</details>\uFFFD\n`````\n",
    );
  });

  it("takes as many as there is room for, and says how many there are more", () => {
    const stories = Array.from({ length: 40 }, () => story("a@shop.test", "é".repeat(500)));
    const text = summaryText("### x", stories, 700, 20_000);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(20_000);
    expect(Buffer.byteLength(text)).toBeGreaterThan(18_000);
    const shown = text.match(/<details>/g)!.length;
    expect(text).toContain(`${700 - shown} more charges are not in order`);
  });
});

describe("the mask", () => {
  it("takes out what it knows, wherever it stands, and what looks like it", () => {
    const mask = new Mask();
    mask.note({ webhooks: [{ secret: "a.b*c(d)" }], webhook_secret: DEFAULT_WEBHOOK_SECRET });
    expect(
      mask.value({
        secret: "short",
        items: [["verif-hash", { "verif-hash": "x" }], "see a.b*c(d) here"],
        command: ["curl", "https://me@shop.test/x?a=1&sig=2#key=3", "Bearer sk_live_abcdef123456"],
        cut: '{"new_secret": "abc',
        webhook_secret: DEFAULT_WEBHOOK_SECRET,
        at: 5,
      }),
    ).toEqual({
      secret: "masked",
      items: [["verif-hash", { "verif-hash": "masked" }], "see masked here"],
      command: ["curl", "https://masked@shop.test/x?a=1&sig=masked#key=3", "Bearer sk_live_…3456"],
      cut: '{"new_secret": "masked',
      webhook_secret: DEFAULT_WEBHOOK_SECRET,
      at: 5,
    });
  });

  it("leaves alone what is no secret", () => {
    for (const text of [
      "ada@example.com",
      "http://localhost/a@b",
      "a?b&c=d",
      "whsec_",
      "sk_test_…dbox",
      "?x",
    ])
      expect(new Mask().text(text)).toBe(text);
  });

  it("has in the place of a secret one that can be used, and takes a text of a body's size without a stop", () => {
    expect(secretFault("standard", MASKED_SECRET)).toBeUndefined();
    for (const part of ["a.", "://", '"secret', "?", "&a", "whsec_"]) {
      const text = part.repeat(65_536 / part.length);
      expect(new Mask().text(text).length).toBeGreaterThan(0);
    }
  });
});
