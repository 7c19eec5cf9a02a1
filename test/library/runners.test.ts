import { join } from "node:path";
import { expect, it } from "vitest";
import { createSandbox } from "../../src/library/index.js";
import { NODES, Project } from "../support/packed.js";
import { installSet } from "../support/test-packages.js";
import { suites } from "./support/suites.js";

/** Tests of a shop, for every test runner. */
const TESTS = `
const paid = async (sandbox, email = "ada@shop.test") => {
  const call = async (path, body) => {
    const headers = { authorization: "Bearer " + sandbox.apiKey, "content-type": "application/json" };
    const response = await fetch(sandbox.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    assert.equal(response.status, 200);
    return response.json();
  };
  const pricing = { base_currency: "NGN", amount: "100.00" };
  const { quote_id } = await call("/api/v1/payments/quotes", { pricing, payment_method: "bank_transfer" });
  const { charge_id } = await call("/api/v1/payments/whitelabel", {
    pricing, payment_method: "bank_transfer", bank_account_number: "0123456789", customer_email: email, quote_id,
  });
  return charge_id;
};
const read = async (sandbox, id) => {
  const headers = { authorization: "Bearer " + sandbox.apiKey };
  const response = await sandbox.fetch("https://api.payments.example/api/v1/payments/charges/" + id, { headers });
  return response.ok ? (await response.json()).status : response.status;
};
const early = (() => { try { return sandbox.url; } catch (error) { return error.message; } })();
let first;
const ofFile = [];
const ofTest = [];
const listener = (heard) => async (request) => void heard.push((await request.json()).type + " " + request.url);
const URL_HEARD = "http://localhost/webhooks";

test("a charge is paid and its webhooks are heard", async () => {
  assert.match(early, /from beforeAll to afterAll.* write .await sandbox.ready. first/);
  assert.equal(urlInHook, sandbox.url);
  await sandbox.onWebhook(listener(ofTest));
  first = await paid(sandbox);
  assert.equal((await sandbox.advance("3s")).fired_total > 0, true);
  assert.equal(await read(sandbox, first), "PROCESSING");
  await sandbox.advance("next");
  assert.equal(await read(sandbox, first), "COMPLETED");
  await sandbox.settled();
  assert.deepEqual(ofTest, ["awaiting_payment", "processing", "completed"].map((name) => "charge." + name + " " + URL_HEARD));
  const { collections } = await sandbox.snapshot();
  assert.deepEqual(collections.charges.map(([id]) => id), [first]);
});

test("the next test has a world as new, without that test's handler", async () => {
  assert.equal(await read(sandbox, first), 404);
  const second = await paid(sandbox);
  assert.notEqual(second, first);
  const moved = await sandbox.transition(second, "FAILED", "declined");
  assert.deepEqual([moved.status, moved.failure_reason], ["FAILED", "declined"]);
  await sandbox.advance("1m");
  assert.equal(ofTest.length, 3);
  assert.equal(ofFile.length, 3 + 1);
  const refused = await sandbox.transition(second, "PENDING").catch((error) => error);
  assert.deepEqual([refused.name, refused.code], ["SandboxError", "INVALID_TRANSITION"]);
  const nonsense = await sandbox.advance("soon").catch((error) => error);
  assert.deepEqual([nonsense.name, nonsense.code], ["SandboxError", "VALIDATION_ERROR"]);
  await sandbox.reset();
  assert.equal(await read(sandbox, second), 404);
});

test("what a handler throws is an answer 500; stopped, it hears nothing", async () => {
  let calls = 0;
  const stop = await sandbox.onWebhook(() => { calls++; throw new Error("no such order"); }, { events: ["*.failed"], mode: "test" });
  const id = await paid(sandbox);
  await sandbox.transition(id, "FAILED");
  await sandbox.settled();
  const { items } = await sandbox.control("GET /_sandbox/deliveries?type=charge.failed");
  const answers = items.flatMap((item) => item.attempts.map((attempt) => attempt.status + " " + attempt.response_body));
  assert.ok(answers.includes("500 the webhook handler threw Error: no such order"), answers.join());
  await stop();
  await stop();
  await sandbox.advance("1d");
  assert.equal(calls, 1);
  const wrong = await sandbox.onWebhook(() => 200, { mode: "both" }).catch((error) => error);
  assert.match(wrong.message, /onWebhook: mode must be/);
});

test("an app finds the sandbox in its environment", async () => {
  const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET } = sandbox.environment;
  assert.deepEqual(
    [PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, sandbox.liveApiKey.startsWith("sk_live_")],
    [sandbox.url, sandbox.apiKey, sandbox.webhookSecret, true],
  );
});
`;
const HOOK = `
let urlInHook;
beforeAll(async () => { await sandbox.ready; urlInHook = sandbox.url; });
beforeAll(async () => { await sandbox.onWebhook(listener(ofFile)); });`;
const files = suites(TESTS + HOOK, `seed: "a file's own", startTime: "2026-03-01T09:00:00Z"`);

const project = new Project(
  {
    "package.json": JSON.stringify({ private: true }),
    "jest/one.test.js": files.jest,
    "jest/two.test.js": files.jest,
    "jest.config.js": `
      const project = { roots: ["<rootDir>/jest"], transform: {} };
      const faked = { ...project, displayName: "faked", fakeTimers: { enableGlobally: true } };
      module.exports = { projects: [project, faked], testTimeout: 120_000 };`,
    "vitest/one.test.mjs": files.vitest,
    "vitest/two.test.mjs": files.vitest.concat(`
test("with faked timers", async () => {
  // Over a socket, on Node 24, fetch itself hangs where setImmediate is faked (docs/testing.md).
  const isShared = process.env.PAYMENTS_SANDBOX_URL !== undefined;
  vi.useFakeTimers(isShared ? { toFake: ["setTimeout", "setInterval", "Date"] } : undefined);
  const id = await paid(sandbox);
  await sandbox.advance("10s");
  assert.equal(await read(sandbox, id), "COMPLETED");
  vi.useRealTimers();
});`),
    "vitest/globals.test.mjs": files.vitest.replace(/^import .* from "vitest";$/m, ""),
    "vitest.config.mjs": `
      const without = { name: "without", include: ["vitest/{one,two}.test.mjs"] };
      const globals = { name: "globals", include: ["vitest/globals.test.mjs"], globals: true, pool: "threads" };
      export default { test: { projects: [{ test: without }, { test: globals }] } };`,
    "node/one.test.mjs": files.node,
    "node/top.mjs": `
      import assert from "node:assert/strict";
      import * as hooks from "node:test";
      import { setupSandbox } from "payments-sandbox/testing";
      const sandbox = setupSandbox({ hooks });
      await sandbox.ready;
      const { url } = sandbox;
      hooks.test("is open at the top level", async () => assert.equal((await fetch(url + "/health")).status, 200));`,
    "node/bare.mjs": `
      import { setupSandbox } from "payments-sandbox/testing";
      try { setupSandbox(); } catch (error) { console.log(error.name + ": " + error.message); }`,
    "node/mocha.mjs": `
      import { setupSandbox } from "payments-sandbox/testing";
      const hooks = {};
      for (const name of ["before", "beforeEach", "after"]) globalThis[name] = (run) => { hooks[name] = run; };
      const sandbox = setupSandbox();
      for (const name of ["before", "beforeEach"]) await hooks[name]();
      console.log((await sandbox.fetch("/health")).status);
      await hooks.after();
      await sandbox.fetch("/health").catch((error) => console.log(error.message));
      await sandbox.ready.catch((error) => console.log(error.message));`,
    "node/fixtures.test.mjs": `
      import * as hooks from "node:test";
      import { setupSandbox } from "payments-sandbox/testing";
      setupSandbox({ hooks, fixtures: "fixtures.yaml", fees: {} });
      hooks.test("never", () => {});`,
  },
  ["vitest"],
  { jest: join(await installSet("jest"), "jest") },
);

const JEST = ["node_modules/jest/bin/jest.js", "--ci", "--colors=false"];
const VITEST = ["node_modules/vitest/vitest.mjs", "run"];

const RUNNERS = [
  ["Jest, as it is and with timers faked everywhere", JEST, /^Tests: +16 passed, 16 total$/m],
  ["Vitest without globals and with them", VITEST, /Tests +13 passed \(13\)/],
  ["node:test", ["--test", "--test-reporter=tap", "node/one.test.mjs"], /^# pass 4$/m],
] as const;

it.each(RUNNERS)("setupSandbox() gives each file a separate sandbox: %s", async (_name, args, passed) => {
  const { code, stdout, stderr } = await project.run(args);
  expect(stdout + stderr).toMatch(passed);
  expect(stdout + stderr).not.toMatch(/did not exit|open handle|DeprecationWarning/);
  expect(code).toBe(0);
});

it.each(RUNNERS)(
  "setupSandbox() uses a temporary namespace of a running server: %s",
  async (_name, args, passed) => {
    await using server = await createSandbox();
    const { url } = await server.listen();
    const { code, stdout, stderr } = await project.run(args, { PAYMENTS_SANDBOX_URL: url });
    expect(stdout + stderr).toMatch(passed);
    expect(code).toBe(0);
    const { items } = await (await server.fetch("/_sandbox/namespaces")).json();
    expect(items.map((one: { name: string }) => one.name)).toEqual(["default"]);
    const next = await server.fetch("/_sandbox/namespaces", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    // The number in a generated name shows that each file had its own namespace.
    expect((await next.json()).name).not.toBe("ns1");
  },
);

it.each(NODES.slice(1).map((node) => [node]))("setupSandbox() runs under node:test on %s", async (node) => {
  const { stdout, stderr, code } = await project.run(
    ["--test", "--test-reporter=tap", "node/one.test.mjs"],
    {},
    node,
  );
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^# fail 0$/m);
});

it("setupSandbox() works at the top level of a file", async () => {
  const { code, stdout } = await project.run(["--test", "--test-reporter=tap", "node/top.mjs"]);
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/^# pass 1$/m);
});

it("setupSandbox() throws an error when the runner has no hooks", async () => {
  expect(await project.run(["node/bare.mjs"])).toEqual({
    code: 0,
    stdout:
      "UserError: setupSandbox() finds no hooks of a test runner: pass them, as in setupSandbox({ hooks: { before, beforeEach, afterEach, after } })\n",
    stderr: "",
  });
});

it("setupSandbox() closes after the last test of Mocha", async () => {
  const gone = "the sandbox exists from beforeAll to afterAll: use it in a hook or a test\n";
  const stdout = `200\n${gone}${gone}`;
  expect(await project.run(["node/mocha.mjs"])).toEqual({ code: 0, stdout, stderr: "" });
});

it("setupSandbox() refuses options that a shared server does not support", async () => {
  const { code, stdout } = await project.run(["node/fixtures.test.mjs"], {
    PAYMENTS_SANDBOX_URL: "http://127.0.0.1:9",
  });
  expect(code).toBe(1);
  expect(stdout).toContain(
    "setupSandbox: fixtures, fees cannot be set in a namespace of the server at http://127.0.0.1:9: start that server with it, or pass { server: false }",
  );
});
