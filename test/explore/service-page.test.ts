// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { type Answer, foundIn, openApp, pageFlow, pageShop } from "./apps.js";
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
  expect({ found, notes: withoutForeign(report.notes) }).toEqual({
    found: [],
    // The customer has picked a method in one end, and none in the other.
    notes: [
      expect.stringMatching(/^nothing is paid: .* amount is "517.00" as for a paid order; .* "500.00"$/),
    ],
  });
  const outcomes = report.singles.map(({ kind, at, outcome }) => `${kind} ${at} ${outcome}`);
  expect(outcomes).toEqual(
    expect.arrayContaining(["paid_late charge#1 right", "job_meanwhile page#1 right"]),
  );
  const { found: wrong } = await explored(
    "believes_return",
    { only: "cancelled_then_paid at page#1" },
    PAGE.replace(", delivered: 1", ""),
  );
  expect(wrong).toEqual(["money: cancelled_then_paid page#1"]);
});

it.concurrent("explore changes webhooks of partial refunds and chargebacks", async () => {
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

/** A customer who pays on the service's page. */
const CALL = `
  - request: POST /_sandbox/checkouts/\${checkout}/pay
    body: { payment_method: card }
    save: { charge: body.charge_id }
  - advance: 30s`;
const CLOSE_PAGE = `
  - close_page: { checkout_id: "\${checkout}", payment_method: card }`;

it.concurrent.each([
  ["a call of the page's pay", CALL, 1],
  ["close_page", CLOSE_PAGE, 2],
])("explores a shop that only polls and is paid by %s", async (_, pay, depth) => {
  const flow = pageFlow(pay);
  const forgetful = await openApp(
    pageShop((status) => status === "pending"),
    null,
  );
  for (const kind of ["paid_late", "underpaid"]) {
    const { found } = await foundIn(forgetful, flow, { only: `${kind} at charge#1`, failOn: ["underpaid"] });
    expect(found).toEqual([`money: ${kind} charge#1`]);
  }

  const right = await openApp(
    pageShop((status) => status !== "paid"),
    null,
  );
  const { report: silent } = await foundIn(right, flow, { depth: depth as 1 | 2 });
  expect(silent).toMatchObject({ findings: [], notes: [], complete_depth: depth });
  const kinds = new Set(silent.singles.map(({ kind }) => kind));
  for (const kind of ["paid_late", "cancelled_then_paid", "job_meanwhile", "job_at_once"])
    expect(kinds).toContain(kind);
});

const PAY = `
name: pay
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: PUT /orders/\${order}
  - pay: { amount: "1105.10", customer_email: "\${email}", metadata: { order: "\${order}" } }
  - wait_for: idle
  - app: GET /orders/\${order}
    expect: { body: { status: COMPLETED } }
observe:
  - app: GET /orders/\${order}
`;

/** A shop that learns about payments only from webhooks. */
const toldShop = (): Answer => {
  const statuses = new Map<string, string>();
  return async (route, body) => {
    const [, method, id = ""] = /^(GET|PUT) \/orders\/(.*)$/.exec(route) ?? [];
    if (method === "PUT") statuses.set(id, "new");
    if (method !== undefined) return [200, { status: statuses.get(id) }];
    const { order } = body.data.metadata;
    const isFinal = /^(COMPLETED|FAILED|CANCELLED|EXPIRED)$/.test(body.data.status);
    if (isFinal && statuses.get(order) === "new") statuses.set(order, body.data.status);
    return [200];
  };
};

it.concurrent("a charge of the step `pay` can be paid late", async () => {
  const { found, report } = await foundIn(await openApp(toldShop), PAY);
  expect(found).toEqual(["money: paid_late charge#1"]);
  expect(report.findings[0]!.story!.failing).toEqual(
    expect.arrayContaining(["1h charge is EXPIRED", "1h10m charge is COMPLETED"]),
  );
});
