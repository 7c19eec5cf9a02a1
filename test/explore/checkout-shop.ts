import { type Answer, type CallService, type FoundOptions, foundIn, openApp } from "./apps.js";

export interface Order {
  readonly id: string;
  readonly email: string;
  status: string;
  delivered: number;
  checkout_id?: string;
  charge_id?: string;
  /** Made once, even if two requests pay out at the same moment. */
  destination?: Promise<string> | undefined;
}

/** Handles the status of a charge after a webhook. */
export type OnCharge = (order: Order, status: string, call: CallService) => Promise<void> | void;
export type Work = (order: Order, call: CallService) => Promise<void>;
export type Extra = (order: Order, call: CallService) => Promise<readonly [status: number, body?: unknown]>;

/** A shop that uses the hosted page and handles webhooks in order. */
export const checkoutShop =
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
        success_url: `https://shop.test/thanks?order=${order.id}`,
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

export const flowOf = (steps: string, expected: string) => `
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

export const deliver = (order: Order) =>
  Object.assign(order, { status: "paid", delivered: order.delivered + 1 });
const WALLET = {
  type: "mobile_money",
  currency: "KES",
  provider: "simba_pesa",
  phone_number: "+254700000009",
};

/** Pays out once for each order, with the order's id as key. */
export async function payOut(order: Order, call: CallService) {
  const { id } = order;
  order.destination ??= call("POST", "payouts/destinations", WALLET).then((made) => made.destination_id);
  const destination_id = await order.destination.catch((error) => {
    order.destination = undefined;
    throw error;
  });
  const terms = { destination_id, amount: "600.00", currency: "KES", reference: id };
  await call("POST", "payouts/withdrawals", terms, id);
}

export async function explored(
  shop: (call: CallService) => Answer,
  flow: string,
  options: FoundOptions = {},
) {
  const app = await openApp(shop);
  await app.sandbox.control("POST", "/_sandbox/balances", { currency: "KES", amount: "1000000.00" });
  return foundIn(app, flow, options);
}
