import { expect, it } from "vitest";
import type { ExploreFlow } from "../../../src/library/index.js";
import { openSandbox } from "../../support/api-client.js";
import { flowOf, type Order, openFunctionShop, serviceOf } from "./shop.js";

const SELLER = {
  type: "mobile_money",
  currency: "KES",
  phone_number: "+254700000009",
  provider: "simba_pesa",
};

it("a job that pays out what is paid is silent, and is not judged before its last payout has ended", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const call = serviceOf(sandbox);
  const shop = await openFunctionShop(sandbox);
  const payouts = new Map<string, string>();
  await sandbox.onWebhook(async (request) => {
    const { type, data } = JSON.parse(await request.text());
    if (type === "withdrawal.completed") payouts.set(data.reference, "paid");
  });
  const { destination_id } = await call("POST", "../payouts/destinations", SELLER);
  const payOut = async ({ id: reference }: Order) => {
    const withdrawal = { destination_id, amount: "600.00", currency: "KES", reference };
    await call("POST", "../payouts/withdrawals", withdrawal, reference);
    if (!payouts.has(reference)) payouts.set(reference, "pending");
  };
  const flow = flowOf(shop, {
    see: { order: ({ id }) => ({ ...shop.orders.get(id), charge: undefined, payout: payouts.get(id) }) },
    async tick() {
      for (const order of shop.orders.values())
        if (order.status === "paid" && !payouts.has(order.id)) await payOut(order).catch(() => {});
    },
  });
  const report = await sandbox.explore(flow, { throws: false });
  expect(report).toMatchObject({ findings: [], passed: true });
  expect(report.notes).toContain(
    "not judged: webhook_after_deadline at charge.completed#1: a payout is still PENDING",
  );
});

it.each([
  ["completed", []],
  [
    "processing",
    ["paid out, though nothing is paid: 1 completed withdrawal, where expired_unpaid alone has 0"],
  ],
])(
  "a shop that pays its seller when the charge is %s is judged by its other unpaid ends",
  async (on, messages) => {
    const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
    await sandbox.control("POST", "/_sandbox/balances", { currency: "KES", amount: "1000000.00" });
    const call = serviceOf(sandbox);
    const shop = await openFunctionShop(sandbox);
    const { destination_id } = await call("POST", "../payouts/destinations", SELLER);
    const paidOut = new Set<string>();
    await sandbox.onWebhook(async (request) => {
      const { type, data } = JSON.parse(await request.text());
      const reference = data.metadata?.order_id;
      const withdrawal = { destination_id, amount: "600.00", currency: "KES", reference };
      if (type !== `charge.${on}` || paidOut.has(reference)) return;
      await call("POST", "../payouts/withdrawals", withdrawal, reference);
      paidOut.add(reference);
    });
    const flow = flowOf(shop, { see: { order: ({ id }) => shop.orders.get(id)!.status } });
    const only = on === "processing" ? "declined at charge#1" : undefined;
    const report = await sandbox.explore(flow, { only, throws: false });
    expect(report.findings.map(({ message }) => message)).toEqual(messages);
  },
);

it.each([
  ["is silent", false, []],
  [
    "is found if it begins anew after a lost response",
    true,
    ["paid out twice: 2 completed withdrawals, where a plain run has 1"],
  ],
])(
  "a job that pays out the sum of what is owed, in more payouts or in fewer, %s",
  async (_, forgets, messages) => {
    const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
    const call = serviceOf(sandbox);
    const shop = await openFunctionShop(sandbox);
    const { destination_id } = await call("POST", "../payouts/destinations", SELLER);
    const batches: { orders: Order[]; isPaidOut: boolean; seller: string }[] = [];
    const flow: ExploreFlow = {
      name: "seller",
      see: {
        owed: ({ id }) => {
          const own = batches.filter(({ seller }) => seller === id);
          return { orders: own.flatMap(({ orders, isPaidOut }) => (isPaidOut ? orders : [])).length };
        },
      },
      async tick() {
        const isDue = (order: Order) =>
          order.status === "paid" && !batches.some(({ orders }) => orders.includes(order));
        const due = [...shop.orders.values()].filter(isDue);
        const sellerOf = ({ id }: Order) => id.replace(/ .*/, "");
        for (const seller of new Set(due.map(sellerOf)))
          batches.push({ seller, orders: due.filter((one) => sellerOf(one) === seller), isPaidOut: false });
        for (const batch of batches.filter(({ isPaidOut }) => !isPaidOut)) {
          const reference = `batch ${batches.indexOf(batch)}`;
          const amount = `${batch.orders.length * 500}.00`;
          const key = forgets ? undefined : reference;
          const withdrawal = { destination_id, amount, currency: "KES", reference };
          await call("POST", "../payouts/withdrawals", withdrawal, key).then(
            () => (batch.isPaidOut = true),
            () => {},
          );
        }
      },
      async flow({ id, email, press, advance }) {
        for (const order of ["first", "second"]) {
          await press(order, () => shop.place(`${id} ${order}`, email));
          await advance("10s");
        }
      },
    };
    const only = forgets ? "response_lost at createWithdrawal#1" : undefined;
    const report = await sandbox.explore(flow, { only, throws: false });
    expect(report.findings.map(({ message }) => message)).toEqual(messages);
  },
);
