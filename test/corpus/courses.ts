import type { Sandbox } from "../../src/library/index.js";
import { openSandbox } from "../support/api-client.js";
import { eventually } from "../webhooks/support/shop.js";
import type { ShopKind } from "./faults.js";
import type { RunningShop, ShopOptions } from "./start-shop.js";

export interface Course {
  readonly webhooks?: readonly object[];
  readonly faults?: readonly object[];
  /** Rules for the payment; by default it completes within seconds. */
  readonly charges?: readonly object[];
  /** Timeout of the shop's calls. */
  readonly patienceMs?: number;
}

export type Wrong = Partial<Record<ShopKind, string>>;

const paid = { match: { type: "charge.completed" } };
const checkout = { match: { operation: "createWhitelabel" }, times: 1 };
const lost = { ...checkout, drop: "after" };
const fails = (operation: string) => ({ match: { operation }, respond: { status: 500 }, times: 1 });
const atOnce = [{ timeline: [{ after: "0s", to: "COMPLETED" }] }];
const TWICE = { pays_again: "paid_twice" } as const;
const FORGOTTEN = { never_looks: "paid_not_marked" } as const;
const HASTY = 500;

/** Mishaps, and what they break in each faulty shop. */
export const COURSES: readonly (readonly [course: string, rules: Course, wrong: Wrong])[] = [
  ["nothing", {}, {}],
  ["copies", { webhooks: [{ ...paid, copies: 2 }] }, { acts_twice: "delivered_twice" }],
  ["at_once", { webhooks: [{ ...paid, copies: 2, at_once: true }] }, { races: "delivered_twice" }],
  ["ids: new", { webhooks: [{ ...paid, copies: 2, ids: "new" }] }, { trusts_ids: "delivered_twice" }],
  ["again_after", { webhooks: [{ ...paid, again_after: "3d" }] }, { acts_twice: "delivered_twice" }],
  ["response_lost", { webhooks: [{ ...paid, response_lost: true }] }, { acts_twice: "delivered_twice" }],
  [
    "an old event that comes last",
    { webhooks: [{ match: { type: "charge.processing" }, delay: "1m" }] },
    { last_wins: "paid_not_marked" },
  ],
  [
    "hold: webhook",
    { charges: atOnce, faults: [{ ...checkout, hold: "webhook" }] },
    { drops_unknown: "paid_not_marked" },
  ],
  ["hold: idle", { faults: [{ ...checkout, hold: "idle" }] }, { drops_unknown: "paid_not_marked" }],
  ["delay_answer", { faults: [{ ...checkout, delay_answer: "1h" }], patienceMs: HASTY }, TWICE],
  ["drop: hang", { faults: [{ ...checkout, drop: "hang" }], patienceMs: HASTY }, { ...TWICE, ...FORGOTTEN }],
  ["drop: before", { faults: [{ ...checkout, drop: "before" }] }, {}],
  ["drop: after", { faults: [lost] }, { ...TWICE, ...FORGOTTEN }],
  ["a look that fails", { faults: [lost, fails("listPayins")] }, { looks_once: "paid_twice" }],
  [
    "stale",
    { faults: [lost, { match: { operation: "getCharge" }, stale: "1d", times: 1 }] },
    { looks_once: "paid_twice" },
  ],
  ["a read that fails", { faults: [fails("getCharge")] }, { marks_first: "paid_not_marked" }],
];

/** Runs an order to its end and compares the books with the ledger. */
export async function carryOut(
  start: (options: ShopOptions) => Promise<RunningShop>,
  { patienceMs = 60_000, ...rules }: Course,
) {
  const sandbox = await openSandbox();
  const { url } = await sandbox.listen();
  const shop = await start({ baseUrl: url, apiKey: sandbox.apiKey, patienceMs });
  await sandbox.control("PUT /_sandbox/scenarios/course", rules);
  await sandbox.control("POST /_sandbox/scenarios/course/activate");
  await orderIn(shop, sandbox);
  for (let look = 1; look <= 3; look++) {
    await sandbox.advance("2h");
    await fetch(`${shop.url}/tick`, { method: "POST" });
  }
  await sandbox.advance("4d");
  return books(shop, sandbox);
}

/** Returns the shop's orders and the differences to the ledger. */
export async function books({ url }: RunningShop, sandbox: Sandbox) {
  const { orders } = (await (await fetch(`${url}/orders`)).json()) as { orders: object[] };
  const { findings } = await sandbox.reconcile(orders);
  return { orders, findings: findings.map(({ kind }) => kind) };
}

/** Advances time until the shop gets its response. */
async function orderIn(shop: RunningShop, sandbox: Sandbox): Promise<void> {
  let isAnswered = false;
  const order = fetch(`${shop.url}/orders`, {
    method: "POST",
    body: JSON.stringify({ email: "ada@shop.test" }),
  }).finally(() => {
    isAnswered = true;
  });
  await eventually(async () => {
    const { total } = await sandbox.control<{ total: number }>("GET /_sandbox/charges");
    if (total > 0 && !isAnswered) await sandbox.advance("1s");
    return isAnswered;
  });
  await order;
}
