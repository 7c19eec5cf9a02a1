import { Webhook } from "standardwebhooks";
import type { ExploreFlow, Sandbox } from "../../../src/library/index.js";
import { serviceOf } from "../functions/shop.js";

interface Order {
  readonly id: string;
  readonly email: string;
  status: string;
  price: string;
  charge?: Promise<{ readonly charge_id: string }> | undefined;
}

interface App {
  readonly setup?: () => void;
  readonly see?: ExploreFlow["see"];
  /** Refuses an order by an error, or says what it costs. */
  readonly place?: (order: Order) => string;
  readonly goToPay?: (order: Order) => void;
  readonly onPaid?: (order: Order, read: () => Promise<unknown>) => Promise<void> | void;
  /** The payment has failed, was cancelled, or has expired. */
  readonly onUnpaid?: (order: Order, status: string) => void;
}

const PRICE = "1105.10";

/** Opens an app of this process with hosted checkouts, and the part in which each report differs. */
async function openApp(sandbox: Sandbox, name: string, app: App): Promise<ExploreFlow> {
  const call = serviceOf(sandbox);
  const webhook = new Webhook(sandbox.webhookSecret);
  const orders = new Map<string, Order>();
  await sandbox.onWebhook(async (request) => {
    const event = webhook.verify(await request.text(), Object.fromEntries(request.headers));
    const { type, data } = event as {
      type: string;
      data: { charge_id: string; metadata: { order: string } };
    };
    const order = orders.get(data.metadata.order);
    if (order === undefined) return;
    const [, status = ""] = /^charge\.(completed|failed|cancelled|expired)$/.exec(type) ?? [];
    if (status === "completed" && !["paid", "refunded"].includes(order.status)) {
      await app.onPaid?.(order, () => call("GET", `charges/${data.charge_id}`));
      order.status = "paid";
    } else if (/failed|cancelled|expired/.test(status) && order.status === "open") {
      order.status = "unpaid";
      app.onUnpaid?.(order, status);
    }
    if (type === "charge.refunded") order.status = "refunded";
  });
  const refuse = (): never => {
    throw Object.assign(new Error("refused"), { status: 409 });
  };
  const charge = async ({ id, email, price }: Order) =>
    (await call("POST", "checkouts", {
      pricing: { base_currency: "KES", amount: price },
      customer_email: email,
      metadata: { order: id },
    })) as never;
  return {
    name,
    setup: app.setup,
    see: {
      order: ({ id }) => {
        const { status, price } = orders.get(id) ?? refuse();
        return { status, price };
      },
      ...app.see,
    },
    lives: {
      order: ({ id, email, press }) =>
        press("order", () => {
          const order = orders.get(id) ?? { id, email, status: "open", price: PRICE };
          if (!orders.has(id)) order.price = app.place?.(order) ?? PRICE;
          orders.set(id, order);
        }),
      attempt: ({ id, press }) =>
        press("pay", () => {
          const order = orders.get(id) ?? refuse();
          if (order.status !== "open") refuse();
          if (order.charge === undefined) app.goToPay?.(order);
          order.charge ??= charge(order).catch(() => charge(order));
          return order.charge;
        }),
    },
  };
}

/** A coupon that each customer has once is used up by an order that is never paid. */
export function couponShop(sandbox: Sandbox, isFixed: boolean): Promise<ExploreFlow> {
  const used = new Set<string>();
  return openApp(sandbox, "coupon", {
    place: ({ email }) => {
      if (used.has(email)) return PRICE;
      used.add(email);
      return "884.08";
    },
    onUnpaid: ({ email, price }) => {
      if (isFixed && price !== PRICE) used.delete(email);
    },
  });
}

/** One slot is offered to each guest until the first has paid. */
export function slotShop(sandbox: Sandbox, isFixed: boolean): Promise<ExploreFlow> {
  let guest: string | undefined;
  return openApp(sandbox, "slot", {
    setup: () => {
      guest = undefined;
    },
    goToPay: ({ id }) => {
      if (guest !== undefined && guest !== id) throw Object.assign(new Error("taken"), { status: 409 });
      if (isFixed) guest = id;
    },
    onPaid: ({ id }) => {
      guest = id;
    },
    onUnpaid: ({ id }) => {
      if (guest === id) guest = undefined;
    },
  });
}

/** A room that an order holds is free again if the payment fails, but not if it expires. */
export function roomShop(sandbox: Sandbox, isFixed: boolean): Promise<ExploreFlow> {
  let guest: string | undefined;
  return openApp(sandbox, "room", {
    setup: () => {
      guest = undefined;
    },
    goToPay: ({ id }) => {
      if (guest !== undefined && guest !== id) throw Object.assign(new Error("taken"), { status: 409 });
      guest = id;
    },
    onUnpaid: (_order, status) => {
      if (isFixed || status !== "expired") guest = undefined;
    },
  });
}

/** A piece that is set aside for an order comes back if the payment fails, but not if it expires. */
export function stockShop(sandbox: Sandbox, isFixed: boolean): Promise<ExploreFlow> {
  let left = 5;
  return openApp(sandbox, "stock", {
    setup: () => {
      left = 5;
    },
    see: { stock: () => ({ left }) },
    goToPay: () => {
      left--;
    },
    onUnpaid: (_order, status) => {
      if (isFixed || status !== "expired") left++;
    },
  });
}

/** A balance is read, and written when the charge has been read: of two payments at once one is lost. */
export function walletShop(sandbox: Sandbox, isFixed: boolean): Promise<ExploreFlow> {
  const balances = new Map<string, number>();
  const credited = new Set<string>();
  const balanceOf = (email: string) => balances.get(email) ?? 0;
  return openApp(sandbox, "wallet", {
    see: { wallet: ({ email }) => ({ balance: balanceOf(email) }) },
    onPaid: async ({ id, email }, read) => {
      const before = balanceOf(email);
      await read();
      if (!credited.has(id)) balances.set(email, (isFixed ? balanceOf(email) : before) + 1105);
      credited.add(id);
    },
  });
}
