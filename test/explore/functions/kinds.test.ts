import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import type { ExploreFlow, ExploreOptions, ExploreReport, Sandbox } from "../../../src/library/index.js";
import { openSandbox } from "../../support/api-client.js";
import { exploreIncident } from "./incident-flows.js";
import { flowOf, openFunctionShop, serviceOf } from "./shop.js";

const open = () => openSandbox({ clock: "manual", rateLimit: "off" });

async function exploredShop(options: ExploreOptions, deliversForLess = true): Promise<ExploreReport> {
  const sandbox = await open();
  const call = serviceOf(sandbox);
  const shop = await openFunctionShop(sandbox, {
    deliver: async (order) => {
      const { items } = (await call("GET", "payins?limit=100")) as unknown as {
        items: { charge_id: string; status: string }[];
      };
      for (const { charge_id } of items.filter(({ status }) => status === "COMPLETED")) {
        const charge = (await call("GET", `charges/${charge_id}`)) as unknown as Record<string, unknown>;
        const isOurs = (charge.metadata as { order_id?: string }).order_id === order.id;
        const isWhole = charge.amount_paid === undefined || charge.amount_paid === charge.amount;
        if (isOurs && (isWhole || deliversForLess)) Object.assign(order, { status: "paid", delivered: 1 });
      }
    },
  });
  return sandbox.explore(flowOf(shop), { throws: false, ...options });
}

const kindsOf = ({ findings }: ExploreReport) =>
  findings.map(({ deviations }) => deviations.map(({ kind, at }) => `${kind} at ${at}`).join(", "));

it("a shop that delivers for half of the price is found with failOn, and one that compares is not", async () => {
  const options = { only: "underpaid at charge#1", failOn: ["underpaid"] };
  const careless = await exploredShop(options);
  expect(kindsOf(careless)).toEqual(["underpaid at charge#1"]);
  const careful = await exploredShop(options, false);
  expect(careful).toMatchObject({
    passed: true,
    runs: 1,
    singles: [{ kind: "underpaid", outcome: "right" }],
  });
});

it("a shop that knows an order by its metadata only delivers for another shop's charge, with failOn", async () => {
  const report = await exploredShop({ only: "foreign_charge at charge#1", failOn: ["foreign_charge"] });
  expect(report.findings).toMatchObject([
    { oracle: "money", deviations: [{ kind: "foreign_charge", at: "charge#1" }] },
  ]);
});

/** The books of a shop's accountant. An import adds the payments up to the newest known one, page by page. */
function openBooks(sandbox: Sandbox, countsTwice: boolean) {
  const call = serviceOf(sandbox);
  const lines: string[] = [];
  let newest = "";
  const importAll = async (): Promise<void> => {
    const found: string[] = [];
    for (let offset = 0; ; offset += 2) {
      const page = await call("GET", `payins?status_filter=COMPLETED&limit=2&offset=${offset}`);
      const ids = (page.items as unknown as { charge_id: string }[]).map(({ charge_id }) => charge_id);
      const known = ids.indexOf(newest);
      found.push(...(known === -1 ? ids : ids.slice(0, known)));
      if (known !== -1 || ids.length < 2) break;
    }
    newest = found[0] ?? newest;
    lines.push(...(countsTwice ? found : new Set(found)));
  };
  const beginAfter = (charge_id: string) => {
    newest = charge_id;
    lines.length = 0;
  };
  return { lines, importAll, beginAfter };
}

async function exploreImport(countsTwice: boolean, isByPress: boolean): Promise<ExploreReport> {
  const sandbox = await open();
  const shop = await openFunctionShop(sandbox);
  const { lines, importAll, beginAfter } = openBooks(sandbox, countsTwice);
  let last = "";
  const flow = flowOf(shop, {
    setup: () => beginAfter(last),
    see: { books: () => ({ count: lines.length }) },
    ...(isByPress ? {} : { tick: importAll }),
    async flow({ id, email, press, advance }) {
      for (const number of [1, 2, 3]) {
        const charge = await press("order", () => shop.place(`${id}-${number}`, email));
        last = (charge as { charge_id: string }).charge_id;
      }
      await advance("10s");
      if (isByPress) await press("import", importAll);
    },
  });
  return sandbox.explore(flow, { only: "paid_between_pages at listPayins#1", throws: false });
}

it.each([
  ["the customer's press", true],
  ["the scheduled work", false],
])("an import by %s that counts a payment between two pages twice is found", async (_by, isByPress) => {
  const wrong = await exploreImport(true, isByPress);
  expect(wrong.findings).toMatchObject([
    {
      message: "done more than once: books.count is 5, not 3 or 4",
      deviations: [{ kind: "paid_between_pages", at: "listPayins#1" }],
    },
  ]);
  const right = await exploreImport(false, isByPress);
  expect(right.singles).toEqual([{ kind: "paid_between_pages", at: "listPayins#1", outcome: "right" }]);
});

it.each([
  ["app.mjs", ["returned_unpaid at page#1"]],
  ["fixed.mjs", []],
])(
  "%s of success-url-as-proof is judged by a customer who opens success_url unpaid",
  async (program, found) => {
    const report = await exploreIncident("success-url-as-proof", program, {
      only: "returned_unpaid at page#1",
    });
    expect(kindsOf(report)).toEqual(found);
    expect(report.runs).toBe(1);
  },
);

/** A ticket shop whose admin edits a price. `recalculates`: the webhook compares with the price of now. */
async function ticketFlow(recalculates: boolean): Promise<{ sandbox: Sandbox; flow: ExploreFlow }> {
  const sandbox = await open();
  const call = serviceOf(sandbox);
  const prices = new Map<string, string>();
  const orders = new Map<string, { price: string; status: string; page?: Promise<Record<string, string>> }>();
  const webhook = new Webhook(sandbox.webhookSecret);
  await sandbox.onWebhook(async (request) => {
    const event = webhook.verify(await request.text(), Object.fromEntries(request.headers));
    const { type, data } = event as {
      type: string;
      data: { settlement_amount: string; metadata?: { order_id?: string } };
    };
    const id = data.metadata?.order_id ?? "";
    const order = orders.get(id);
    if (order === undefined) return;
    const price = recalculates ? prices.get(id) : order.price;
    if (order.status === "paid") return;
    if (type === "charge.completed") order.status = data.settlement_amount === price ? "paid" : "refunded";
    if (/failed|expired|cancelled|refunded/.test(type)) order.status = type;
  });
  const checkout = (id: string, email: string) => {
    const order = orders.get(id)!;
    order.page ??= call("POST", "checkouts", {
      pricing: { base_currency: "KES", amount: order.price },
      customer_email: email,
      metadata: { order_id: id },
    }).catch((error) => {
      delete order.page;
      throw error;
    });
    return order.page;
  };
  const flow: ExploreFlow = {
    name: "tickets",
    see: { order: ({ id }) => ({ status: orders.get(id)?.status }) },
    meanwhile: { "edit price": ({ id }) => void prices.set(id, "1200.00") },
    async flow({ id, email, press, pay, advance }) {
      prices.set(id, "1105.10");
      const page = await press("order", () => {
        if (!orders.has(id)) orders.set(id, { price: prices.get(id)!, status: "pending" });
        return checkout(id, email);
      });
      await pay({ checkout_id: page.checkout_id! });
      await advance("10s");
    },
  };
  return { sandbox, flow };
}

it("a price that an admin edits during the payment is found in a shop that calculates it again", async () => {
  const { sandbox, flow } = await ticketFlow(true);
  const wrong = await sandbox.explore(flow, { throws: false });
  expect(kindsOf(wrong)).toEqual([
    "meanwhile at edit price#1 after order#1",
    "meanwhile at edit price#1 after pay#1",
  ]);
});

it("the edit is tried after each act of the payment and at the end, and is no finding in a right shop", async () => {
  const { sandbox, flow } = await ticketFlow(false);
  const right = await sandbox.explore(flow);
  const tried = right.singles
    .filter(({ kind }) => kind === "meanwhile")
    .map(({ at, outcome }) => [at, outcome]);
  expect(tried).toEqual([
    ["edit price#1 at the end", "right"],
    ["edit price#1 after order#1", "right"],
    ["edit price#1 after pay#1", "right"],
  ]);
});

it("an act of others that the app refuses is no finding, and one that breaks is", async () => {
  const { sandbox, flow } = await ticketFlow(false);
  const refused = () => Promise.reject(Object.assign(new Error("paid already"), { status: 409 }));
  const only = "meanwhile at cancel#1 after pay#1";
  expect(await sandbox.explore({ ...flow, meanwhile: { cancel: refused } }, { only })).toMatchObject({
    passed: true,
  });
  const broken = () => Promise.reject(Object.assign(new Error("no database"), { status: 500 }));
  const report = await sandbox.explore({ ...flow, meanwhile: { cancel: broken } }, { only, throws: false });
  expect(report.findings).toMatchObject([{ message: expect.stringContaining("no database") }]);
});
