import { Webhook } from "standardwebhooks";
import type { ExploreFlow, Sandbox } from "../../../src/library/index.js";

export interface Order {
  id: string;
  status: string;
  delivered: number;
  charge?: Promise<object> | undefined;
}

export interface FunctionShop {
  readonly orders: Map<string, Order>;
  readonly place: (id: string, email: string) => Promise<object>;
}

export interface ShopOptions {
  /** Delivers once for each webhook of a payment, and pays again after a lost response. */
  readonly hasBugs?: boolean;
  /** Delivers for a payment that has failed. */
  readonly deliversFailed?: boolean;
  /** Delivers a paid order, in place of the shop's own way. */
  readonly deliver?: (order: Order) => Promise<void> | undefined;
}

/** Calls the service as the app of a sandbox does. */
export function serviceOf(sandbox: Sandbox) {
  return async (
    method: string,
    path: string,
    body?: object,
    key?: string,
  ): Promise<Record<string, never>> => {
    const response = await sandbox.fetch(`/api/v1/payments/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${sandbox.apiKey}`,
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw Object.assign(new Error(`${path} returned ${response.status}`), { cause: response });
    return (await response.json()) as Record<string, never>;
  };
}

/** A shop of functions in this process, after that of docs/start.md. */
export async function openFunctionShop(
  sandbox: Sandbox,
  { hasBugs = false, deliversFailed = false, deliver }: ShopOptions = {},
): Promise<FunctionShop> {
  const call = serviceOf(sandbox);
  const webhook = new Webhook(sandbox.webhookSecret);
  const orders = new Map<string, Order>();
  await sandbox.onWebhook(async (request) => {
    const event = webhook.verify(await request.text(), Object.fromEntries(request.headers));
    const { type, data } = event as { type: string; data: { metadata?: { order_id?: string } } };
    const order = orders.get(data.metadata?.order_id ?? "");
    if (order === undefined) return;
    if (type === "charge.completed" && deliver !== undefined) await deliver(order);
    else if (type === "charge.failed" && deliversFailed)
      Object.assign(order, { status: "paid", delivered: 1 });
    else if (type === "charge.completed" && (hasBugs || order.delivered === 0))
      Object.assign(order, { status: "paid", delivered: order.delivered + 1 });
    if (/^charge\.(failed|expired|cancelled)$/.test(type) && order.delivered === 0) order.status = "failed";
  });
  const terms = { pricing: { base_currency: "KES", amount: "1105.10" }, payment_method: "card" };
  const charge = async (order: Order, email: string): Promise<object> => {
    const { quote_id } = await call("POST", "quotes", terms);
    const metadata = { order_id: order.id };
    return call("POST", "whitelabel", { ...terms, quote_id, customer_email: email, metadata });
  };
  const find = async ({ id }: Order): Promise<object> => {
    const { items } = (await call("GET", "payins?limit=100")) as unknown as {
      items: { charge_id: string }[];
    };
    for (const { charge_id } of items) {
      const found = await call("GET", `charges/${charge_id}`);
      if ((found.metadata as unknown as { order_id?: string }).order_id === id) return found;
    }
    throw new Error("no charge was made");
  };
  const place = (id: string, email: string): Promise<object> => {
    const order = orders.get(id) ?? { id, status: "pending", delivered: 0 };
    orders.set(id, order);
    if (hasBugs) return charge(order, email);
    order.charge ??= charge(order, email)
      .catch(async (error) =>
        find(order)
          .catch(() => find(order))
          .catch(() => Promise.reject(error)),
      )
      .catch((error) => {
        order.charge = undefined;
        throw error;
      });
    return order.charge;
  };
  return { orders, place };
}

export function flowOf({ orders, place }: FunctionShop, more: Partial<ExploreFlow> = {}): ExploreFlow {
  return {
    name: "order",
    see: {
      order: ({ id }) => {
        const { status, delivered } = orders.get(id)!;
        return { status, delivered };
      },
    },
    async flow({ id, email, press, advance }) {
      await press("order", () => place(id, email));
      await advance("10s");
    },
    ...more,
  };
}
