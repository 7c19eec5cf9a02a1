import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { Project } from "../support/packed.js";
import { installSet } from "../support/test-packages.js";

/** A shop of functions, which delivers once for each webhook. */
const SHOP = `
const { Webhook } = require("standardwebhooks");
module.exports = async (sandbox) => {
  const webhook = new Webhook(sandbox.webhookSecret);
  const orders = new Map();
  const call = async (path, body) => {
    const headers = { authorization: "Bearer " + sandbox.apiKey, "content-type": "application/json" };
    const response = await sandbox.fetch("/api/v1/payments/" + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(path + " returned " + response.status);
    return response.json();
  };
  await sandbox.onWebhook(async (request) => {
    const { type, data } = webhook.verify(await request.text(), Object.fromEntries(request.headers));
    const order = orders.get(data.metadata.order_id);
    if (type === "charge.completed") order.delivered += 1;
  });
  const place = async (id, email) => {
    orders.set(id, orders.get(id) ?? { delivered: 0 });
    const terms = { pricing: { base_currency: "KES", amount: "1105.10" }, payment_method: "card" };
    const { quote_id } = await call("quotes", terms);
    return call("whitelabel", { ...terms, quote_id, customer_email: email, metadata: { order_id: id } });
  };
  return {
    name: "order",
    see: { order: ({ id }) => ({ delivered: orders.get(id).delivered }) },
    async flow({ id, email, press, advance }) {
      await press("order", () => place(id, email));
      await advance("10s");
    },
  };
};`;

const TESTS = `
const flowOf = require("./shop.cjs");
const ONLY = { only: "webhook_twice at charge.completed#1" };
const ALONE = /^UserError: explore: it has the timers of this process: await it, in a test that runs alone, without test.concurrent$/;
const refusal = (exploring) => exploring.then(() => "none", (error) => error.name + ": " + error.message);

test("is red with what it finds", async () => {
  await sandbox.explore(await flowOf(sandbox), ONLY);
});
test("repeats one set and resolves with the report", async () => {
  const { runs, findings } = await sandbox.explore(await flowOf(sandbox), { ...ONLY, throws: false });
  assert.deepEqual([runs, findings.length], [1, 1]);
});
test("is refused while another exploration has the timers", async () => {
  const flow = await flowOf(sandbox);
  const first = sandbox.explore(flow, { ...ONLY, throws: false });
  assert.match(await refusal(sandbox.explore(flow, ONLY)), /^UserError: explore: another exploration has the timers of this process: run one test at a time$/);
  await first;
});
test("is refused with fake timers", async () => {
  const flow = await flowOf(sandbox);
  useFakeTimers();
  assert.match(await refusal(sandbox.explore(flow, ONLY)), /^UserError: explore: setTimeout is not Node's own: end the fake timers first/);
  useRealTimers();
});
`;

const JEST = `
const assert = require("node:assert/strict");
const { setupSandbox } = require("payments-sandbox/testing");
const sandbox = setupSandbox({ rateLimit: "off" });
const useFakeTimers = () => jest.useFakeTimers();
const useRealTimers = () => jest.useRealTimers();
${TESTS}`;

const NODE = `
const assert = require("node:assert/strict");
const hooks = require("node:test");
const { setupSandbox } = require("payments-sandbox/testing");
const sandbox = setupSandbox({ hooks, rateLimit: "off" });
const test = hooks.test;
const useFakeTimers = () => hooks.mock.timers.enable({ apis: ["setTimeout"] });
const useRealTimers = () => hooks.mock.timers.reset();
${TESTS}`;

const VITEST = `
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test, vi } from "vitest";
import { setupSandbox } from "payments-sandbox/testing";
const require = createRequire(import.meta.url);
const sandbox = setupSandbox({ rateLimit: "off" });
const useFakeTimers = () => vi.useFakeTimers();
const useRealTimers = () => vi.useRealTimers();
${TESTS}
test.concurrent("is refused in a concurrent test", async () => {
  assert.match(await refusal(sandbox.explore(await flowOf(sandbox), ONLY)), ALONE);
});
test.concurrent("another concurrent test", async () => {});`;

const project = new Project(
  {
    "package.json": JSON.stringify({ private: true }),
    "jest.config.js": `module.exports = { testMatch: ["**/*.jest.js"], testTimeout: 120_000, transform: {} };`,
    "vitest.config.mjs": `export default { test: { include: ["*.vitest.mjs"], testTimeout: 120_000 } };`,
    "shop.cjs": SHOP,
    "shop.jest.js": JEST,
    "shop.node.cjs": NODE,
    "shop.vitest.mjs": VITEST,
  },
  ["standardwebhooks", "vitest"],
  { jest: join(await installSet("jest"), "jest") },
);
const cache = temporaryFolder();
const OWN_LINE = TESTS.split("\n").findIndex((line) =>
  line.includes("await sandbox.explore(await flowOf(sandbox), ONLY);"),
);
const lineIn = (file: string) => file.slice(0, file.indexOf(TESTS)).split("\n").length + OWN_LINE;

it.each([
  [
    "Jest",
    ["node_modules/jest/bin/jest.js", "--ci", "--colors=false", "--cacheDirectory", cache],
    `shop.jest.js:${lineIn(JEST)}:`,
    /^Tests: +1 failed, 3 passed, 4 total$/m,
  ],
  [
    "Vitest",
    ["node_modules/vitest/vitest.mjs", "run"],
    `shop.vitest.mjs:${lineIn(VITEST)}:`,
    /Tests +1 failed \| 5 passed \(6\)/,
  ],
  [
    "node:test",
    ["--test", "--test-reporter=tap", "shop.node.cjs"],
    `shop.node.cjs:${lineIn(NODE)}:`,
    /^# pass 3\n# fail 1$/m,
  ],
])(
  "explore in %s is red with its report and the test's own line, and is refused beside other tests",
  async (_name, args, line, result) => {
    const { code, stdout, stderr } = await project.run(args);
    const output = `${stdout}\n${stderr}`;
    expect(output).toMatch(result);
    expect(output).toContain("ExploreError");
    for (const text of [
      "✗ money: done more than once: order.delivered is 2, not 1",
      'to run it again: only: "webhook_twice at charge.completed#1"',
      line,
    ])
      expect(output).toContain(text);
    expect(output).not.toContain("node_modules/payments-sandbox/dist");
    expect(code).toBe(1);
  },
);
