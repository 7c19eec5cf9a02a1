// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import { expectPassed, failed, runSteps } from "../support/scenario-run.js";

describe("pay", () => {
  it("creates a charge and completes it, for every method", async () => {
    await expectPassed(`
  - pay: { amount: "500.00", as: c1 }
  - expect_charge: { charge_id: "\${c1}", status: COMPLETED, currency: KES, payment_method: card }
  - expect_charge: { customer_email: c1@shop.test, amount: "\${c1.amount}" }
  - pay: { amount: "5.00", currency: USD, to_currency: KES, method: mobile_money, metadata: { order: "7" } }
    save: { second: charge_id }
  - expect_charge: { charge_id: "\${second}", metadata: { order: "7" }, payment_method: mobile_money }
  - pay: { amount: "700.00", until: PENDING, as: open }
  - expect_charge: { charge_id: "\${open}", status: PENDING }
  - expect_request: { count: 0 }
  - repeat: 3
    as: i
    steps: [{ pay: { amount: "\${i}00.00", customer_email: "r\${i}@shop.test" } }]
  - expect_charge: { customer_email: "r*", status: COMPLETED, count: 3 }`);
  });

  it("does not move the clock, but its consequences have happened", async () => {
    await expectPassed(`
  - { request: GET /_sandbox/clock, save: { now: body.now } }
  - pay: { amount: "500.00", as: c }
  - { request: GET /_sandbox/clock, expect: { body: { now: "\${now}" } } }
  - expect_webhook: { type: charge.completed, charge_id: "\${c}", count: 1 }
  - expect_balance: { currency: KES, change: "+500.00" }`);
  });

  it("reports the charge's other outcome, at the line of the rule that causes it", async () => {
    const rules = "charges: [{ timeline: [{ after: 1s, to: FAILED }] }]";
    const report = await runSteps('  - pay:\n      amount: "500.00"\n      until: COMPLETED', { rules });
    expect(failed(report)?.failure).toMatchObject({
      message: expect.stringMatching(/^the charge ch_\w+ does not become COMPLETED by itself: /),
      got: { scenario: "flow", timeline: [{ after: "1s", to: "FAILED" }] },
      line: 6,
    });
    await expectPassed('  - pay: { amount: "500.00", until: FAILED }', { rules });
    expect(failed(await runSteps('  - pay: { amount: "500.00", method: crypto }'))?.failure?.message).toMatch(
      /^status 400/,
    );
  });
});

describe("isolation: snapshot", () => {
  it("restores the sandbox after any steps", async () => {
    const { Api, openSandbox } = await import("../support/api-client.js");
    const sandbox = await openSandbox({ clock: "real" });
    const api = new Api(sandbox);
    const look = async () => [
      (await api.get("/_sandbox/rates")).json,
      (await api.get("/_sandbox/webhook-endpoints")).json,
      (await api.get("/_sandbox/charges")).json,
      (await api.get("/_sandbox/balances")).json,
      (await api.get("/_sandbox/scenarios?limit=100")).json,
      (await api.get("/_sandbox/snapshots")).json,
      (await api.get("/_sandbox/clock")).json.mode,
    ];
    const before = await look();
    const steps = `
  - { request: PUT /_sandbox/rates, body: { KES: "1" } }
  - { request: POST /_sandbox/webhook-endpoints, body: { mailbox: inbox } }
  - pay: { amount: "500.00" }
  - advance: 1d`;
    const rules = "isolation: snapshot\ncharges: [{ timeline: [{ after: 1s, to: COMPLETED }] }]";
    for (const more of ["", "\n  - reset: true", "\n  - { request: GET /api/v1/nowhere }"]) {
      const report = await runSteps(`${steps}${more}`, { sandbox, rules });
      expect(report.warnings).toEqual([]);
      expect(report.outcome).toBe(more.includes("nowhere") ? "failed" : "passed");
      expect(await look()).toEqual(before);
    }
  });
});
