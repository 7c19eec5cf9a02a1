// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { explored, withoutForeign } from "./support.js";

const PAGE = `
name: page
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: POST /orders
    body: { order: "\${order}", email: "\${email}", page: true }
    save: { checkout: body.checkout_id }
  - pay_twice: { checkout_id: "\${checkout}" }
  # The customer may be back before the webhooks are here.
  - wait_for: idle
  - app: GET /orders/\${order}
    expect: { body: { status: paid, delivered: 1 } }
observe:
  - app: GET /orders/\${order}
tick:
  - app: POST /tick
`;
it.concurrent("explore cancels the page and pays it in another tab", async () => {
  const { report, found } = await explored("right", {}, PAGE);
  expect({ found, notes: withoutForeign(report.notes) }).toEqual({ found: [], notes: [] });
  const outcomes = report.singles.map(({ kind, at, outcome }) => `${kind} ${at} ${outcome}`);
  expect(outcomes).toEqual(
    expect.arrayContaining(["paid_late charge#1 right", "job_meanwhile page#1 right"]),
  );
  const { found: wrong } = await explored("believes_return", {}, PAGE.replace(", delivered: 1", ""));
  expect(wrong).toContain("money: cancelled_then_paid page#1");
});

it.concurrent("explore deviates in webhooks of partial refunds and chargebacks", async () => {
  const reversed = PAGE.replace(
    'checkout_id: "${checkout}" }',
    `checkout_id: "\${checkout}" }
    save: { charge: charge_id }
  - partial_refund: { charge_id: "\${charge}", amount: "100.00" }
  - request: POST /_sandbox/balances
    body: { currency: KES, amount: "1000.00" }
  - chargeback: { charge_id: "\${charge}" }`,
  );
  const { report, found } = await explored("right", {}, reversed);
  expect({ found, notes: withoutForeign(report.notes) }).toEqual({ found: [], notes: [] });
  const places = report.singles.map(({ kind, at }) => `${kind} ${at}`);
  expect(places).toContain("webhook_twice sandbox.charge.partially_refunded#1");
  expect(places).toContain("webhook_twice sandbox.charge.charged_back#1");
});
