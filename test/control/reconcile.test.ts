import { expect } from "vitest";
import { it } from "../support/api-test.js";
import type { Shop } from "../support/receiver-client.js";

type Row = Record<string, unknown>;

const reconcile = async ({ client }: Shop, rows: readonly Row[], more: object = {}) =>
  (await client.ask("POST /_sandbox/reconcile", { rows, ...more })).json;
/** Returns the findings as kind, row and charge. */
const found = async (shop: Shop, rows: readonly Row[], more: object = {}) =>
  (await reconcile(shop, rows, more)).findings.map(({ kind, row, charge_id }: Row) => [kind, row, charge_id]);

async function charge({ client }: Shop, ...statuses: string[]): Promise<string> {
  const id = await client.pay({ metadata: { order_id: "17" } });
  for (const status of statuses) expect((await client.transition(id, status)).status).toBe(200);
  return id;
}

it("POST /_sandbox/reconcile finds nothing in correct books", async ({ shop }) => {
  const paid = await charge(shop, "COMPLETED");
  const failed = await charge(shop, "FAILED");
  const refunded = await charge(shop, "COMPLETED", "REFUNDED");
  const { json } = await shop.client.charge(paid);
  const rows = [
    { charge_id: paid, status: "PAID", amount: Number(json.amount), currency: "ngn", delivered: 1 },
    { charge_id: failed, status: "Awaiting Payment", amount: `${json.amount}00`, delivered: false },
    { charge_id: refunded, status: "refunded", delivered: "0" },
    { charge_id: null, status: "pending" },
  ];
  expect(await reconcile(shop, rows)).toEqual({
    passed: true,
    rows: 4,
    charges: 3,
    compared: ["status", "amount", "currency", "delivered"],
    total: 0,
    findings: [],
  });
});

it("POST /_sandbox/reconcile finds a payment without a paid order", async ({ shop }) => {
  const [named, silent] = [await charge(shop, "COMPLETED"), await charge(shop, "COMPLETED")];
  expect(await found(shop, [{ charge_id: named, status: "pending" }])).toEqual([
    ["paid_not_marked", 1, named],
    ["paid_not_marked", null, silent],
  ]);
  expect(await found(shop, [], { partial: true })).toEqual([]);
  expect(await found(shop, [], { since: "2099-01-01T00:00:00.000Z" })).toEqual([]);
  expect(await found(shop, [], { mode: "live" })).toEqual([]);
});

it.for([
  ["paid", 0, "FAILED"],
  ["paid", 0, "REFUNDED"],
  ["pending", 1, "FAILED"],
] as const)(
  "POST /_sandbox/reconcile finds an order that is %s, delivered %d and %s",
  async ([status, delivered, is], { shop }) => {
    const id = await charge(shop, ...(is === "REFUNDED" ? ["COMPLETED", is] : [is]));
    expect(await found(shop, [{ charge_id: id, status, delivered }])).toEqual([["marked_not_paid", 1, id]]);
  },
);

it("POST /_sandbox/reconcile finds a different amount and currency", async ({ shop }) => {
  const id = await charge(shop, "COMPLETED");
  const { amount } = (await shop.client.charge(id)).json;
  const row = { charge_id: id, status: "paid", amount, currency: "NGN" };
  expect(await found(shop, [row, { ...row, amount: `${amount}1` }, { ...row, currency: "KES" }])).toEqual([
    ["amount_differs", 2, id],
    ["amount_differs", 3, id],
  ]);
});

it("POST /_sandbox/reconcile finds an order that is paid or delivered twice", async ({ shop }) => {
  const first = await charge(shop, "COMPLETED");
  const row = { "metadata.order_id": "17", status: "paid" };
  expect(await found(shop, [row])).toEqual([]);
  const second = await charge(shop, "COMPLETED");
  expect(await found(shop, [row, row])).toEqual([["paid_twice", 1, second]]);
  expect(await found(shop, [{ metadata: { order_id: "17" }, status: "paid", delivered: 2 }])).toEqual([
    ["paid_twice", 1, second],
    ["delivered_twice", 1, second],
  ]);
  for (const id of [first, second]) await shop.client.transition(id, "REFUNDED");
  expect(await found(shop, [{ ...row, status: "refunded", delivered: true }])).toEqual([]);
});

it("POST /_sandbox/reconcile finds a delivery after the refund, and accuses none before it", async ({
  shop,
}) => {
  const id = await charge(shop, "COMPLETED");
  const now = async () => (await shop.sandbox.run("getClock")).now;
  const deliveredAt = await now();
  await shop.sandbox.advance("1h");
  await shop.client.transition(id, "REFUNDED");
  const refundedAt = await now();
  await shop.sandbox.advance("1h");
  const row = { charge_id: id, status: "refunded", delivered: 1 };
  const rows = [undefined, deliveredAt, refundedAt, await now(), "2099-01-01T00:00:00Z"].map(
    (delivered_at) => ({ ...row, delivered_at }),
  );
  expect(await found(shop, rows)).toEqual([["refunded_and_delivered", 4, id]]);
  const { delivered: _, ...withoutCount } = rows[3]!;
  expect(await found(shop, [withoutCount])).toEqual([["refunded_and_delivered", 1, id]]);
});

it("POST /_sandbox/reconcile finds an unknown charge, and an order without one", async ({ shop }) => {
  const rows = [
    { charge_id: "ch_0", status: "pending" },
    { "metadata.order_id": "18", status: "paid" },
    { "metadata.order_id": "18", status: "pending" },
  ];
  expect(await found(shop, rows)).toEqual([
    ["unknown_charge", 1, "ch_0"],
    ["unknown_charge", 2, null],
  ]);
});

it("POST /_sandbox/reconcile reads rows with a field map", async ({ shop }) => {
  const id = await charge(shop, "COMPLETED");
  const reading = {
    map: { charge_id: "payment.id", status: "state", "metadata.order_id": "id" },
    statuses: { Bezahlt: "paid" },
  };
  expect(await found(shop, [{ id: "17", payment: { id }, state: "BEZAHLT" }], reading)).toEqual([]);
});

it("POST /_sandbox/reconcile refuses an invalid row and names its number", async ({ shop }) => {
  const rows = [
    { charge_id: "ch_0", status: "pending" },
    { charge_id: "ch_0", status: "complted", amount: "1e3", delivered: "yes", delivered_at: "today" },
    { order: "17" },
  ];
  const { error } = await reconcile(shop, rows);
  expect(error.code).toBe("VALIDATION_ERROR");
  expect(error.details).toEqual({
    "rows.1.status": expect.stringMatching(
      /^"complted" is not a known status; did you mean completed\?.* \(row 2\)$/,
    ),
    "rows.1.amount": 'must be an amount such as "512.50" (row 2)',
    "rows.1.delivered": "must be a count: a whole number, true or false (row 2)",
    "rows.1.delivered_at": "must be an ISO 8601 instant, such as 2026-01-01T09:00:00Z (row 2)",
    "rows.2.status": "is missing (row 3)",
    "rows.2.charge_id": "is missing: a row names its charge, or its order as metadata.KEY (row 3)",
  });
  expect((await reconcile(shop, [], { map: { chargeid: "id" } })).error.details).toHaveProperty(
    "map.chargeid",
  );
});
