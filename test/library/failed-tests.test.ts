import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Project } from "../support/packed.js";
import { installSet } from "../support/test-packages.js";
import { suites } from "./support/suites.js";

/** Two failing tests and a passing one. */
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
const files = suites(TESTS);

const project = new Project(
  {
    "shop.test.js": files.jest,
    "jest.config.js": "module.exports = { testMatch: ['**/*.test.js'], transform: {} };",
    "shop.vitest.mjs": files.vitest,
    "vitest.config.mjs": "export default { test: { include: ['*.vitest.mjs'] } };",
    "shop.node.mjs": files.node,
  },
  ["vitest"],
  { jest: join(await installSet("jest"), "jest") },
);

const RUNNERS = [
  ["Vitest", ["node_modules/vitest/vitest.mjs", "run"], "shop.vitest.mjs > a shop > marks what is paid"],
  [
    "Jest",
    ["node_modules/jest/bin/jest.js", "--ci", "--colors=false"],
    "shop.test.js > a shop > marks what is paid",
  ],
  ["node:test", ["--test", "--test-reporter=spec", "shop.node.mjs"], "a shop > marks what is paid"],
] as const;

it.each(RUNNERS)("exec exports a failed test to a file: %s", async (name, args, title) => {
  const folder = join(project.folder, `artifacts of ${name}`);
  const bin = "node_modules/payments-sandbox/bin/payments-sandbox.js";
  const line = [bin, "exec", "--artifacts", folder, "--", process.execPath, ...args];
  const { code, stderr } = await project.run(line);
  expect(code).toBe(1);
  expect(stderr).toContain("calls were refused:\n  2 × POST /api/v1/payments/quotes → 400 ");
  expect(stderr).toMatch(/ {2}✗ COMPLETED .* marks what is paid · ch_\w+\n/);
  const requests = JSON.parse(readFileSync(join(folder, "requests.json"), "utf8"));
  expect(requests.items.map((call: { test: string }) => call.test)).toContain(title);
  const { failed_tests } = JSON.parse(readFileSync(join(folder, "exec.json"), "utf8"));
  expect(failed_tests).toMatchObject([{ test: title }, { test: expect.stringContaining("fails in its") }]);
  const first = JSON.parse(readFileSync(join(folder, failed_tests[0].file), "utf8"));
  expect(first).toMatchObject({
    test: title,
    requests: { total: 3 },
    stories: { charges: 1, not_in_order: 1 },
    coverage: { operations: { met: { createQuote: 2, createWhitelabel: 1 } } },
  });
  expect(first.deliveries.total).toBeGreaterThan(0);
  expect(first.events.total).toBeGreaterThan(0);
});
