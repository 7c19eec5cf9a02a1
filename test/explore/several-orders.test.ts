// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import type { Answer, CallService, Json } from "./apps.js";
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

/** Two customers place orders, then both pay. */
const TOGETHER = `
name: together
vars: { ada: "ada+\${run.id}@shop.test", zoe: "zoe+\${run.id}@shop.test" }
steps:
  - app: POST /orders
    body: { order: "1-\${run.id}", email: "\${ada}" }
    save: { first: body.checkout_id }
  - app: POST /orders
    body: { order: "2-\${run.id}", email: "\${zoe}" }
    save: { second: body.checkout_id }
  - close_page: { checkout_id: "\${first}", payment_method: card }
  - close_page: { checkout_id: "\${second}", payment_method: card }
  - advance: 10s
observe:
  - app: GET /orders/1-\${run.id}
  - app: GET /orders/2-\${run.id}
`;

/** The customer lets an order expire, and places and pays another. */
const AFTER_EXPIRY = `
name: after-expiry
vars: { email: "ada+\${run.id}@shop.test" }
steps:
  - app: POST /orders
    body: { order: "1-\${run.id}", email: "\${email}" }
  - advance: 2h
  - app: GET /orders/1-\${run.id}
    expect: { body: { status: expired } }
  - app: POST /orders
    body: { order: "2-\${run.id}", email: "\${email}" }
    save: { page: body.checkout_id }
  - close_page: { checkout_id: "\${page}", payment_method: card }
  - advance: 3d
observe:
  - app: GET /orders/1-\${run.id}
  - app: GET /orders/2-\${run.id}
`;

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

/** Two friends pay for one present. */
const PRESENT = `
name: present
vars: { ada: "ada+\${run.id}@shop.test", zoe: "zoe+\${run.id}@shop.test" }
steps:
  - app: POST /shares
    body: { present: "\${run.id}", email: "\${ada}" }
    save: { first: body.checkout_id }
  - close_page: { checkout_id: "\${first}", payment_method: card }
  - advance: 10s
  - app: POST /shares
    body: { present: "\${run.id}", email: "\${zoe}" }
    save: { second: body.checkout_id }
  - close_page: { checkout_id: "\${second}", payment_method: card }
  - advance: 10s
observe:
  - app: GET /presents/\${run.id}
`;

/** Makes a page for each press, and knows only the newest of a friend. */
const newestPageShop = (call: CallService): Answer => {
  const shares = new Map<string, { isPaid: boolean; charge_id?: string }>();
  const paidOf = (present: string) =>
    [...shares].filter(([key, { isPaid }]) => isPaid && key.startsWith(present)).length;
  return async (route, body) => {
    if (route.startsWith("GET ")) return [200, { paid: paidOf(route.slice("GET /presents/".length)) }];
    const { present, email: customer_email } = body.data?.metadata ?? body;
    const key = `${present} ${customer_email}`;
    const share = shares.get(key) ?? { isPaid: false };
    shares.set(key, share);
    if (route === "POST /webhooks") {
      if (share.charge_id === body.data.charge_id) share.isPaid = body.data.status === "COMPLETED";
      return [200];
    }
    const pricing = { base_currency: "KES", amount: "1105.10" };
    const asked = { pricing, customer_email, metadata: { present, email: customer_email } };
    const { checkout_id, charge_id } = await call("POST", "payments/checkouts", asked);
    share.charge_id = charge_id;
    return [201, { checkout_id }];
  };
};

describe.concurrent("of two orders, explore finds", () => {
  it("a paid page that the app has replaced, beside that of a friend", async () => {
    const only = "pressed_again at POST /shares#1";
    const { found } = await explored(newestPageShop, PRESENT, { only });
    expect(found).toEqual([`convergence: ${only.replace(" at", "")}`]);
  });

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

  it("one whose late money is kept, while the other is open again", async () => {
    const forgetting: OnCharge = (order, status, call) => {
      if (status !== "COMPLETED" || order.status !== "expired") return follow(order, status, call);
      if (order.id.startsWith("second")) order.status = "open";
    };
    const only = "paid_late at charge#1";
    const { found } = await explored(checkoutShop(forgetting), ONE_CUSTOMER, { only });
    expect(found).toEqual(["money: paid_late charge#1"]);
  });

  it("one whose success_url with a short number counts as its payment", async () => {
    const flow = TOGETHER.replaceAll(/(first|second): body.checkout_id/g, "$&, order_$1: body.order")
      .replace("orders/1-${run.id}", "orders/${order_first}")
      .replace("orders/2-${run.id}", "orders/${order_second}");
    const { found } = await explored(numbered(true), flow, { only: "returned_unpaid at page#1" });
    expect(found).toEqual(["money: returned_unpaid page#1"]);
  });

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

/** Numbers the orders. If the shop is trusting, a visit of `success_url` makes an order look paid. */
const numbered =
  (isTrusting: boolean) =>
  (call: CallService): Answer => {
    const answer = checkoutShop(follow)(call);
    const visited = new Set<string>();
    let count = 0;
    return async (route, body) => {
      const [path, order = ""] = route.split(/[=]|(?<=orders)\//);
      if (isTrusting && path === "GET /thanks?order") visited.add(order);
      if (path === "GET /orders" && visited.has(order)) return [200, { status: "paid", delivered: 1 }];
      if (route !== "POST /orders") return answer(route, body);
      const number = ++count;
      const [status, view] = await answer(route, { ...body, order: String(number) });
      return [status, { ...(view as object), order: number }];
    };
  };

describe.concurrent("of two orders, explore compares", () => {
  it("the goods of one that is paid while the other is not", async () => {
    const { report } = await explored(checkoutShop(follow), TOGETHER);
    expect(report).toMatchObject({ findings: [], complete_depth: 1, not_compared: [] });
    expect(report.looked_at).toEqual(["delivered", "status"]);
    expect(report.notes.filter((note) => note.startsWith("not judged"))).toEqual([]);
  });
});

describe.concurrent("of two orders, explore accepts", () => {
  it("one that is paid after another has expired", async () => {
    const { report } = await explored(checkoutShop(follow), AFTER_EXPIRY);
    expect(report).toMatchObject({ findings: [], complete_depth: 1 });
    expect(report.notes.filter((note) => note.startsWith("not judged"))).toEqual([]);
  });

  it("two customers whose addresses are in upper case, and shows a part of each", async () => {
    const naming = (call: CallService): Answer => {
      const names = new Map<string, string>();
      const answer = checkoutShop(follow)(call);
      return async (route, body) => {
        if (route === "POST /orders") names.set(`GET /orders/${body.order}`, body.email.split("@")[0]);
        const [status, view] = await answer(route, body);
        return [status, { ...(view as object), name: names.get(route) }];
      };
    };
    const { found, report } = await explored(naming, TOGETHER, { only: "awkward_value at e-mail" });
    expect(found).toEqual([]);
    expect(report.singles).toMatchObject([{ outcome: "right" }]);
  });

  it("one whose customer returns without a payment, with names that differ from run to run", async () => {
    let count = 0;
    const numbering = (call: CallService) =>
      numbered(false)((method, path, body: Json, key) => {
        const { metadata, customer_email } = body ?? {};
        const named = { ...metadata, name: `${customer_email}-${++count}` };
        return call(method, path, metadata === undefined ? body : { ...body, metadata: named }, key);
      });
    const flow = TOGETHER.replaceAll(/(first|second): body.checkout_id/g, "$&, order_$1: body.order")
      .replace("orders/1-${run.id}", "orders/${order_first}")
      .replace("orders/2-${run.id}", "orders/${order_second}");
    const { report } = await explored(numbering, flow, { only: "returned_unpaid at page#1" });
    expect(report).toMatchObject({ findings: [], singles: [{ outcome: "right" }] });
  });

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
