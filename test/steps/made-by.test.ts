import { describe, expect } from "vitest";
import { junitXml } from "../../src/cli/report/junit.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { reportText } from "../../src/cli/report/text.js";
import { it } from "../support/api-test.js";
import { Receiver } from "../support/receiver-server.js";
import { failed, runSteps } from "../support/scenario-run.js";

const QUOTE = "POST /api/v1/payments/quotes → 503, made by the fault of scenario k1";

describe("a step that fails", () => {
  it("names the fault that made the answer", async ({ shop: { sandbox, client } }) => {
    await client.ask("PUT /_sandbox/scenarios/k1", {
      faults: [{ match: { operation: "createQuote" }, respond: { status: 503 }, times: 1 }],
    });
    await client.ask("POST /_sandbox/scenarios/k1/activate");
    const report = await runSteps("- { request: POST /api/v1/payments/quotes, body: {} }", { sandbox });
    expect(failed(report)?.failure).toMatchObject({ message: "status 503, not 2xx", made_by: [QUOTE] });
    expect(reportText(reportOfRun(report))).toContain(`      fault       ${QUOTE}\n`);
    expect(junitXml([reportOfRun(report)])).toContain("made by the fault of scenario k1");
    // One that the service has made is nobody's fault.
    const refused = await runSteps("- { request: POST /api/v1/payments/quotes, body: {} }", { sandbox });
    expect(failed(refused)?.failure).toMatchObject({ message: "status 400, not 2xx" });
    expect(failed(refused)?.failure).not.toHaveProperty("made_by");
  });

  it("says of a call it had no patience for that it is in flight", async ({ shop: { sandbox } }) => {
    const steps = "- { request: GET /api/v1/accounts/balances, within: 20ms }";
    const report = await runSteps(steps, { sandbox, rules: "faults: [{ delay: 20s }]" });
    expect(failed(report)?.failure?.made_by).toEqual([
      "GET /api/v1/accounts/balances → in flight, made by the fault of scenario flow",
    ]);
  });

  it("names the faults that made the answers its app got meanwhile", async ({
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
