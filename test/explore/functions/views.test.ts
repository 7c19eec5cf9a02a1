import { expect, it } from "vitest";
import { openSandbox } from "../../support/api-client.js";
import { flowOf, type Order, openFunctionShop, type ShopOptions } from "./shop.js";

interface Told extends Order {
  paidAt?: string;
  codes?: string[];
  looks?: number;
}

let told = 0;
const isPaid = ({ status }: Order) => status === "paid";
/** A time, as apps show it: another in each run. */
const timeOf = (order: Told) => {
  if (isPaid(order)) order.paidAt ??= `no ${++told}`;
  return order.paidAt;
};
const codesOf = (order: Told) => {
  if (isPaid(order)) order.codes ??= Array.from({ length: order.delivered }, () => `code ${++told}`);
  return (order.codes ?? []).map((code) => ({ code, isUsed: false }));
};

const TELLING: readonly (readonly [string, (order: Told) => unknown])[] = [
  ["a time that an unpaid order lacks", (order) => ({ paid_at: timeOf(order) ?? null })],
  ["fields that an unpaid order lacks", (order) => (isPaid(order) ? { paid: { total: "1105.10" } } : {})],
  ["tickets with codes", (order) => ({ tickets: codesOf(order) })],
  ["a debt", (order) => ({ balance: isPaid(order) ? 0 : -1105.1 })],
  ["a sentence", (order) => (isPaid(order) ? "Your order is complete" : "We wait for your payment")],
  ["marks of what is done", (order) => ({ done: ["ordered", ...(isPaid(order) ? ["paid"] : [])] })],
];

const AMBIGUOUS: typeof TELLING = [
  [
    "a count of its looks",
    (order) => ({ status: order.status, looks: (order.looks = (order.looks ?? 0) + 1) }),
  ],
  ["what it waits for alone", ({ status, id }) => ({ id, is_open: status === "pending" })],
  ["a list that is empty in the end", ({ status, id }) => ({ id, open: status === "pending" ? [id] : [] })],
];

async function explored(view: (order: Told) => unknown, options: ShopOptions = {}) {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const shop = await openFunctionShop(sandbox, options);
  const see = { order: ({ id }: { readonly id: string }) => view(shop.orders.get(id)!) };
  return sandbox.explore(flowOf(shop, { see }), { throws: false });
}

it.each([...TELLING, ...AMBIGUOUS])("a right shop whose view shows %s is silent", async (_, view) => {
  expect(await explored(view)).toMatchObject({ findings: [], passed: true });
});

it.each(TELLING)(
  "a shop that delivers a failed payment is found by a view that shows %s",
  async (_, view) => {
    const { findings } = await explored(view, { deliversFailed: true });
    expect(findings.map(({ deviations: [one] }) => one?.kind)).toContain("declined");
  },
);
