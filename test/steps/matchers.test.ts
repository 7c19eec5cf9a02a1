import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { it as called } from "../support/api-test.js";
import { Client } from "../support/receiver-client.js";
import { expectPassed, failed, pays, runSteps } from "../support/scenario-run.js";

describe("matchers in a scenario file", () => {
  it("select the rule", async () => {
    const rules = `
charges:
  - match: { customer_email: { not: "ada@*" }, metadata: { order: { exists: false } } }
    timeline: [{ after: 1s, to: FAILED, reason: not_ada }]
  - match: { base_amount: { gte: "500", not: { gt: "500" } }, phone_number: { matches: "^\\\\+254\\\\d+$" } }
    timeline: [{ after: 1s, to: FAILED, reason: five_hundred }]`;
    for (const [email, reason] of [
      ["bob@shop.test", "not_ada"],
      ["ada@shop.test", "five_hundred"],
    ] as const) {
      await expectPassed(
        `${pays(email)}\n  - advance: 1s\n  - expect_charge: { charge_id: "$\{charge}", failure_reason: ${reason} }`,
        { rules },
      );
    }
  });

  it("apply in expectations of every kind, and a count can have bounds", async () => {
    await expectPassed(
      `${pays("ada@shop.test")}
  - advance: 1h
  - request: GET /api/v1/payments/payins
    expect:
      status: { in: [200, 201] }
      headers: { content-type: { contains: json } }
      body: { total: { gte: 1, lt: 2 }, items: { contains: { status: { in: [COMPLETED] } } }, nothing: { exists: false } }
  - expect_charge: { status: { not: EXPIRED }, settled_at: { gt: "2020-01-01" }, count: { gte: 1, lte: 1 } }
  - expect_webhook: { type: { matches: "^charge\\\\." }, count: { gte: 2 } }
  - wait_for: charge
    match: { status: { in: [COMPLETED, FAILED] }, amount: { gt: 500 } }
    count: { gte: 1 }
    within: 1s
  - expect_balance: { currency: KES, available_balance: { gte: 500 } }`,
    );
  });

  it("are shown in the failure when they do not match", async () => {
    const of = async (step: string) =>
      failed(await runSteps(`${pays("ada@shop.test")}\n  - ${step}`))?.failure;
    expect(await of("expect_charge: { status: { in: [FAILED] }, count: { gte: 1 } }")).toMatchObject({
      message: '0 charges with status={"in":["FAILED"]}, not {"gte":1}',
      nearest: [{ difference: [{ path: "status", expected: { in: ["FAILED"] }, got: "PENDING" }] }],
    });
    expect(await of("expect_charge: { customer_email: { gte: 5 } }")).toMatchObject({
      difference: [
        {
          path: "customer_email",
          why: "a text that is neither number nor instant cannot be compared with a number",
        },
      ],
    });
  });
});

describe("matchers in the control API", () => {
  called("are waited with, and refused by their field", async ({ client }) => {
    await client.pay();
    const waited = await client.ask("POST /_sandbox/wait", {
      for: "charge",
      match: { customer_email: { contains: "@" }, metadata: { order: { exists: false } } },
      count: { gte: 1, lt: 2 },
    });
    expect(waited.status).toBe(200);
    const late = await client.ask("POST /_sandbox/wait", {
      for: "charge",
      match: { customer_email: { lt: 5 } },
      count: { gte: 1 },
      timeout: "10ms",
    });
    expect(late.json.error).toMatchObject({
      message: 'No charge matched within 10ms (0 of {"gte":1})',
      details: { [waited.json.charge_id]: expect.stringContaining("cannot be compared with a number") },
    });
    const refused = await client.ask("POST /_sandbox/wait", {
      for: "charge",
      match: { metadata: { a: { matches: "(a" } } },
      count: { gte: "1" },
    });
    expect(Object.keys(refused.json.error.details)).toEqual(["match.metadata.a.matches", "count.gte"]);
  });

  it("select the calls of a fault", async () => {
    const sandbox = await openSandbox();
    await Client.of(sandbox).ask("POST /_sandbox/faults", {
      match: { customer_email: { not: "ada@*" } },
      respond: { status: 503 },
    });
    const report = await runSteps(pays("bob@shop.test"), { sandbox });
    expect(failed(report)?.failure?.message).toContain("503");
  });
});
