import { expect, it } from "vitest";
import type { ExploreFlow } from "../../../src/library/index.js";
import { openSandbox } from "../../support/api-client.js";
import { openShop as openLivesShop } from "../lives/shop.js";
import { flowOf, type Order, openFunctionShop, serviceOf } from "./shop.js";

it("a right shop that credits a late payment is silent, though the credit stands in another view", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const credits = new Map<string, number>();
  const shop = await openFunctionShop(sandbox, {
    deliver: (order: Order) => {
      if (order.status === "failed") credits.set(order.id, 1105.1);
      else Object.assign(order, { status: "paid", delivered: 1 });
      return undefined;
    },
  });
  const flow: ExploreFlow = {
    see: {
      order: ({ id }) => shop.orders.get(id)?.status,
      wallet: ({ id }) => ({ credit: credits.get(id) ?? 0 }),
    },
    async flow({ id, email, press, advance }) {
      await press("order", () => shop.place(id, email));
      await advance("10s");
    },
  };
  const report = await sandbox.explore(flow, { only: "paid_late at charge#1", throws: false });
  expect(report).toMatchObject({ findings: [], passed: true });
});

it("a right app that shows a copy of the charge without its settlement is silent if the settlement is late", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const charges = new Map<string, unknown>();
  await sandbox.onWebhook(async (request) => {
    const { data } = JSON.parse(await request.text());
    charges.set(data.metadata.order_id, data);
  });
  const shop = await openFunctionShop(sandbox);
  const flow = flowOf(shop, { see: { charge: ({ id }) => charges.get(id) } });
  const report = await sandbox.explore(flow, { only: "settled_late at charge#1", throws: false });
  expect(report).toMatchObject({ findings: [], passed: true });
});

it("a customer who cannot pay the page that she has cancelled, as the app has not heard of it, is not judged", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const call = serviceOf(sandbox);
  const orders = new Map<string, { status: string; page?: Promise<Record<string, string>> | undefined }>();
  await sandbox.onWebhook(async (request) => {
    const { type, data } = JSON.parse(await request.text());
    const order = orders.get(data.metadata.order);
    if (type === "charge.cancelled") order!.page = undefined;
    else if (type === "charge.completed") order!.status = "paid";
  });
  const goToPay = (id: string, email: string) => {
    const order = orders.get(id) ?? { status: "open" };
    orders.set(id, order);
    const pricing = { base_currency: "KES", amount: "1105.10" };
    order.page ??= call("POST", "checkouts", { pricing, customer_email: email, metadata: { order: id } });
    return order.page;
  };
  const flow: ExploreFlow = {
    see: { order: ({ id }) => ({ status: orders.get(id)?.status }) },
    async flow({ id, email, press, pay, cancel, advance }) {
      const first = await press("pay", () => goToPay(id, email));
      await cancel({ checkout_id: first.checkout_id! });
      await advance("10s");
      const second = await press("pay again", () => goToPay(id, email));
      await pay({ checkout_id: second.checkout_id! });
      await advance("10s");
    },
  };
  const only = "webhook_late at charge.cancelled#1";
  const { findings, singles } = await sandbox.explore(flow, { only, throws: false });
  expect({ findings, singles }).toMatchObject({ findings: [], singles: [{ outcome: "unknown" }] });
});

/** A subscription that a job renews 30 days after its latest payment. */
async function openSubscriptions() {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const call = serviceOf(sandbox);
  const nowMs = async () =>
    Date.parse((await sandbox.control<{ now: string }>("GET", "/_sandbox/clock")).now);
  const subscriptions = new Map<string, { email: string; paidMs: number[]; isOpen: boolean }>();
  await sandbox.onWebhook(async (request) => {
    const { type, data } = JSON.parse(await request.text());
    const subscription = subscriptions.get(data.metadata.subscription);
    if (subscription === undefined || type !== "charge.completed") return;
    subscription.paidMs.push(await nowMs());
    subscription.isOpen = false;
  });
  const bill = async (id: string) => {
    const subscription = subscriptions.get(id)!;
    subscription.isOpen = true;
    const terms = { pricing: { base_currency: "KES", amount: "990.10" }, payment_method: "card" };
    const { quote_id } = await call("POST", "quotes", terms);
    const metadata = { subscription: id };
    await call("POST", "whitelabel", { ...terms, quote_id, customer_email: subscription.email, metadata });
  };
  const flow: ExploreFlow = {
    see: { payments: ({ id }) => ({ payments: subscriptions.get(id)?.paidMs.length }) },
    setup: () => subscriptions.clear(),
    async tick() {
      for (const [id, { paidMs, isOpen }] of subscriptions)
        if (!isOpen && (await nowMs()) - paidMs.at(-1)! >= 30 * 86_400_000) await bill(id);
    },
    async flow({ id, email, press, advance }) {
      await press("subscribe", () => {
        subscriptions.set(id, { email, paidMs: [], isOpen: false });
        return bill(id);
      });
      await advance("10s");
      await advance("31d");
    },
  };
  return { sandbox, flow };
}

it("a subscription whose renewal is still open at the end, as its first payment was heard of late, is not judged", async () => {
  const { sandbox, flow } = await openSubscriptions();
  const only = "webhook_after_deadline at charge.completed#1";
  const { findings, notes } = await sandbox.explore(flow, { only, throws: false });
  expect(findings).toEqual([]);
  expect(notes.join()).toContain("a charge is still PENDING");
});

it("a job that meets itself is found in an app whose webhooks leave the work to the job", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const call = serviceOf(sandbox);
  const orders = new Map<string, { shipped: number }>();
  const inbox: { readonly order: string; readonly charge: string; isDone: boolean }[] = [];
  await sandbox.onWebhook(async (request) => {
    const { type, data } = JSON.parse(await request.text());
    if (type === "charge.completed")
      inbox.push({ order: data.metadata.order, charge: data.charge_id, isDone: false });
  });
  const flow: ExploreFlow = {
    see: { order: ({ id }) => orders.get(id) },
    async tick() {
      for (const entry of inbox.filter(({ isDone }) => !isDone)) {
        const { status } = await call("GET", `charges/${entry.charge}`);
        if (String(status) === "COMPLETED") orders.get(entry.order)!.shipped++;
        entry.isDone = true;
      }
    },
    async flow({ id, email, press, pay, advance }) {
      const { checkout_id } = await press("order", () => {
        orders.set(id, orders.get(id) ?? { shipped: 0 });
        const pricing = { base_currency: "KES", amount: "1105.10" };
        return call("POST", "checkouts", { pricing, customer_email: email, metadata: { order: id } });
      });
      await pay({ checkout_id: checkout_id! });
      await advance("10s");
    },
  };
  const { findings } = await sandbox.explore(flow, { throws: false });
  expect(findings.map(({ deviations: [one] }) => one?.kind)).toContain("job_twice");
});

it.each([
  ["a right shop is silent", undefined, []],
  [
    "a shop that gives up on it is found",
    (order: Order) => order.status === "pending" && Object.assign(order, { status: "given up" }),
    ["webhook_after_deadline"],
  ],
])("where the flow expects the first of two payments and its webhook is late, %s", async (_, work, kinds) => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const shop = await openFunctionShop(sandbox, {
    deliver: (order: Order) =>
      void (order.status === "given up" || Object.assign(order, { status: "paid", delivered: 1 })),
  });
  const flow: ExploreFlow = {
    see: { orders: ({ id }) => ["a", "b"].map((letter) => shop.orders.get(id + letter)?.status ?? "none") },
    tick: () => void (work && [...shop.orders.values()].forEach(work)),
    async flow({ id, email, press, advance }) {
      for (const letter of ["a", "b"]) {
        await press(`order ${letter}`, () => shop.place(id + letter, email));
        await advance("10s");
        if (shop.orders.get(id + letter)?.status !== "paid") throw new Error("not paid yet");
      }
    },
  };
  const only = "webhook_after_deadline at charge.completed#1";
  const { findings } = await sandbox.explore(flow, { only, throws: false });
  expect(findings.map(({ deviations: [one] }) => one?.kind)).toEqual(kinds);
});

it("a right shop whose log names each page that was paid or abandoned is silent", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const shop = await openLivesShop(sandbox);
  const logs = new Map<string, string[]>();
  await sandbox.onWebhook(async (request) => {
    const { type, data } = JSON.parse(await request.text());
    const log = logs.get(data.metadata.order) ?? [];
    logs.set(data.metadata.order, log);
    const entry = `${type} ${data.charge_id}`;
    if (/failed|expired|cancelled|completed|refunded/.test(type) && !log.includes(entry)) log.push(entry);
  });
  const see = { order: shop.see.order!, log: ({ id }: { readonly id: string }) => logs.get(id) ?? [] };
  const report = await sandbox.explore({ ...shop, see }, { throws: false });
  expect(report).toMatchObject({ findings: [], passed: true });
});

it("a press that an app refuses until it has heard of the payment is repeated at the end", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const shop = await openFunctionShop(sandbox);
  const picked = new Set<string>();
  const flow = flowOf(shop, {
    see: { order: ({ id }) => ({ status: shop.orders.get(id)?.status, isPickedUp: picked.has(id) }) },
    async flow({ id, email, press, advance }) {
      await press("order", () => shop.place(id, email));
      await advance("10s");
      await press("pick up", () => {
        if (shop.orders.get(id)!.status !== "paid") throw new Error("not paid yet");
        picked.add(id);
      });
    },
  });
  const report = await sandbox.explore(flow, { only: "webhook_late at charge.completed#1", throws: false });
  expect(report).toMatchObject({ findings: [], passed: true });
  expect(report.notes).toEqual([]);
});

it("a job that bills the sum of what was used, in more charges or in fewer, is silent", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const call = serviceOf(sandbox);
  const shop = await openFunctionShop(sandbox);
  const uses: { readonly id: string; readonly email: string; readonly amount: number; bill?: number }[] = [];
  const bills: { charge?: Promise<unknown>; isPaid?: boolean }[] = [];
  await sandbox.onWebhook(async (request) => {
    const { type, data } = JSON.parse(await request.text());
    const bill = bills[Number(data.metadata.bill)];
    if (bill !== undefined && type === "charge.completed") bill.isPaid = true;
  });
  const use = (id: string, email: string, amount: number) => {
    if (!uses.some((one) => one.id === id && one.amount === amount)) uses.push({ id, email, amount });
  };
  const charge = async (bill: number) => {
    const own = uses.filter((one) => one.bill === bill);
    const amount = `${own.reduce((sum, one) => sum + one.amount, 0)}.00`;
    const terms = { pricing: { base_currency: "KES", amount }, payment_method: "card" };
    const { quote_id } = await call("POST", "quotes", terms);
    const metadata = { bill: String(bill) };
    await call("POST", "whitelabel", { ...terms, quote_id, customer_email: own[0]!.email, metadata });
  };
  const flow = flowOf(shop, {
    see: {
      paid: ({ id }) => {
        const paid = uses.filter(({ bill = -1, ...one }) => one.id === id && bills[bill]?.isPaid);
        return { paid: paid.reduce((sum, { amount }) => sum + amount, 0) };
      },
    },
    async tick() {
      for (const { id } of uses) {
        const open = uses.filter((one) => one.id === id && one.bill === undefined);
        for (const one of open) one.bill = bills.length;
        if (open.length > 0) bills.push({});
      }
      for (const [index, bill] of bills.entries()) {
        bill.charge ??= charge(index);
        await bill.charge.catch(() => {});
      }
    },
    async flow({ id, email, press, advance }) {
      await press("use", () => use(id, email, 700));
      await press("order", () => shop.place(id, email));
      await advance("10s");
      await press("use more", () => use(id, email, 300));
    },
  });
  for (const kind of ["job_meanwhile at charge.awaiting_payment#1", "job_twice at charge.completed#1"]) {
    const report = await sandbox.explore(flow, { only: kind, throws: false });
    expect(report.findings.map(({ message }) => message)).toEqual([]);
  }
});

it("half of the newest of two payments is refunded, whatever the first one was", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const call = serviceOf(sandbox);
  const paid = new Map<string, string[]>();
  await sandbox.onWebhook(async (request) => {
    const { type, data } = JSON.parse(await request.text());
    const own = paid.get(data.metadata.rental) ?? [];
    if (type === "charge.completed")
      paid.set(data.metadata.rental, [...new Set([...own, data.metadata.part])]);
  });
  const charge = async (rental: string, customer_email: string, part: string, amount: string) => {
    const terms = { pricing: { base_currency: "KES", amount }, payment_method: "card" };
    const { quote_id } = await call("POST", "quotes", terms);
    await call("POST", "whitelabel", { ...terms, quote_id, customer_email, metadata: { rental, part } });
  };
  const flow: ExploreFlow = {
    name: "rental",
    see: { rental: ({ id }) => ({ hasDeposit: paid.get(id)?.includes("deposit") === true }) },
    async flow({ id, email, press, advance }) {
      await press("deposit", () => charge(id, email, "deposit", "900.00"));
      await advance("10s");
      await press("rent", () => charge(id, email, "rent", "100.00"));
      await advance("10s");
    },
  };
  const report = await sandbox.explore(flow, { only: "partly_refunded at charge#1", throws: false });
  expect(report).toMatchObject({ findings: [], passed: true });
  const reason = expect.stringMatching(/^only the first payment of a flow ends otherwise/);
  const { not_tried } = await sandbox.explore(flow, { throws: false });
  expect(not_tried).toContainEqual({ kind: "declined", at: "charge#2", reason });
});

it("the webhook of the second of two customers comes twice too", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const shop = await openFunctionShop(sandbox, { hasBugs: true });
  const flow = flowOf(shop, {
    see: { delivered: ({ id }) => ["ann", "ben"].map((who) => shop.orders.get(id + who)?.delivered) },
    async flow({ id, email, press, advance }) {
      for (const who of ["ann", "ben"]) {
        await press(`${who} orders`, () => shop.place(id + who, email.replace("@", `-${who}@`)));
        await advance("10s");
      }
    },
  });
  const only = "webhook_twice at charge.completed#2";
  const { findings } = await sandbox.explore(flow, { only, throws: false });
  expect(findings.map(({ message }) => message)).toEqual(["done more than once: delivered.1 is 2, not 1"]);
});

const throwing = (): never => {
  throw Object.assign(new Error("unpaid"), { status: 409 });
};

it.each([
  ["by an error", throwing],
  ["by a result without the page", async (): Promise<Record<string, string>> => ({ ok: "" })],
])(
  "a customer whom an app refuses %s until it has heard of her first payment comes back",
  async (_, refuse) => {
    const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
    const call = serviceOf(sandbox);
    const stays = new Map<string, { deposit?: Page; rest?: Page; paid: string[] }>();
    type Page = Promise<Record<string, string>>;
    type Part = "deposit" | "rest";
    await sandbox.onWebhook(async (request) => {
      const { type, data } = JSON.parse(await request.text());
      const { paid } = stays.get(data.metadata.stay)!;
      if (type === "charge.completed" && !paid.includes(data.metadata.part)) paid.push(data.metadata.part);
    });
    const open = (id: string, customer_email: string, part: Part) => {
      const stay = stays.get(id) ?? { paid: [] };
      stays.set(id, stay);
      if (part === "rest" && stay.paid.length === 0) return refuse();
      const pricing = { base_currency: "USD", amount: part === "rest" ? "70.00" : "30.00" };
      stay[part] ??= call("POST", "checkouts", { pricing, customer_email, metadata: { stay: id, part } });
      return stay[part];
    };
    const flow: ExploreFlow = {
      see: { paid: ({ id }) => stays.get(id)?.paid ?? [] },
      async flow({ id, email, press, pay, advance }) {
        for (const part of ["deposit", "rest"] as const) {
          const { checkout_id = "" } = await press(part, () => open(id, email, part));
          await pay({ checkout_id });
          await advance("10s");
        }
      },
    };
    const only = "webhook_after_deadline at charge.completed#1";
    const report = await sandbox.explore(flow, { only, throws: false });
    expect(report).toMatchObject({ findings: [], passed: true });
  },
);

it("a purchase that an app refuses in its own words, as it has not heard of the top-up, is made again at the end", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const bought = new Set<string>();
  const shop = await openFunctionShop(sandbox);
  const buy = (id: string) => {
    if (shop.orders.get(id)?.status !== "paid") return "too poor";
    bought.add(id);
    return "yours";
  };
  const flow = flowOf(shop, {
    see: {
      wallet: ({ id }) => ({ balance: bought.has(id) ? 380 : 500, bought: bought.has(id) ? ["hat"] : [] }),
    },
    async flow({ id, email, press, advance }) {
      await press("top up", () => shop.place(id, email));
      await advance("10s");
      await press("buy", () => buy(id));
    },
  });
  const only = "webhook_late at charge.completed#1";
  expect(await sandbox.explore(flow, { only, throws: false })).toMatchObject({ findings: [], passed: true });
});

it("a customer who could not buy yet, as the app had not heard of her top-up, buys before the refund", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const bought = new Set<string>();
  const shop = await openFunctionShop(sandbox);
  const refunded = new Set<string>();
  await sandbox.onWebhook(async (request) => {
    const { type, data } = JSON.parse(await request.text());
    if (type === "charge.refunded") refunded.add(data.metadata.order_id);
  });
  const isFunded = (id: string) => shop.orders.get(id)?.status === "paid" && !refunded.has(id);
  const flow = flowOf(shop, {
    see: { wallet: ({ id }) => ({ balance: (isFunded(id) ? 500 : 0) - (bought.has(id) ? 380 : 0) }) },
    async flow({ id, email, press, advance }) {
      await press("top up", () => shop.place(id, email));
      await advance("10s");
      await press("buy", () => {
        if (!isFunded(id)) return { ok: false };
        bought.add(id);
        return { ok: true };
      });
    },
  });
  const only = "refunded at charge#1, webhook_late at charge.completed#1";
  expect(await sandbox.explore(flow, { only, throws: false })).toMatchObject({ findings: [], passed: true });
});

it("a run in which the sandbox refuses the flow is not judged", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const shop = await openFunctionShop(sandbox);
  const locked = new Set<string>();
  await sandbox.onWebhook(async (request) => {
    const { type, data } = JSON.parse(await request.text());
    if (type === "sandbox.charge.charged_back") locked.add(data.metadata.order_id);
  });
  const flow = flowOf(shop, {
    see: { account: ({ id }) => ({ isLocked: locked.has(id) }) },
    async flow({ id, email, press, advance }) {
      const { charge_id } = (await press("order", () => shop.place(id, email))) as { charge_id: string };
      await advance("10s");
      await sandbox.control("POST", `/_sandbox/charges/${charge_id}/chargeback`);
    },
  });
  const report = await sandbox.explore(flow, { only: "settled_late at charge#1", throws: false });
  expect(report.findings).toEqual([]);
  expect(report.notes.join()).toContain("The charge has not settled yet");
});
