import assert from "node:assert/strict";
import { expect, it } from "vitest";
import type { ExploreFlow, ExploreOptions, ExploreReport } from "../../../src/library/index.js";
import type { Event } from "../../doctor/receivers.js";
import { Shop } from "../../doctor/shop.js";
import { openSandbox } from "../../support/api-client.js";
import { serviceOf } from "./shop.js";

/** A receiver's shop that makes its own charges, and keeps events of charges that it does not know yet. */
class OrderingShop extends Shop {
  /** Charge → order. */
  readonly made = new Map<string, string>();
  readonly kept: Event[] = [];

  keep(event: Event): void {
    this.kept.push(event);
  }

  override async chargeOf(event: Event): Promise<Event | undefined> {
    if (this.made.has(event.data.charge_id)) return super.chargeOf(event);
    this.keep(event);
    return undefined;
  }

  async know(charge_id: string, order: string): Promise<void> {
    this.made.set(charge_id, order);
    for (const event of this.kept) if (event.data.charge_id === charge_id) await this.handle(event);
  }
}

const TERMS = { pricing: { base_currency: "KES", amount: "1105.10" }, payment_method: "card" };

async function explored(
  plant: (shop: OrderingShop) => unknown,
  options: ExploreOptions,
): Promise<ExploreReport> {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const call = serviceOf(sandbox);
  const shop = new OrderingShop();
  const authorization = `Bearer ${sandbox.apiKey}`;
  shop.read = (id) => sandbox.fetch(`/api/v1/payments/charges/${id}`, { headers: { authorization } });
  plant(shop);
  const charge = async (order_id: string, customer_email: string): Promise<void> => {
    const { quote_id } = await call("POST", "quotes", TERMS);
    const metadata = { order_id };
    const { charge_id } = await call("POST", "whitelabel", { ...TERMS, quote_id, customer_email, metadata });
    await shop.know(charge_id!, order_id);
  };
  await sandbox.onWebhook(async (request) => {
    const body = Buffer.from(await request.arrayBuffer());
    const headers = Object.fromEntries(request.headers);
    const answer = await shop.receive({
      method: "POST",
      path: "/",
      body,
      headers,
      response: undefined as never,
    });
    return new Response(answer?.text ?? null, { status: answer!.status });
  });
  const orderOf = (id: string) => {
    const [charge_id] = [...shop.made].find(([, order]) => order === id) ?? [""];
    return shop.orders.get(charge_id) ?? { status: "NEW", amount: null, credits: 0 };
  };
  const flow: ExploreFlow = {
    name: "order",
    see: { order: ({ id }) => orderOf(id) },
    async flow({ id, email, press, advance }) {
      await press("order", () => charge(id, email));
      await advance("10s");
      assert.equal(orderOf(id).status, "COMPLETED");
    },
  };
  return sandbox.explore(flow, { throws: false, failOn: ["webhook_forged"], ...options });
}

/** Waits until concurrent events have arrived. */
async function turn(): Promise<undefined> {
  for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate);
}

const LOST = 'paid, but not marked as paid by the app: order.status is "PROCESSING", not "COMPLETED"';
const SECOND_READ_FAILS = "response_5xx at getCharge#2";

/** Faults of a shop that no response of its receiver shows: name, what finds it, and its message. */
const FAULTS: readonly (readonly [
  name: string,
  only: string,
  says: string,
  plant: (shop: OrderingShop) => unknown,
])[] = [
  [
    "handles an event that arrives twice twice",
    "webhook_twice at charge.completed#1",
    "done more than once: order.credits is 2, not 1",
    (shop) => {
      shop.repeated = ({ data }) => {
        const order = shop.orders.get(data.charge_id);
        if (order !== undefined) order.credits += 1;
        return { status: 200 };
      };
    },
  ],
  [
    "handles two copies at once twice",
    "webhook_twice_at_once at charge.completed#1",
    "done more than once: order.credits is 2, not 1",
    (shop) => {
      const right = shop.isNewer.bind(shop);
      shop.look = turn;
      shop.isNewer = (order, status) => order.status === status || right(order, status);
    },
  ],
  [
    "lets an older event overwrite a later status",
    "webhook_after_next at charge.processing#1",
    LOST,
    (shop) => {
      shop.isNewer = (order, status) => order.status !== status;
    },
  ],
  [
    "acts on a forged event that it refuses",
    "webhook_forged at charge#1",
    'done more than once: order.status is "COMPLETED", not "EXPIRED", order.credits is 1, not 0',
    (shop) => {
      shop.refuse = ({ body }) => {
        void shop.handle(JSON.parse(body.toString()));
        return { status: 400 };
      };
    },
  ],
  [
    "takes the retry of an event at which it failed for a duplicate",
    SECOND_READ_FAILS,
    LOST,
    (shop) => {
      shop.undo = () => {};
    },
  ],
  [
    "accepts an event at which it failed",
    SECOND_READ_FAILS,
    LOST,
    (shop) => {
      const right = shop.handle.bind(shop);
      shop.handle = (event) => right(event).catch(() => {});
    },
  ],
  [
    "ignores an event that overtakes the response to its call",
    "response_held at createWhitelabel#1",
    'paid, but not marked as paid by the app: order.status is "NEW", not "COMPLETED"',
    (shop) => {
      shop.keep = () => {};
    },
  ],
];

it.each(FAULTS)("explore finds a shop that %s by %s", async (_, only, says, plant) => {
  const { findings } = await explored(plant, { only });
  expect(findings).toMatchObject([{ oracle: "money", message: expect.stringContaining(says) }]);
  expect((await explored(() => {}, { only })).findings).toEqual([]);
});

it("a shop that takes no payment is refused with the flow's own assertion", async () => {
  const deaf = (shop: OrderingShop) => (shop.handle = async () => {});
  await expect(explored(deaf, {})).rejects.toThrow(
    "order: the flow fails with nothing going wrong: the flow: Expected values to be strictly equal:",
  );
});
