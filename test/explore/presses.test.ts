// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { type Answer, type CallService, foundIn, type Order, openApp } from "./apps.js";
import { checkoutShop, deliver, explored, flowOf } from "./checkout-shop.js";

const FLOW = `
name: order
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: POST /orders
    body: { order: "\${order}", email: "\${email}" }
  - app: POST /orders/\${order}/pay
  - advance: 10s
  - app: POST /tick
  - app: GET /orders/\${order}
    expect: { body: { status: paid } }
observe:
  - app: GET /orders/\${order}
tick:
  - app: POST /tick
`;

/** A shop whose second payment can wait for the first. */
const shopOf =
  (isAlone: boolean) =>
  (call: CallService): Answer => {
    const orders = new Map<string, Order & { paying?: Promise<void> }>();
    const pay = async (order: Order) => {
      if (order.charge_id !== undefined) return;
      const asked = {
        pricing: { base_currency: "KES", amount: "1105.10" },
        payment_method: "mobile_money",
        customer_email: order.email,
      };
      const { quote_id } = await call("POST", "payments/quotes", asked);
      const more = { quote_id, phone_number: "+254700000001", metadata: { order: order.id } };
      order.charge_id = (await call("POST", "payments/whitelabel", { ...asked, ...more })).charge_id;
    };
    return async (route, body) => {
      const [, method, id = "", verb] = /^(GET|POST) \/orders\/([^/]+)(\/pay)?$/.exec(route) ?? [];
      const order = orders.get(id);
      if (route === "POST /orders" && !orders.has(body.order))
        orders.set(body.order, { id: body.order, email: body.email, status: "new", delivered: 0 });
      if (order !== undefined && verb !== undefined) {
        order.paying = isAlone ? (order.paying ?? Promise.resolve()).then(() => pay(order)) : pay(order);
        await order.paying;
      }
      if (route === "POST /webhooks" && body.data.status === "COMPLETED")
        orders.get(body.data.metadata.order)!.status = "paid";
      return method === "GET" ? [200, { status: order?.status }] : [200];
    };
  };

it.concurrent("explore repeats each write of the customer, and no call of the job", async () => {
  const { found, report } = await foundIn(await openApp(shopOf(false)), FLOW);
  expect(found).toContain("money: pressed_twice POST /orders/${order}/pay#1");
  const pressed = report.singles.filter(({ kind }) => kind === "pressed_twice");
  expect(pressed.map(({ at, outcome }) => `${at} ${outcome}`)).toEqual([
    "POST /orders#1 right",
    "POST /orders/${order}/pay#1 wrong",
  ]);
});

it.concurrent("explore finds nothing in an app that pays an order once", async () => {
  const { found } = await foundIn(await openApp(shopOf(true)), FLOW);
  expect(found.filter((one) => one.includes("pressed_twice"))).toEqual([]);
});

const claimFlow = (call: string) =>
  flowOf(
    `\n  - app: ${call} /orders/\${order}/claim\n    save: { licence: body.licence }`,
    "status: paid, delivered: 1",
  );

/** A shop whose customer claims what she has paid. @param forgives false refuses for good whom it has refused once */
const claimShop = (refusal: number, forgives = true) => {
  const refused = new Set<string>();
  return checkoutShop(
    (order, status) => {
      if (status === "COMPLETED" && order.status !== "paid") deliver(order);
      else if (/FAILED|CANCELLED|EXPIRED|REFUNDED/.test(status)) order.status = status.toLowerCase();
    },
    async ({ id, status }) => {
      if (status === "paid" && !refused.has(id)) return [200, { licence: `licence-of-${id}` }];
      if (!forgives) refused.add(id);
      return [refusal, { status: "not paid" }];
    },
  );
};

it.concurrent.each([
  ["POST", 409],
  ["GET", 402],
  ["POST", 202],
])(
  "an app may answer %s with %i until it has heard of the payment, and the customer comes back",
  async (call, status) => {
    const { found, report } = await explored(claimShop(status), claimFlow(call));
    expect(found).toEqual([]);
    const late = report.singles.filter(({ kind, at }) => kind === "webhook_late" && at.includes("completed"));
    expect(late.map(({ outcome }) => outcome)).toEqual(["right"]);
  },
);

it.concurrent.each([
  ["POST", 409, "the app refuses with 409"],
  ["GET", 202, "the response differs at body.licence"],
])("explore finds an app that answers a paid %s with %i for good", async (call, status, reason) => {
  const only = "webhook_late at charge.completed#1";
  const { report } = await explored(claimShop(status, false), claimFlow(call), { only });
  const [finding] = report.findings;
  expect(finding?.message).toMatch(/^the customer gets no further at app .*claim: /);
  expect(finding?.message).toContain(reason);
});
