import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { failed, runSteps } from "../support/scenario-run.js";
import { books, COURSES, type Course, carryOut } from "./courses.js";
import { SHOPS, type ShopKind } from "./faults.js";
import { startShop } from "./start-shop.js";

const RIGHT = ["right", "queued"] as const;
const meets = (kind: ShopKind, course: Course) => carryOut((options) => startShop(kind, options), course);

describe.each(COURSES)("%s", (_, course, wrong) => {
  it.each(RIGHT)("the correct shop %s passes reconcile", async (kind) => {
    const { orders, findings } = await meets(kind, course);
    expect(findings).toEqual([]);
    expect(orders).toMatchObject([{ status: "paid", delivered: 1 }]);
  });

  it.each(Object.entries(wrong))("the faulty shop %s fails reconcile", async (kind, finding) => {
    expect((await meets(kind as ShopKind, course)).findings).toEqual([finding]);
  });
});

const PAID = { status: "paid", delivered: 1 };
/** What the customer does, the correct order, and the findings of other shops. */
const CUSTOMERS = [
  ["pay_twice: { checkout_id: X }", PAID, { believes_return: ["delivered_twice"] }],
  ["pay_twice: { checkout_id: X, at_once: true }", PAID, { believes_return: ["delivered_twice"] }],
  [
    "cancel_then_pay: { checkout_id: X }",
    { status: "cancelled", delivered: 0 },
    { believes_return: ["marked_not_paid", "delivered_twice"] },
  ],
  ["close_page: { checkout_id: X, payment_method: card }", PAID, { waits_for_return: ["paid_not_marked"] }],
] as const;

describe.each(CUSTOMERS)("%s", (step, right, wrong) => {
  /** Runs one order by hosted page for a day. */
  async function orderOnPage(kind: ShopKind) {
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen();
    const shop = await startShop(kind, { baseUrl: url, apiKey: sandbox.apiKey, patienceMs: 60_000 });
    const report = await runSteps(
      `
  - app: POST /orders
    body: { email: ada@shop.test, page: true }
    save: { checkout: body.checkout_id }
  - ${step.replace("X", `"\${checkout}"`)}
  - advance: 1d
  - app: POST /tick`,
      { app: shop.url, sandbox },
    );
    expect(failed(report)).toBeUndefined();
    return books(shop, sandbox);
  }

  it.each(RIGHT)("the correct shop %s passes reconcile after a hosted payment", async (kind) => {
    expect(await orderOnPage(kind)).toMatchObject({ orders: [right], findings: [] });
  });

  it.each(Object.entries(wrong))(
    "the faulty shop %s fails reconcile after a hosted payment",
    async (kind, findings) => {
      expect(await orderOnPage(kind as ShopKind)).toMatchObject({ findings });
    },
  );
});

it("every faulty shop passes reconcile when nothing goes wrong", async () => {
  const faulty = Object.keys(SHOPS).filter((kind) => !RIGHT.some((right) => right === kind)) as ShopKind[];
  const wrong = [...COURSES, ...CUSTOMERS].flatMap(([, , found]) => Object.keys(found));
  expect([...new Set(wrong)].sort()).toEqual([...faulty].sort());
  for (const kind of faulty) expect([kind, await meets(kind, {})]).toMatchObject([kind, { findings: [] }]);
});
