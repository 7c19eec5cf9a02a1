// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { createServer } from "node:http";
import { expect, it } from "vitest";
import { expectPassed, failed, runSteps } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";

const CHECKOUT = `
  - request: POST /api/v1/payments/checkouts
    body:
      pricing: { base_currency: KES, amount: "500.00" }
      customer_email: ada@shop.test
      success_url: https://shop.test/thanks?order=7
      cancel_url: https://shop.test/basket
    save: { checkout: body.checkout_id, charge: body.charge_id }`;

/** Starts a shop that records each customer who returns. */
async function openShop() {
  const visits: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url!, "http://shop.test");
    visits.push(`${url.pathname} ${url.searchParams.get("order")} ${url.searchParams.get("status")}`);
    response.end("thanks");
  });
  return { url: `http://127.0.0.1:${await listening(server)}`, visits };
}

const SEQUENTIAL_AND_CONCURRENT = [[""], [", at_once: true"]];

it.each(SEQUENTIAL_AND_CONCURRENT)(
  "`pay_twice` pays once and returns to the shop in both tabs: checkout_id%s",
  async (more) => {
    const { url, visits } = await openShop();
    await expectPassed(
      `${CHECKOUT}
  - pay_twice: { checkout_id: "\${checkout}"${more} }
    expect: { error: INVALID_TRANSITION }
    save: { first: answers.0.status, second: answers.1.status, seen: returned.1.body, amount: amount }
  - expect_charge: { charge_id: "\${charge}", status: COMPLETED, amount: "\${amount}", payment_method: card }
  - expect_webhook: { type: charge.completed, count: 1 }
  - expect_balance: { currency: KES, change: "+500.00" }
  - manual: "\${first} \${second} \${seen}"`,
      { app: url, manual: async (text) => void visits.push(text) },
    );
    const visit = "/thanks 7 COMPLETED";
    expect(visits).toEqual([visit, visit, "200 409 thanks"]);
  },
);

it.each(SEQUENTIAL_AND_CONCURRENT)(
  "`cancel_then_pay` cancels and returns to the shop in both tabs: checkout_id%s",
  async (more) => {
    const { url, visits } = await openShop();
    await expectPassed(
      `${CHECKOUT}
  - cancel_then_pay: { checkout_id: "\${checkout}", payment_method: card${more} }
    expect: { error: INVALID_TRANSITION }
  - expect_charge: { charge_id: "\${charge}", status: CANCELLED }
  - expect_sequence: [charge.cancelled]`,
      { app: url },
    );
    expect(visits).toEqual(Array(2).fill("/basket null CANCELLED"));
  },
);

it("`close_page` pays without returning to the shop", async () => {
  const { url, visits } = await openShop();
  const report = await runSteps(
    `${CHECKOUT}
  - close_page: { checkout_id: "\${checkout}", payment_method: card }
    save: { status: status }
  - expect_charge: { charge_id: "\${charge}", status: "\${status}" }
  - expect_balance: { currency: KES, change: "+500.00" }`,
    { app: url },
  );
  expect([failed(report), visits]).toEqual([undefined, []]);
});
