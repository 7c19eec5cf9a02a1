import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Project } from "../support/packed.js";

/** Two tests that fail and one that passes; what differs between runners is how they come by `test` and the hooks. */
const TESTS = `
const order = async () => {
  const headers = { authorization: "Bearer " + sandbox.apiKey, "content-type": "application/json" };
  const pricing = { base_currency: "NGN", amount: "100.00" };
  const call = async (path, body) =>
    (await sandbox.fetch("/api/v1/payments" + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
  await call("/quotes", { pricing, payment_method: "cash" });
  const { quote_id } = await call("/quotes", { pricing, payment_method: "bank_transfer" });
  const { charge_id } = await call("/whitelabel", {
    pricing, payment_method: "bank_transfer", bank_account_number: "0123456789", customer_email: "ada@shop.test", quote_id,
  });
  return charge_id;
};
describe("a shop", () => {
  test("marks what is paid", async () => {
    await sandbox.onWebhook(() => new Response("no such order: sk_test_sandbox", { status: 404 }));
    await order();
    await sandbox.advance("5s");
    assert.equal("open", "paid");
  });
});
test("passes", async () => { await order(); });
test("fails in its handler", async () => {
  await sandbox.onWebhook(() => assert.equal("heard", "unheard"));
  await sandbox.transition(await order(), "COMPLETED");
  await sandbox.control("POST /_sandbox/wait", { for: "idle" });
});
`;
const requiring = `
const assert = require("node:assert/strict");
const { setupSandbox } = require("payments-sandbox/testing");
const sandbox = setupSandbox();
${TESTS}`;
const importing = (from: string, hooks: string) => `
import assert from "node:assert/strict";
import * as hooks from "${from}";
import { setupSandbox } from "payments-sandbox/testing";
const { describe, test } = hooks;
const sandbox = setupSandbox(${hooks});
${TESTS}`;

const project = new Project(
  {
    "shop.test.js": requiring,
    "jest.config.js": "module.exports = { testMatch: ['**/*.test.js'] };",
    "shop.vitest.mjs": importing("vitest", ""),
    "vitest.config.mjs": "export default { test: { include: ['*.vitest.mjs'] } };",
    "shop.node.mjs": importing("node:test", "{ hooks }"),
  },
  ["jest", "vitest"],
);
afterAll(() => project[Symbol.dispose]());

const RUNNERS = [
  ["Vitest", ["node_modules/vitest/vitest.mjs", "run"], "shop.vitest.mjs > a shop > marks what is paid"],
  [
    "Jest",
    ["node_modules/jest/bin/jest.js", "--ci", "--colors=false"],
    "shop.test.js > a shop > marks what is paid",
  ],
  ["node:test", ["--test", "--test-reporter=spec", "shop.node.mjs"], "a shop > marks what is paid"],
  ["node:test, as TAP", ["--test", "--test-reporter=tap", "shop.node.mjs"], "a shop > marks what is paid"],
] as const;

const STORY =
  /in the sandbox: 3 calls, 1 charge, 1 not in order\s+POST \/api\/v1\/payments\/quotes → 400 VALIDATION_ERROR: Invalid request parameters\s+ch_\w+ {2}COMPLETED .* ada@shop\.test.*\s+\+0\.000s {2}request .* → 200\n(?:.*\n)*.*charge\.awaiting_payment to \S+ → 404 \(attempt 1, \d+ ms\): no such order: sk_test_…dbox\n/;

describe("a test that fails", { timeout: 300_000 }, () => {
  it.each(RUNNERS)("tells its own story: %s", async (_name, args) => {
    const { code, stdout, stderr } = await project.run(args);
    const said = stdout + stderr;
    expect(code).toBe(1);
    expect(said).toMatch(STORY);
    // The other is that of the assertion in the handler.
    expect(said.match(/in the sandbox: /g)!.length % 2).toBe(0);
    expect(said).toMatch(/charge\.completed to \S+ → 500 .*the webhook handler threw/);
  });

  it.each(RUNNERS.slice(0, -1))("is kept by exec: %s", async (name, args, title) => {
    const folder = join(project.folder, `artifacts of ${name}`);
    const bin = "node_modules/payments-sandbox/bin/payments-sandbox.js";
    const line = [bin, "exec", "--artifacts", folder, "--", process.execPath, ...args];
    const { code, stderr } = await project.run(line);
    expect(code).toBe(1);
    expect(stderr).toMatch(STORY);
    const { failed_tests } = JSON.parse(readFileSync(join(folder, "exec.json"), "utf8"));
    expect(failed_tests).toMatchObject([{ test: title }, { test: expect.stringContaining("fails in its") }]);
    const place = join(folder, failed_tests[0].folder);
    expect(readdirSync(place)).toEqual(
      expect.arrayContaining([
        "advice.json",
        "deliveries.json",
        "events.json",
        "story.txt",
        "timelines.json",
      ]),
    );
    expect(readFileSync(join(place, "timelines.txt"), "utf8")).toMatch(/^1 charge, 1 not in order\n\nch_/);
    expect(JSON.parse(readFileSync(join(place, "requests.json"), "utf8")).total).toBe(3);
    expect(JSON.parse(readFileSync(join(place, "coverage.json"), "utf8")).operations.met).toEqual({
      createQuote: 2,
      createWhitelabel: 1,
    });
  });
});
