import { expect, it } from "vitest";
import { run } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { type Bug, Shop } from "../support/shop.js";
import { startServer } from "../support/started.js";

const FLOW = `
name: paid-and-told-twice
description: The API has one bad moment, a webhook is forged, and the good news comes twice.
vars: { email: "qa+\${run.id}@shop.test" }
charges:
  - match: { customer_email: "\${email}" }
    timeline:
      - { after: 2s, to: AWAITING_PAYMENT }
      - { after: 5s, to: COMPLETED }
webhooks:
  - { match: { type: charge.awaiting_payment, customer_email: "\${email}" }, bad_signature: true }
  - { match: { type: charge.completed, customer_email: "\${email}" }, copies: 2 }
faults:
  - { match: { operation: createQuote, customer_email: "\${email}" }, respond: { status: 500 }, times: 1 }
steps:
  - name: Customer orders
    app: POST /orders
    body: { email: "\${email}", phone: "+254700000001" }
    expect: { status: 201 }
    save: { order: body.order_id }
  - wait_for: charge
    match: { customer_email: "\${email}" }
    within: 10s
    save: { charge: charge_id }
  - name: The shop has tried again
    expect_request: { operation: createQuote, status: 5xx, count: 1 }
  - expect_request: { operation: createQuote, status: 200, count: 1 }
  - expect_request: { operation: createWhitelabel, count: 1, request_body: { customer_email: "\${email}" } }
  - advance: 7s
  - expect_charge: { charge_id: "\${charge}", status: COMPLETED }
  - name: The forged webhook is refused
    expect_delivery: { type: charge.awaiting_payment, charge_id: "\${charge}", answered: 2xx, count: 0 }
  - expect_delivery: { type: charge.awaiting_payment, charge_id: "\${charge}", answered: 401 }
  - expect_delivery: { type: charge.completed, charge_id: "\${charge}", answered: 2xx, count: 2 }
  - name: The order is delivered once
    app: GET /orders/\${order}
    expect: { status: 200, body: { status: paid, delivered: 1 } }
`;

async function runFlow(bug?: Bug) {
  const shop = new Shop(bug);
  const app = await shop.listen();
  const { ready } = await startServer(["--webhook-url", `${app}/webhooks`]);
  shop.service = { url: ready.url, apiKey: ready.api_key, webhookSecret: ready.webhook_secret };
  const args = ["run", fileWith(FLOW), "--url", ready.url, "--app", app];
  return { ready, first: await run(args), again: () => run(args) };
}

it("a correct shop passes twice and leaves the sandbox unchanged", async () => {
  const { ready, first, again } = await runFlow();
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toContain("1 of 1 scenario passed  (11 steps passed)");
  expect(await again()).toMatchObject({ code: 0, stderr: "" });
  const read = async (path: string) => (await fetch(`${ready.url}/_sandbox${path}`)).json();
  expect(await read("/clock")).toMatchObject({ mode: "real" });
  expect(JSON.stringify(await read("/scenarios?limit=100"))).not.toContain("paid-and-told-twice");
  expect(await read("/charges")).toMatchObject({ total: 2 });
});

it("a shop that fulfils an order twice fails", async () => {
  const { first } = await runFlow("fulfils_twice");
  expect(first.code).toBe(1);
  expect(first.stdout.match(/^ {2}✗ .*?(?= {2})/gm)).toEqual(["  ✗ The order is delivered once"]);
});
