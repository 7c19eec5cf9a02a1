import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { maskSecretsInJson, maskSecretsInText } from "../../src/cli/exec/artifacts.js";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import { secretErrorMessage } from "../../src/core/schema/signature-schemes.js";
import { createSandbox } from "../../src/library/index.js";
import { temporaryFile, temporaryFolder } from "../support/folders.js";
import { CALL_REQUIRED } from "../support/light-fetch.js";
import { Command, run } from "../support/process-command.js";
import { carryOut } from "../support/resident-command.js";
import { words } from "../support/words.js";

/** Creates a completed and a declined charge, then runs the given code. */
const shop = (end: string) => `${CALL_REQUIRED}
  (async () => {
    for (const sandbox_scenario of ["declined", "success"])
      await pay({ metadata: { sandbox_scenario, note: "<b>\`\`\`</details>" } });
    await call("POST", "/_sandbox/clock/advance", { by: "10s" });
    ${end}
  })();
`;

function shopping(end: string, flags: readonly string[]) {
  return run(["exec", "--clock", "manual", ...flags, "--", process.execPath, "-e", shop(end)]);
}

const json = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));
const FILES = ["advice", "coverage", "deliveries", "events", "requests", "state", "timelines"].map(
  (name) => `${name}.json`,
);

it("exec --artifacts writes requests, events and state of a failed run", async () => {
  const folder = join(temporaryFolder(), "deep", "down");
  const flags = words`--artifacts ${folder} --seed s1 --control-token a-token-nobody-knows --env X={api_key}`;
  const { code, stderr } = await shopping("process.exit(3)", flags);
  expect(code).toBe(3);
  expect(stderr).toMatch(/^payments-sandbox: 1 of 2 charges is not in order:\n/m);
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
    /^2 charges, 1 not in order\n\nch_\w+ {2}FAILED, declined {2}NGN 10\.34 {2}card {2}a@shop\.test {2}scenario declined\n/,
  );
  expect(text).toMatch(
    /\n {2}\+5s {2}status {3}FAILED \(declined\) because of scenario declined\n {2}\+5s {2}event {4}charge\.failed evt_/,
  );
  expect(text).toMatch(/ledger {3}settlement NGN −10\.00 pending, \+10\.00 available\n/);
});

it("exec --artifacts writes a state that another sandbox can import", async () => {
  const folder = temporaryFolder();
  const end = `
      const { destination_id } = await call("POST", "/api/v1/payouts/destinations", { type: "bank_account", currency: "NGN",
        bank_code: "999", account_number: "0123456789", account_name: "Ada" });
      const made = await call("POST", "/api/v1/payouts/withdrawals", { destination_id, amount: "1.00", currency: "NGN" },
        { headers: { "idempotency-key": "once" } });
      console.log(JSON.stringify(made));
    `;
  const minimum = 'currencies: [{ code: NGN, minimum_withdrawal: "1" }]\n';
  const fixtures = temporaryFile("fixtures.yaml", minimum);
  const { code, stdout } = await shopping(end, ["--artifacts", folder, "--fixtures", fixtures]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('"status":"PENDING"')]);
  const text = readFileSync(join(folder, "state.json"), "utf8");
  expect(text).not.toContain("sk_test_sandbox");
  expect(text).toContain("sk_test_…dbox|createWithdrawal|once");
  await using sandbox = await createSandbox({ clock: "manual" });
  expect(await sandbox.control("PUT /_sandbox/state", JSON.parse(text))).toMatchObject({
    counts: { charges: 2 },
  });
});

it("masks API keys and webhook secrets in every file", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "requests.json"), "of an earlier run", { mode: 0o644 });
  const end = `
      const url = "http://localhost:9/hooks";
      const made = await call("POST", "/api/v1/webhooks", { url });
      const rotated = await call("POST", "/api/v1/webhooks/" + made.webhook_id + "/rotate-secret");
      const gone = await call("POST", "/api/v1/webhooks", { url: "http://localhost:9/gone" });
      await call("DELETE", "/api/v1/webhooks/" + gone.webhook_id);
      await call("POST", "/_sandbox/webhook-endpoints", { mailbox: "hash", signature: "flutterwave", secret: "the-secret-hash" });
      await call("POST", "/_sandbox/events", { type: "webhook.test" });
      await call("POST", "/_sandbox/mailboxes/hash/take", {});
      console.log(JSON.stringify([made.secret, rotated.secret, gone.secret]));
    `;
  const flags = ["--artifacts", folder, "--webhook-secret", "whsec_T25lIHRoYXQgaXMgbm90IHRoZSBkZWZhdWx0"];
  const { stdout, stderr } = await shopping(end, flags);
  const issued = JSON.parse(stdout) as string[];
  expect([issued.length, stderr.replace(/^payments-sandbox: advice: .*\n/gm, "")]).toEqual([3, ""]);
  const secrets = [...issued, "whsec_T25lIHRoYXQgaXMgbm90IHRoZSBkZWZhdWx0", "the-secret-hash"];
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    // The command may contain anything.
    const kept = name === "exec.json" ? JSON.stringify({ ...JSON.parse(text), command: [] }) : text;
    expect([name, secrets.filter((secret) => kept.includes(secret))]).toEqual([name, []]);
    expect([name, (statSync(file).mode & 0o777).toString(8)]).toEqual([name, "600"]);
  }
  await using sandbox = await createSandbox({ clock: "manual" });
  await sandbox.control("PUT /_sandbox/state", json(folder, "state.json"));
});

it("exec --artifacts writes a folder for each namespace", async () => {
  const folder = temporaryFolder();
  const end = `
      await call("PUT", "/_sandbox/namespaces/worker-1", {});
      for (let count = 0; count < 250; count++)
        await call("GET", "/api/v1/accounts/balances", undefined, { headers: { "sandbox-namespace": "worker-1" } });
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

it("exec --artifacts writes a file for each failed test", async () => {
  const folder = temporaryFolder();
  const end = `
      if (process.env.PAYMENTS_SANDBOX_UNDER === "") return;
      await call("POST", "/_sandbox/failed-tests", { test: "shop > an order/../is paid" });
      await call("POST", "/_sandbox/reset");
      process.exit(1);
    `;
  const { code, stderr } = await shopping(end, ["--artifacts", folder, "--under", "declined"]);
  expect(code).toBe(1);
  expect(stderr).not.toContain("what happened");
  expect(existsSync(join(folder, "plain", "failed-tests"))).toBe(false);
  const [failed] = json(folder, "under-declined", "exec.json").failed_tests;
  expect(failed.file).toBe(join("failed-tests", "001-shop-an-order-is-paid.json"));
  expect(json(folder, "under-declined", failed.file)).toMatchObject({
    test: "shop > an order/../is paid",
    namespace: "default",
    requests: { total: 4, items: [{ api_key: "sk_test_…dbox" }, {}, {}, {}] },
    stories: { charges: 2 },
  });
  expect(json(folder, "under-declined", "timelines.json").charges).toBe(0);
});

it("exec --artifacts writes the folder even after a signal", async () => {
  const folder = temporaryFolder();
  const source = shop(`console.log("ready"); setInterval(() => {}, 1e6);`);
  const command = new Command(
    words`exec --clock manual --artifacts ${folder} -- ${process.execPath} -e ${source}`,
  );
  await command.printed(/ready/);
  expect((await command.stop("SIGTERM")).code).toBe(143);
  expect([json(folder, "exec.json").exit_code, json(folder, "timelines.json").charges]).toEqual([143, 2]);

  expect((await run(["exec", "--artifacts", folder, "--", "no-such-command"])).code).toBe(127);
  expect(json(folder, "exec.json").exit_code).toBe(127);
});

it("exits before running the command when the folder cannot be written", async () => {
  const file = temporaryFile("file", "");
  const taken = "there is a file in place of a folder";
  for (const [folder, reason] of [
    [file, taken],
    [join(file, "x"), taken],
    // Node would retry endlessly here.
    ...(process.platform === "linux" ? ([["/proc/x", "there is no such file or folder"]] as const) : []),
  ] as const) {
    const ended = await carryOut(words`exec --artifacts ${folder} -- echo ran`);
    expect(ended).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `payments-sandbox: --artifacts ${folder} cannot be written: ${reason}\n`,
    });
  }
});

it("masks API keys, webhook secrets and the values of secret fields", () => {
  expect(
    maskSecretsInJson({
      secret: "short",
      items: [["verif-hash", { "verif-hash": "x" }]],
      command: ["curl", "Bearer sk_live_abcdef123456", "whsec_T25lIHRoYXQ="],
      webhook_secret: DEFAULT_WEBHOOK_SECRET,
      at: 5,
    }),
  ).toEqual({
    secret: "masked",
    items: [["verif-hash", { "verif-hash": "masked" }]],
    command: ["curl", "Bearer sk_live_…3456", expect.stringMatching(/^whsec_/)],
    webhook_secret: DEFAULT_WEBHOOK_SECRET,
    at: 5,
  });
});

it("does not mask text without secrets", () => {
  for (const text of ["ada@example.com", "http://a:b@localhost/?token=c", "whsec_", "sk_test_…dbox"])
    expect(maskSecretsInText(text)).toBe(text);
});

it("masks a webhook secret with a valid one", () => {
  expect(secretErrorMessage("standard", maskSecretsInText("whsec_T25lIHRoYXQgaXMgbm90"))).toBeUndefined();
});
