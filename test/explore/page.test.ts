// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { explored } from "./support.js";

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
it("has the customer cancel the page and pay it in another tab, which pays nothing", async () => {
  const { report, found } = await explored("right", {}, PAGE);
  expect({ found, notes: report.notes }).toEqual({ found: [], notes: [] });
  const { found: wrong } = await explored("believes_return", {}, PAGE.replace(", delivered: 1", ""));
  expect(wrong).toContain("money: cancelled_then_paid page#1");
}, 300_000);
