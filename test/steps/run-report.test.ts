import { expect } from "vitest";
import { junitXml } from "../../src/cli/report/junit.js";
import { reportText } from "../../src/cli/report/report.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { openSandbox } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";
import { failed, runSteps } from "../support/scenario-run.js";

it("a run without checks fails with --strict", async () => {
  const report = await runSteps("- advance: 1h");
  const message = "no step checks anything: add an expectation, such as expect_charge";
  expect(report).toMatchObject({ passed: true, blind_spots: [message], applied: {}, never_happened: [] });
  expect(junitXml([reportOfRun(report)])).toContain(`<system-out>${message}</system-out>`);
  expect(reportText(reportOfRun(report, true), 120)).toContain(`✗ blind spot: ${message}`);
  expect(junitXml([reportOfRun(report, true)])).toContain(`<failure message="${message}" type="BlindSpot"/>`);
});

it.each([
  [404, "the app accepted none of 9 webhook attempts (404): check the receiver's URL"],
  [200, undefined],
])("a run reports a receiver that only responded with %i", async (status, message) => {
  const sandbox = await openSandbox();
  await using receiver = await Receiver.open(refuseWith(status));
  await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: receiver.url });
  const paid = "  - pay: { amount: '19.99' }\n  - advance: 6m";
  const report = await runSteps(paid, { sandbox });
  expect(report).toMatchObject({ passed: true, blind_spots: message ? [message] : [] });
  const looks = "\n  - expect_delivery: { type: charge.completed, count: { gte: 1 } }";
  expect((await runSteps(paid + looks, { sandbox })).blind_spots).toEqual([]);
});

it("the JUnit report lists unused rules as skipped, with their lines", async () => {
  const rules = "webhooks: [{ match: { type: charge.completed }, drop: true }]";
  const xml = junitXml([reportOfRun(await runSteps("- advance: 1h", { rules }))]);
  expect(xml).toContain(`skipped="1"`);
  expect(xml).toMatch(
    /<testcase name="webhooks.0"[^>]*>\s*<skipped message="never applied">[^<]*:2<\/skipped>/,
  );
});

it("rule counts restart at zero when a scenario is stored, activated or reset", async ({ api }) => {
  const quotesFail = { faults: [{ match: { operation: "createQuote" }, delay: "1ms" }] };
  const quote = () => api.post("/api/v1/payments/quotes", {});
  const view = async () => {
    const { body } = await api.get<{ applied: object }>("/_sandbox/scenarios/mine");
    type Listed = { items: { name: string; applied: object }[] };
    const all = await api.get<Listed>("/_sandbox/scenarios?of=server&limit=100");
    return [body.applied, all.body.items.find(({ name }) => name === "mine")?.applied];
  };
  await api.put("/_sandbox/scenarios/mine", quotesFail);
  await api.post("/_sandbox/scenarios/mine/activate", {});
  await quote();
  expect(await view()).toEqual([{ "faults.0": 1 }, { "faults.0": 1 }]);
  await api.post("/_sandbox/scenarios/mine/activate", {});
  await quote();
  expect(await view()).toEqual([{ "faults.0": 1 }, { "faults.0": 2 }]);
  await api.post("/_sandbox/reset", { keep: ["scenarios"] });
  expect(await view()).toEqual([{ "faults.0": 0 }, { "faults.0": 2 }]);
});

const QUOTE = "POST /api/v1/payments/quotes → 503, made by the fault of scenario k1";

it("a failed step names the fault that caused the response", async ({ shop: { sandbox, client } }) => {
  await client.ask("PUT /_sandbox/scenarios/k1", {
    faults: [{ match: { operation: "createQuote" }, respond: { status: 503 }, times: 1 }],
  });
  await client.ask("POST /_sandbox/scenarios/k1/activate");
  const report = await runSteps("- { request: POST /api/v1/payments/quotes, body: {} }", { sandbox });
  expect(failed(report)?.failure).toMatchObject({ message: "status 503, not 2xx", made_by: [QUOTE] });
  expect(reportText(reportOfRun(report))).toContain(`      fault       ${QUOTE}\n`);
  expect(junitXml([reportOfRun(report)])).toContain("made by the fault of scenario k1");
  const refused = await runSteps("- { request: POST /api/v1/payments/quotes, body: {} }", { sandbox });
  expect(failed(refused)?.failure).toMatchObject({ message: "status 400, not 2xx" });
  expect(failed(refused)?.failure).not.toHaveProperty("made_by");
});

it("a failed step names the faults in the requests of its app", async ({ shop: { sandbox, client } }) => {
  const { url } = await sandbox.listen();
  const { fault_id } = (
    await client.ask("POST /_sandbox/faults", { match: { operation: "getBalances" }, drop: "before" })
  ).json;
  const app = await Receiver.open();
  app.handler = async (received) => {
    const headers = { authorization: "Bearer sk_test_sandbox" };
    await fetch(`${url}/api/v1/accounts/balances`, { headers }).catch(() => {});
    received.answer(500);
  };
  const report = await runSteps("- app: POST /orders", { sandbox, app: new URL(app.url).origin });
  expect(failed(report)?.failure?.made_by).toEqual([
    `GET /api/v1/accounts/balances → connection cut, made by fault ${fault_id}`,
  ]);
});
