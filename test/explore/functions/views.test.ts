import { expect, it } from "vitest";
import { viewJson } from "../../../src/tools/explore/functions/view-json.js";
import { countedIn, hasEntriesOf } from "../../../src/tools/explore/sandbox/views.js";
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
  [
    "tickets by their codes",
    (order) => ({ tickets: Object.fromEntries(codesOf(order).map(({ code }) => [code, { seat: "A1" }])) }),
  ],
  [
    "rows with times",
    (order) => [
      [`no ${++told}`, "ordered"],
      ...(order.status === "pending" ? [] : [[`no ${++told}`, order.status]]),
    ],
  ],
  ["nothing until it is paid", (order) => (isPaid(order) ? { licence: `code ${++told}` } : null)],
  ["the order by its id", (order) => ({ orders: { [order.id]: { status: order.status } } })],
  ["a page with a time", (order) => `<h1>Your order is ${order.status}</h1>\n<p>at ${++told} h</p>`],
  ["marks of what is done", (order) => ({ done: ["ordered", ...(isPaid(order) ? ["paid"] : [])] })],
];

const AMBIGUOUS: typeof TELLING = [
  [
    "a count of its looks",
    (order) => ({ status: order.status, looks: (order.looks = (order.looks ?? 0) + 1) }),
  ],
  [
    "pairs with a number of the look",
    ({ status }) => [
      ["status", status],
      ["look", ++told],
    ],
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

it.each([
  ["a version alone", (order: Told) => ({ version: order.status === "pending" ? 1 : 2 })],
  ["a number over all runs alone", () => ++told],
])(
  "explore accuses no right shop whose view shows %s, and says that nothing is compared",
  async (_, view) => {
    const { findings, passed, sentence, looked_at } = await explored(view);
    expect({ findings, passed, looked_at }).toEqual({ findings: [], passed: false, looked_at: [] });
    expect(sentence).toContain("see shows nothing that can be compared");
  },
);

it.each([...TELLING, ...AMBIGUOUS])("a right shop whose view shows %s is silent", async (_, view) => {
  expect(await explored(view)).toMatchObject({ findings: [], passed: true });
});

const codes = (count: number) => Array.from({ length: count }, () => `code ${++told}`);
/** Views of a shop that delivers once more for a second webhook. */
const DELIVERIES: typeof TELLING = [
  [
    "parcels by random codes",
    ({ delivered }) => Object.fromEntries(codes(delivered).map((code) => [code, 1])),
  ],
  [
    "sent e-mails",
    ({ delivered, status }) => [
      ...Array.from({ length: delivered }, () => "Your order"),
      ...(status === "failed" ? ["Your payment has failed"] : []),
    ],
  ],
];

it.each(DELIVERIES)("a shop that delivers twice is found by a view that shows %s", async (_, view) => {
  expect(await explored(view)).toMatchObject({ findings: [], passed: true });
  const { findings } = await explored(view, { hasBugs: true });
  expect(findings.map(({ deviations: [one] }) => one?.kind)).toContain("webhook_twice");
});

it.each([
  ["list", (orders: readonly Order[]) => orders.map(({ id, delivered }) => ({ id, delivered }))],
  [
    "map",
    (orders: readonly Order[]) => Object.fromEntries(orders.map(({ id, delivered }) => [id, delivered])),
  ],
])("of a %s of all orders, those of the run are compared", async (_, viewOf) => {
  const kindsOf = async (options: ShopOptions) => {
    const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
    const shop = await openFunctionShop(sandbox, options);
    const flow = flowOf(shop, { see: { orders: () => viewOf([...shop.orders.values()]) } });
    const { findings, passed } = await sandbox.explore(flow, { throws: false });
    expect(passed).toBe(findings.length === 0);
    return findings.map(({ deviations: [one] }) => one?.kind);
  };
  expect(await kindsOf({})).toEqual([]);
  expect(await kindsOf({ hasBugs: true })).toContain("webhook_twice");
});

it.each(TELLING)(
  "a shop that delivers a failed payment is found by a view that shows %s",
  async (_, view) => {
    const { findings } = await explored(view, { deliversFailed: true });
    expect(findings.map(({ deviations: [one] }) => one?.kind)).toContain("declined");
  },
);

const logOf = ({ status }: Order) => {
  const entries: Record<string, string[]> = { paid: ["shipped"], failed: ["abandoned"] };
  return ["placed", ...(entries[status] ?? [])];
};

it("a shop that keeps late money is found by a view that shows a log alone", async () => {
  expect(await explored(logOf)).toMatchObject({ findings: [], passed: true });
  const deliver = (order: Order) => {
    if (order.status !== "failed") Object.assign(order, { status: "paid", delivered: 1 });
    return undefined;
  };
  const { findings } = await explored(logOf, { deliver });
  expect(findings.map(({ deviations: [one] }) => one?.kind)).toEqual(["paid_late"]);
});

it("a shop that sends the goods and an excuse to a customer who has not paid is found", async () => {
  const mailsOf =
    (failed: readonly string[]) =>
    ({ status }: Order) => ({ mails: status === "paid" ? ["your code"] : status === "failed" ? failed : [] });
  expect(await explored(mailsOf(["sorry"]))).toMatchObject({ findings: [], passed: true });
  const { findings } = await explored(mailsOf(["sorry", "your code"]));
  expect(findings.map(({ deviations: [one] }) => one?.kind)).toEqual(["declined", "expired_unpaid"]);
});

it("strangers' payments may lengthen a list, but not a row of unlike columns", () => {
  expect(countedIn({ rows: [1, 2] }, 2)).toBeUndefined();
  expect(countedIn(["received", 300], 2)).toEqual(["received", { in: [300, 600] }]);
});

it("a shop that calls an order paid as soon as its payment is awaited is found", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const shop = await openFunctionShop(sandbox);
  await sandbox.onWebhook(async (request) => {
    const { type, data } = JSON.parse(await request.text());
    if (type === "charge.awaiting_payment")
      Object.assign(shop.orders.get(data.metadata.order_id)!, { status: "paid", delivered: 1 });
  });
  const { findings } = await sandbox.explore(flowOf(shop), { throws: false });
  expect(findings.map(({ deviations: [one] }) => one?.kind)).toEqual(["declined", "expired_unpaid"]);
});

it.each([
  ["a large integer", ({ delivered }: Order) => BigInt(delivered)],
  ["a map", ({ delivered }: Order) => new Map([["delivered", delivered]])],
  ["a set", ({ delivered }: Order) => new Set(["ordered", `delivered ${delivered} times`])],
])("a shop that delivers twice is found by a view that is %s", async (_, view) => {
  const { findings } = await explored(view, { hasBugs: true });
  expect(findings.map(({ deviations: [one] }) => one?.kind)).toContain("webhook_twice");
});

class Hidden {
  readonly #order: Order;
  constructor(order: Order) {
    this.#order = order;
  }
  get status() {
    return this.#order.status;
  }
}

it.each([
  [
    "a class instance",
    (order: Order) => new Hidden(order),
    "see.order returns a Hidden, of which JSON shows nothing: return its values",
  ],
  [
    "a circle",
    (order: Order) => {
      const circle: Record<string, unknown> = { order };
      return Object.assign(circle, { circle });
    },
    /^see\.order returns what JSON cannot show: Converting circular structure/,
  ],
])("a view that is %s is refused", async (_, view, message) => {
  await expect(explored(view)).rejects.toThrow(message);
});

it("an exploration that sees nothing but errors does not pass", async () => {
  const throwing = () => {
    throw new Error("no such table");
  };
  await expect(explored(throwing)).rejects.toThrow("see shows nothing that can be compared");
});

it("an empty list is part of no other, and a list with an unknown entry is no row", () => {
  expect(hasEntriesOf([], ["sorry"])).toBe(false);
  expect(countedIn(["opened", { exists: true }], 2)).toBeUndefined();
});

it("a set has no order, a map with objects as keys is a list, and an unset field is no reason to refuse", () => {
  expect(viewJson("order", new Set(["rest", "deposit"]))).toEqual(["deposit", "rest"]);
  expect(viewJson("order", new Map([[{ seat: 1 }, "Ada"]]))).toEqual([[{ seat: 1 }, "Ada"]]);
  class Wallet {
    charge = undefined;
  }
  expect(viewJson("order", new Wallet())).toEqual({});
});
