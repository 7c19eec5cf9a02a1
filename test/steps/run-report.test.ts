// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect } from "vitest";
import { junitXml } from "../../src/cli/report/junit.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { reportText } from "../../src/cli/report/text.js";
import type { RunReport } from "../../src/tools/scenario/running/run-report.js";
import { openSandbox } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";
import { failed, pays, runSteps } from "../support/scenario-run.js";

const PAID = `${pays("a@shop.test")}
  - advance: 1h
  - expect_charge: { customer_email: a@shop.test, status: COMPLETED }`;

describe("a run with weak checks", () => {
  it("reports that no step checks anything", async () => {
    const report = await runSteps("  - advance: 1h\n  - repeat: 2\n    steps: [{ advance: 1h }]");
    const message = "no step checks anything: add an expectation, such as expect_charge";
    expect(report).toMatchObject({ passed: true, blind_spots: [message] });
    expect(reportText(reportOfRun(report), 120)).toContain(`○ ${message}`);
    expect(junitXml([reportOfRun(report)])).toContain(`<system-out>${message}</system-out>`);
    expect(reportText(reportOfRun(report, true), 120)).toContain(`✗ blind spot: ${message}`);
    expect(junitXml([reportOfRun(report, true)])).toContain(
      `<failure message="${message}" type="BlindSpot"/>`,
    );
  });

  it.each([
    ["404", 404, "the app accepted none of 12 webhook attempts (404): check the receiver's URL"],
    ["200", 200, undefined],
  ])("reports that a receiver with status %s accepted nothing", async (_, status, message) => {
    const sandbox = await openSandbox();
    await using receiver = await Receiver.open(refuseWith(status));
    await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: receiver.url });
    const { passed, blind_spots } = await runSteps(PAID, { sandbox });
    expect({ passed, blind_spots }).toEqual({ passed: true, blind_spots: message ? [message] : [] });
    const looks = `${PAID}\n  - expect_delivery: { type: charge.completed, count: { gte: 1 } }`;
    expect((await runSteps(looks, { sandbox })).blind_spots).toEqual([]);
  });
});

const RULES = `
charges:
  - { match: { customer_email: "a@*" }, timeline: [{ after: 1s, to: AWAITING_PAYMENT }] }
  - { match: { customer_email: "nobody@*" }, timeline: [] }
webhooks: [{ match: { type: charge.completed }, drop: true }]
faults:
  - { match: { operation: createQuote }, delay: 1ms }
  - { match: { operation: getBalances }, respond: { status: 500 } }
`;

const counted = ({ applied, never_happened }: RunReport) => ({ applied, never_happened });

describe("rules that never applied in a run", () => {
  it("are reported with the counts of the others", async () => {
    const report = await runSteps(`${pays("a@shop.test")}\n${pays("b@shop.test")}\n  - advance: 1h`, {
      rules: RULES,
    });
    expect(counted(report)).toEqual({
      applied: { "charges.0": 1, "charges.1": 0, "webhooks.0": 0, "faults.0": 2, "faults.1": 0 },
      never_happened: ["charges.1", "webhooks.0", "faults.1"],
    });
    expect(report.passed).toBe(true);
    expect(reportText(reportOfRun(report))).toContain(`\n  ○ webhooks.0: never applied  ${report.file}:6\n`);
    const xml = junitXml([reportOfRun(report)]);
    expect(xml).toContain(`skipped="3"`);
    expect(xml).toMatch(/<testcase name="webhooks.0"[^>]* line="6">\s*<skipped message="never applied"\/>/);
  });
});

describe("the counts of a scenario", () => {
  it("start when it is stored, activated or reset; in total, at the server's start", async ({ api }) => {
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
});

const QUOTE = "POST /api/v1/payments/quotes → 503, made by the fault of scenario k1";

describe("a step that fails", () => {
  it("names the fault that made the response", async ({ shop: { sandbox, client } }) => {
    await client.ask("PUT /_sandbox/scenarios/k1", {
      faults: [{ match: { operation: "createQuote" }, respond: { status: 503 }, times: 1 }],
    });
    await client.ask("POST /_sandbox/scenarios/k1/activate");
    const report = await runSteps("- { request: POST /api/v1/payments/quotes, body: {} }", { sandbox });
    expect(failed(report)?.failure).toMatchObject({ message: "status 503, not 2xx", made_by: [QUOTE] });
    expect(reportText(reportOfRun(report))).toContain(`      fault       ${QUOTE}\n`);
    expect(junitXml([reportOfRun(report)])).toContain("made by the fault of scenario k1");
    // A refusal by the service names no fault.
    const refused = await runSteps("- { request: POST /api/v1/payments/quotes, body: {} }", { sandbox });
    expect(failed(refused)?.failure).toMatchObject({ message: "status 400, not 2xx" });
    expect(failed(refused)?.failure).not.toHaveProperty("made_by");
  });

  it("names the faults that made the responses its app got meanwhile", async ({
    shop: { sandbox, client },
  }) => {
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
});
