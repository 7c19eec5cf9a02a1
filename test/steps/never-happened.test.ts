// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect } from "vitest";
import { junitXml } from "../../src/cli/report/junit.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { reportText } from "../../src/cli/report/text.js";
import type { RunReport } from "../../src/tools/scenario/running/run-report.js";
import { it } from "../support/api-test.js";
import { pays, runSteps } from "../support/scenario-run.js";

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

describe("what never happened in a run", () => {
  it("is told with how often the rest did", async () => {
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

  it("counts what a reset or `fault: clear` has ended", async () => {
    const quote = `
  - { request: POST /api/v1/payments/quotes, body: { pricing: { base_currency: KES, amount: "5.00" }, payment_method: card } }`;
    const report = await runSteps(
      `${quote}
  - reset: true
${quote}
  - { name: balances fail, fault: { match: { operation: getBalances }, respond: { status: 500 } } }
  - { request: GET /api/v1/accounts/balances, expect: { status: 500 } }
  - fault: clear
  - { name: payins fail, fault: { match: { operation: listPayins }, respond: { status: 500 } } }`,
      { rules: "faults: [{ match: { operation: createQuote }, delay: 1ms }]" },
    );
    expect(counted(report)).toEqual({
      applied: { "faults.0": 2, "balances fail": 1, "payins fail": 0 },
      never_happened: ["payins fail"],
    });
    expect(report.never_happened_at).toEqual([{ rule: "payins fail", line: 11 }]);
  });

  it("is nothing where a file has no rules", async () => {
    expect(counted(await runSteps("  - advance: 1h"))).toEqual({ applied: {}, never_happened: [] });
  });
});

describe("a scenario's view", () => {
  it("counts from when it was put in place, turned on or reset; in all, from the server's start", async ({
    api,
  }) => {
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
