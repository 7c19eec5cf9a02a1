// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import type { ObservedCharge } from "../../src/tools/explore/run-record.js";
import { flowOf } from "../../src/tools/explore/sandbox/flow.js";
import { paymentLike } from "../../src/tools/explore/sandbox/payment-steps.js";
import { type Answer, type CallService, foundIn, openApp, shopOf } from "./apps.js";
import { FLOW } from "./support.js";

const LOOKED_AT_ON_THE_WAY = FLOW.replace(
  "  - advance: 10s\n",
  `  - app: GET /orders/\${order}
    expect: { body: { status: pending, delivered: 0 } }
  - expect_charge: { customer_email: "\${email}", status: PENDING }
$&`,
);

const PAYS_TWICE = `name: deposit
vars: { email: "qa+\${run.id}@shop.test", deposit: "deposit-\${run.id}", balance: "balance-\${run.id}" }
steps:
  - { app: POST /orders, body: { order: "\${deposit}", email: "\${email}" } }
  - advance: 10s
  - { app: POST /orders, body: { order: "\${balance}", email: "\${email}" } }
  - advance: 10s
observe:
  - app: GET /orders/\${deposit}
  - app: GET /orders/\${balance}
tick:
  - app: POST /tick
`;

const TRIAL_MONTH = FLOW.replace("steps:\n", "steps:\n  - advance: 31d\n");

describe("the steps of a flow", () => {
  const flowWith = (...steps: object[]) =>
    flowOf("a.yaml", { name: "a", steps: [{ app: "POST /orders" }, ...steps] });
  const look = { app: "GET /orders/1", expect: { body: { status: "pending" } } };

  it.each([
    ["a call", { app: "POST /pay" }],
    ["an advance", { advance: "10s" }],
    ["a payment", { pay: { amount: "19.99", currency: "KES" } }],
    ["a transition", { transition: { charge_id: "ch_1", to: "COMPLETED" } }],
  ])("a look that %s follows keeps its place", (_, act) => {
    const { drive, checks } = flowWith(look, act);
    expect(drive.slice(1)).toEqual([look, act]);
    expect(checks).toEqual([]);
  });

  it("a look that only a read follows is one at the end", () => {
    const read = { app: "GET /orders/1", save: { status: "body.status" } };
    expect(flowWith(look, read)).toMatchObject({ drive: [{}, read], checks: [{ step: look }] });
  });
});

it("another shop's customer pays by the customer's method", () => {
  const base = { amount: "19.99", currency: "GHS" };
  const charge = { base, currency: "GHS", method: "mobile_money" } as ObservedCharge;
  expect(paymentLike(charge)).toEqual({ ...base, method: "mobile_money" });
  expect(paymentLike({ ...charge, currency: "KES" })).toEqual({
    ...base,
    method: "mobile_money",
    to_currency: "KES",
  });
});

describe.concurrent("explore", () => {
  it("finds nothing in a correct shop that the flow looks at before the payment", async () => {
    const { report, found } = await foundIn(await openApp(shopOf()), LOOKED_AT_ON_THE_WAY);
    expect(found).toEqual([]);
    expect(report).toMatchObject({ complete_depth: 1, notes: expect.not.arrayContaining([/not judged/]) });
  });

  it.each(["declined", "expired_unpaid", "paid_late", "refunded"])(
    "accepts %s when a customer pays a deposit and a balance",
    async (kind) => {
      const { report } = await foundIn(await openApp(shopOf()), PAYS_TWICE, { only: `${kind} at charge#1` });
      expect(report).toMatchObject({ findings: [], singles: [{ outcome: "right" }] });
    },
  );

  it("waits for a webhook that is later than the flow's longest advance", async () => {
    const only = "webhook_after_deadline at charge.completed#1";
    const { report } = await foundIn(await openApp(shopOf()), TRIAL_MONTH.split("tick:")[0]!, { only });
    expect(report).toMatchObject({ findings: [], singles: [{ outcome: "right" }] });
  });
});

describe.concurrent("a plain run that fails", () => {
  const refusing = (call: CallService): Answer => {
    const answer = shopOf()(call);
    return async (route, body) => (route === "POST /webhooks" ? [400] : answer(route, body));
  };

  it("names the status with which the app refuses its webhooks", async () => {
    const flow = FLOW.split("tick:")[0]!;
    await expect(foundIn(await openApp(refusing), flow)).rejects.toThrow(
      /\(400\): check the receiver's URL; 400 often means a signature that does not verify/,
    );
  });

  it("names the calls that the service refuses", async () => {
    const flow = FLOW.replace("qa+${run.id}@shop.test", "qa+${run.id}").split("tick:")[0]!;
    await expect(foundIn(await openApp(shopOf()), flow)).rejects.toThrow(
      "the service refuses createQuote with 400",
    );
  });

  it("names tick if the flow passes without it", async () => {
    const repeating = (call: CallService): Answer => {
      const answer = shopOf()(call);
      const ordered: string[] = [];
      const delivered = new Set<string>();
      return async (route, body) => {
        const [status, view] = await answer(route, body);
        if (route === "POST /orders") ordered.push(body.order);
        if (route === "POST /tick") for (const order of ordered) delivered.add(`GET /orders/${order}`);
        return [status, delivered.has(route) ? { ...(view as object), delivered: 2 } : view];
      };
    };
    await expect(foundIn(await openApp(repeating), FLOW)).rejects.toThrow(
      /the flow fails with nothing going wrong, after tick: .*body.delivered is 2, not 1/,
    );
  });
});
