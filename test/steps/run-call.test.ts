// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import type { Sandbox } from "../../src/library/sandbox.js";
import { Api, type Headerset, openSandbox } from "../support/api-client.js";
import { fileWith } from "../support/scenario-run.js";

function call(sandbox: Sandbox, method: string, path: string, body?: unknown, headers?: Headerset) {
  return new Api(sandbox).ask<Record<string, unknown>>(`${method} /_sandbox${path}`, body, headers);
}

const QUOTE = { pricing: { base_currency: "KES", amount: "500.00" }, payment_method: "mobile_money" };
const FLOW = {
  vars: { email: "qa+${run.id}@shop.test", total: 1 },
  charges: [{ match: { customer_email: "${email}" }, timeline: [{ after: "1s", to: "FAILED" }] }],
  steps: [
    { request: "POST /api/v1/payments/quotes", body: QUOTE, save: { quote: "body.quote_id" } },
    {
      request: "POST /api/v1/payments/whitelabel",
      body: { ...QUOTE, quote_id: "${quote}", customer_email: "${email}", phone_number: "+254700000001" },
    },
    { advance: "1s" },
    { expect_charge: { customer_email: "${email}", status: "FAILED", count: "${total}" } },
  ],
};

it("POST /_sandbox/scenarios/{name}/run can run a stored scenario twice", async () => {
  const sandbox = await openSandbox({ clock: "real" });
  expect(await call(sandbox, "PUT", "/scenarios/flow", FLOW)).toMatchObject({ status: 200 });
  const first = await call(sandbox, "POST", "/scenarios/flow/run");
  expect(first).toMatchObject({ status: 200, body: { name: "flow", outcome: "passed", warnings: [] } });
  const second = await call(sandbox, "POST", "/scenarios/flow/run");
  expect(second.body).toMatchObject({ outcome: "passed" });
  expect(second.body.run_id).not.toBe(first.body.run_id);
  expect((await call(sandbox, "GET", "/clock")).body).toMatchObject({ mode: "real" });
  expect((await call(sandbox, "GET", "/scenarios/flow")).body).toMatchObject({ active: false });
  const third = await call(sandbox, "POST", "/scenarios/flow/run", { vars: { total: "2" } });
  expect(third).toMatchObject({ status: 200, body: { outcome: "failed", passed: false } });
});

it("POST /_sandbox/scenarios/{name}/run runs a file given at startup", async () => {
  const sandbox = await openSandbox({ scenario: fileWith(JSON.stringify({ name: "flow", ...FLOW })) });
  await call(sandbox, "POST", "/namespaces", { name: "there", clock: "manual" });
  const there = { "sandbox-namespace": "there" };
  const report = await call(sandbox, "POST", "/scenarios/flow/run", {}, there);
  expect(report.body).toMatchObject({ outcome: "passed" });
  expect((await call(sandbox, "GET", "/charges", undefined, there)).body).toMatchObject({ total: 1 });
  expect((await call(sandbox, "GET", "/charges")).body).toMatchObject({ total: 0 });
});

const BUSY = {
  steps: [{ repeat: 10_000, steps: [{ expect_balance: { currency: "USD", available_balance: "0.00" } }] }],
};

it("POST /_sandbox/scenarios/{name}/run does not block other requests", async () => {
  const sandbox = await openSandbox({ clock: "real" });
  const { url } = await sandbox.listen();
  expect(await call(sandbox, "PUT", "/scenarios/busy", BUSY)).toMatchObject({ status: 200 });
  const leaving = new AbortController();
  const { signal } = leaving;
  let isOver = false;
  const run = fetch(`${url}/_sandbox/scenarios/busy/run`, { method: "POST", signal }).finally(() => {
    isOver = true;
  });
  run.catch(() => {});
  for (let asked = 0; asked < 20; asked++) expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(isOver).toBe(false);
  expect((await call(sandbox, "GET", "/clock")).body).toMatchObject({ mode: "manual" });
  leaving.abort();
  await expect(run).rejects.toThrow();
  await expect.poll(async () => (await call(sandbox, "GET", "/clock")).body).toMatchObject({ mode: "real" });
});

it("POST /_sandbox/scenarios/{name}/run refuses an unknown scenario or one without steps", async () => {
  const sandbox = await openSandbox();
  expect(await call(sandbox, "POST", "/scenarios/nope/run")).toMatchObject({ status: 404 });
  expect(await call(sandbox, "POST", "/scenarios/success/run")).toMatchObject({
    status: 400,
    body: { error: { details: { name: "the scenario has no steps to run" } } },
  });
  expect(await call(sandbox, "POST", "/scenarios/success/run", { app: "ftp://x" })).toMatchObject({
    status: 400,
  });
  await call(sandbox, "PUT", "/scenarios/flow", FLOW);
  const answer = await call(sandbox, "POST", "/scenarios/flow/run", { vars: { totla: "5", email: "a@b.c" } });
  expect(answer).toMatchObject({ status: 400 });
  expect((answer.body.error as Record<string, unknown>).details).toEqual({
    "vars.totla": "the scenario has no such variable; did you mean total?",
  });
});

it("POST /_sandbox/scenarios/{name}/run refuses invalid steps without revealing the environment", async () => {
  const sandbox = await openSandbox();
  const put = (body: unknown) => call(sandbox, "PUT", "/scenarios/flow", body);
  expect((await put({ steps: [{ advence: "1s" }] })).body).toMatchObject({
    error: { details: { "steps.0.advence": "unknown field; did you mean advance?" } },
  });
  expect((await put({ vars: { path: "${env.PATH}" } })).body).toMatchObject({
    error: { details: { "vars.path": expect.stringContaining("the environment has no PATH") } },
  });
  expect(await put({ name: "other", steps: [] })).toMatchObject({ status: 400 });
  let deep: unknown = 1;
  for (let depth = 0; depth < 2_000; depth++) deep = [deep];
  expect((await put({ vars: { deep } })).body).toMatchObject({
    error: { details: { body: "is nested deeper than 100 levels" } },
  });
  expect(await call(sandbox, "GET", "/scenarios/flow")).toMatchObject({ status: 404 });
});
