// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import { type Answer, type CallService, foundIn, openApp } from "./apps.js";

interface Order {
  readonly id: string;
  readonly email: string;
  status: string;
  delivered: number;
  checkout_id?: string;
  charge_id?: string;
  destination_id?: string;
}

/** Work of a shop after its webhooks have said what became of a charge. */
type OnCharge = (order: Order, status: string, call: CallService) => Promise<void> | void;
type Work = (order: Order, call: CallService) => Promise<void>;
type Extra = (order: Order, call: CallService) => Promise<readonly [status: number, body?: unknown]>;

/** A shop with a page of the service, which handles the webhooks of an order one after the other. */
const checkoutShop =
  (onCharge: OnCharge, extra: Extra = async () => [404], onTick: Work = async () => {}) =>
  (call: CallService): Answer => {
    const orders = new Map<string, Order>();
    const making = new Map<string, Promise<void>>();
    const turns = new Map<string, Promise<void>>();
    const make = async (order: Order) => {
      const body = {
        pricing: { base_currency: "KES", amount: "1105.10" },
        customer_email: order.email,
        metadata: { order: order.id },
      };
      const { checkout_id, charge_id } = await call("POST", "payments/checkouts", body);
      Object.assign(order, { checkout_id, charge_id });
    };
    return async (route, body) => {
      const [, , id = "", action] = /^(GET|POST) \/orders\/([^/]+)(?:\/(\w+))?$/.exec(route) ?? [];
      const order = orders.get(id || (body?.order ?? body?.data?.metadata.order));
      if (action !== undefined) return extra(order!, call);
      if (id !== "") return [200, { status: order?.status, delivered: order?.delivered }];
      if (route === "POST /tick") {
        for (const one of orders.values()) await onTick(one, call).catch(() => {});
        return [200];
      }
      if (route === "POST /orders") {
        const made: Order = order ?? { id: body.order, email: body.email, status: "open", delivered: 0 };
        orders.set(made.id, made);
        if (made.checkout_id === undefined) {
          const busy = making.get(made.id) ?? make(made).finally(() => making.delete(made.id));
          making.set(made.id, busy);
          await busy;
        }
        return [201, { checkout_id: made.checkout_id }];
      }
      if (order === undefined || order.charge_id !== body.data.charge_id) return [200];
      const turn = (turns.get(order.id) ?? Promise.resolve()).then(() =>
        onCharge(order, body.data.status, call),
      );
      turns.set(
        order.id,
        turn.catch(() => {}),
      );
      await turn;
      return [200];
    };
  };

const flowOf = (steps: string, expected: string) => `
name: order
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: POST /orders
    body: { order: "\${order}", email: "\${email}" }
    save: { checkout: body.checkout_id }
  - close_page: { checkout_id: "\${checkout}", payment_method: card }
    save: { charge: charge_id }
  - advance: 10s${steps}
  - app: GET /orders/\${order}
    expect: { body: { ${expected} } }
observe:
  - app: GET /orders/\${order}
`;

const deliver = (order: Order) => Object.assign(order, { status: "paid", delivered: order.delivered + 1 });
const WALLET = {
  type: "mobile_money",
  currency: "KES",
  provider: "simba_pesa",
  phone_number: "+254700000009",
};

/** Pays out once for an order: a repeat has the same key. */
async function payOut(order: Order, call: CallService) {
  order.destination_id ??= (await call("POST", "payouts/destinations", WALLET)).destination_id;
  const { id, destination_id } = order;
  const terms = { destination_id, amount: "600.00", currency: "KES", reference: id };
  await call("POST", "payouts/withdrawals", terms, id);
}

async function explored(shop: (call: CallService) => Answer, flow: string) {
  const app = await openApp(shop);
  await app.sandbox.control("POST", "/_sandbox/balances", { currency: "KES", amount: "1000000.00" });
  return foundIn(app, flow);
}

describe("a charge that is cancelled", () => {
  const PAID = flowOf("", "status: paid, delivered: 1");
  const ended = (order: Order, status: string) => {
    if (status === "COMPLETED" && order.status !== "paid") deliver(order);
    else if (order.status !== "paid") order.status = status.toLowerCase();
  };

  it("leaves a right app with an order that is cancelled, or open to be paid anew", async () => {
    expect((await explored(checkoutShop(ended), PAID)).found).toEqual([]);
    const open = (order: Order, status: string) => {
      if (status === "COMPLETED" && order.status !== "paid") deliver(order);
    };
    expect((await explored(checkoutShop(open), PAID)).found).toEqual([]);
  });

  it("is never noticed by an app whose order stays pending", async () => {
    const deaf = (order: Order, status: string) => {
      if (status === "COMPLETED") order.status = "paid";
      else if (order.status !== "paid") order.status = "pending";
    };
    const { found, report } = await explored(checkoutShop(deaf), flowOf("", "status: paid"));
    expect(found).toEqual(["liveness: cancelled_then_paid page#1"]);
    expect(report.findings[0]?.message).toBe(
      'the charge has ended, and the app waits: body.status is "pending"',
    );
  });

  it("is paid out by no right app, which pays out what it was paid", async () => {
    const share: OnCharge = async (order, status, call) => {
      if (status !== "COMPLETED" || order.status === "paid") return;
      await payOut(order, call);
      deliver(order);
    };
    expect((await explored(checkoutShop(share), PAID)).found).toEqual([]);
  });
});

describe("a late payment", () => {
  const PAID = flowOf("", "status: paid, delivered: 1");
  const returning =
    (payBack: OnCharge): OnCharge =>
    async (order, status, call) => {
      if (status === "COMPLETED" && order.status === "expired") {
        await payBack(order, status, call);
        order.status = "refunded";
      } else if (status === "COMPLETED" && order.status !== "refunded" && order.status !== "paid")
        deliver(order);
      else if (status === "EXPIRED" || status === "CANCELLED") order.status = status.toLowerCase();
    };

  it("may be returned by one payout", async () => {
    const { found } = await explored(checkoutShop(returning((order, _, call) => payOut(order, call))), PAID);
    expect(found).toEqual([]);
  });

  it("is kept by an app that says it was returned", async () => {
    const { found } = await explored(checkoutShop(returning(() => {})), PAID);
    expect(found).toEqual(["money: paid_late charge#1"]);
  });

  it("is paid out on a second try of a step that was refused before it", async () => {
    const paying: OnCharge = (order, status) => {
      if (status === "COMPLETED" && order.status !== "paid") deliver(order);
      else if (order.status !== "paid") order.status = status.toLowerCase();
    };
    const payout: Extra = async (order, call) => {
      if (order.status !== "paid") return [409, { error: "not paid yet" }];
      await payOut(order, call);
      return [202];
    };
    const flow = flowOf(
      "\n  - app: POST /orders/${order}/payout\n  - advance: 1d",
      "status: paid, delivered: 1",
    );
    expect((await explored(checkoutShop(paying, payout), flow)).found).toEqual([]);
  });
});

it("a payout whose response was lost is repeated by an hourly job with the same Idempotency-Key", async () => {
  const repeat: Work = async (order, call) => {
    if (order.status !== "due") return;
    await payOut(order, call);
    order.status = "paid";
  };
  const share: OnCharge = async (order, status, call) => {
    if (status !== "COMPLETED" || order.status !== "open") return;
    order.status = "due";
    await repeat(order, call).catch(() => {});
  };
  const flow = `${flowOf("", "status: paid")}tick:\n  - app: POST /tick\n`;
  const { found, report } = await explored(checkoutShop(share, undefined, repeat), flow);
  expect(found).toEqual([]);
  expect(report.notes.join()).toMatch(/good practice: \w+ at createWithdrawal#1/);
});

it("a charge that was refunded before its late webhook came need not be delivered", async () => {
  const careful: OnCharge = (order, status) => {
    if (status === "COMPLETED" && order.status === "open") deliver(order);
    if (status === "REFUNDED" || status === "CANCELLED") order.status = status.toLowerCase();
  };
  const flow = flowOf(
    "\n  - request: POST /_sandbox/charges/${charge}/refund\n  - advance: 10s",
    "status: refunded, delivered: 1",
  );
  const { found, report } = await explored(checkoutShop(careful), flow);
  expect(found).toEqual([]);
  expect(report.singles).toContainEqual({
    kind: "webhook_late",
    at: "charge.completed#1",
    outcome: "right",
  });
});
