// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import { checkoutShop, deliver, explored, flowOf, type OnCharge } from "./checkout-shop.js";

/** Two orders are placed and paid, one after the other. */
const flowFor = (secondEmail: string) =>
  `${flowOf(
    `
  - app: POST /orders
    body: { order: "second-\${run.id}", email: "${secondEmail}" }
    save: { second: body.checkout_id }
  - close_page: { checkout_id: "\${second}", payment_method: card }
  - advance: 10s
  - app: GET /orders/second-\${run.id}`,
    "status: paid",
  )}  - app: GET /orders/second-\${run.id}\n`;
const ONE_CUSTOMER = flowFor("${email}");
const TWO_CUSTOMERS = flowFor("zoe+${run.id}@shop.test");

/** A correct shop: delivers once, and keeps final statuses. */
const follow: OnCharge = (order, status) => {
  if (status === "COMPLETED" && order.status !== "paid") deliver(order);
  else if (status === "REFUNDED" || (order.status !== "paid" && /FAILED|CANCELLED|EXPIRED/.test(status)))
    order.status = status.toLowerCase();
};

/** Delivers whatever happens to the payment. */
const trusting: OnCharge = (order, status, call) => {
  if (/FAILED|CANCELLED|EXPIRED/.test(status)) deliver(order);
  else return follow(order, status, call);
};

describe.concurrent("of two orders, explore finds", () => {
  it.each(["expired_unpaid at charge#1", "cancelled_then_paid at page#1"])(
    "one that is delivered unpaid beside a paid one: %s",
    async (only) => {
      const { found, report } = await explored(checkoutShop(trusting), TWO_CUSTOMERS, { only });
      expect(found).toEqual([`money: ${only.replace(" at", "")}`]);
      expect(report.findings[0]?.message).toMatch(
        /^not paid, but marked as paid by the app: body\.status is "paid"/,
      );
    },
  );

  it.each([ONE_CUSTOMER, TWO_CUSTOMERS])(
    "one that is delivered for half of its price: flow %#",
    async (flow) => {
      const only = "underpaid at charge#1";
      const { found, report } = await explored(checkoutShop(follow), flow, { only, failOn: ["underpaid"] });
      expect(found).toEqual(["money: underpaid charge#1"]);
      expect(report.findings[0]?.message).toBe("delivered as if the right amount had been paid");
    },
  );
});

describe.concurrent("of two orders, explore accepts", () => {
  it.each([ONE_CUSTOMER, TWO_CUSTOMERS])("one that is cancelled beside a paid one: flow %#", async (flow) => {
    const only = "cancelled_then_paid at page#1";
    const { report } = await explored(checkoutShop(follow), flow, { only });
    expect(report).toMatchObject({ findings: [], singles: [{ outcome: "right" }] });
  });

  it.each([ONE_CUSTOMER, TWO_CUSTOMERS])(
    "one that is kept back for half of its price: flow %#",
    async (flow) => {
      const careful: OnCharge = async (order, status, call) => {
        if (status !== "COMPLETED") return follow(order, status, call);
        const { amount, amount_paid = amount } = await call("GET", `payments/charges/${order.charge_id}`);
        if (amount_paid === amount) deliver(order);
        else order.status = "review";
      };
      const only = "underpaid at charge#1";
      const { report } = await explored(checkoutShop(careful), flow, { only, failOn: ["underpaid"] });
      expect(report).toMatchObject({ findings: [], singles: [{ outcome: "right" }] });
    },
  );
});
