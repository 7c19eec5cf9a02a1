import assert from "node:assert/strict";
import { test } from "node:test";
import { fulfil as naive } from "../src/fulfil.naive.js";
import { openWorld } from "./support/world.js";

/** An order on a day on which webhooks come twice and in the wrong order, and what the shop makes of it. */
async function orderInChaos(world) {
  await world.sandbox("POST", "/scenarios/webhook_chaos/activate");
  const { id } = await world.order();
  await world.advance("1m");
  const { items } = await world.sandbox("GET", "/deliveries?type=charge.completed");
  assert.deepEqual(
    items.map(({ answered }) => answered),
    [204, 204],
    "the good news comes twice",
  );
  return id;
}

test("told twice, the shop ships once", async (t) => {
  const world = await openWorld(t);
  const id = await orderInChaos(world);
  assert.deepEqual((await world.shop("GET", `/orders/${id}`)).body, { id, status: "paid", shipments: 1 });
});

test("the books are right on a bad day, and nothing else is asked for", async (t) => {
  await orderInChaos(await openWorld(t));
});

test("the naive handler ships twice, and takes old news for new: the bug this example is about", async (t) => {
  const world = await openWorld(t, { fulfil: naive, wrong: ["paid_not_marked", "delivered_twice"] });
  const id = await orderInChaos(world);
  assert.deepEqual((await world.shop("GET", `/orders/${id}`)).body, { id, status: "pending", shipments: 2 });
});

test("a webhook that never comes is made up for by asking, and does no harm when it comes after all", async (t) => {
  const { sandbox, order, shop, advance } = await openWorld(t);
  await sandbox("PUT", "/scenarios/silence", { webhooks: [{ drop: true }] });
  await sandbox("POST", "/scenarios/silence/activate");
  const { id } = await order();
  await advance("10s");
  assert.equal((await shop("GET", `/orders/${id}`)).body.status, "pending");
  assert.deepEqual((await shop("POST", `/orders/${id}/refresh`)).body, { id, status: "paid", shipments: 1 });
  const { items } = await sandbox("GET", "/deliveries?type=charge.completed");
  await sandbox("POST", `/deliveries/${items[0].delivery_id}/redeliver`, { times: 3 });
  await sandbox("POST", "/wait", { for: "idle" });
  assert.deepEqual((await shop("GET", `/orders/${id}`)).body, { id, status: "paid", shipments: 1 });
});

test("what the service did not sign is refused", async (t) => {
  const { sandbox, order, shop, advance } = await openWorld(t);
  const { id } = await order("expired@example.com");
  const charge = (await sandbox("GET", "/charges")).items[0];
  const forged = { id: "evt_1", type: "charge.completed", data: { ...charge, status: "COMPLETED" } };
  assert.equal((await shop("POST", "/webhooks", forged)).status, 400);
  await sandbox("PUT", "/scenarios/forger", { webhooks: [{ bad_signature: true }] });
  await sandbox("POST", "/scenarios/forger/activate");
  await advance("2s");
  const { items } = await sandbox("GET", "/deliveries");
  assert.deepEqual(
    items.map(({ answered }) => answered),
    [400],
  );
  assert.equal((await shop("GET", `/orders/${id}`)).body.shipments, 0);
});

test("a charge whose response is lost is found again, not made again", async (t) => {
  const { sandbox, order, shop, advance } = await openWorld(t);
  await sandbox("POST", "/scenarios/lost_response/activate");
  const { id } = await order();
  assert.equal((await sandbox("GET", "/charges")).total, 1);
  await advance("10s");
  assert.deepEqual((await shop("GET", `/orders/${id}`)).body, { id, status: "paid", shipments: 1 });
});

test("a customer who gets an error and orders again pays once", async (t) => {
  const { sandbox, shop, advance } = await openWorld(t);
  await sandbox("POST", "/scenarios/lost_response/activate");
  // The charge is made, and the shop gives up before it can find that out.
  await sandbox("POST", "/faults", {
    match: { operation: "listPayins" },
    respond: { status: 429 },
    times: 3,
  });
  const press = () =>
    shop("POST", "/orders", { number: "cart-1", email: "ada@example.com", phone: "+254700000001" });
  assert.equal((await press()).status, 502);
  const pressed = await Promise.all([press(), press()]);
  assert.deepEqual(
    pressed.map(({ status, body }) => [status, body.id]),
    [
      [201, "cart-1"],
      [201, "cart-1"],
    ],
  );
  assert.equal((await sandbox("GET", "/charges")).total, 1);
  await advance("10s");
  assert.equal((await shop("GET", "/orders/cart-1")).body.shipments, 1);
});

test("a payout whose response is lost is asked for again with its key, and paid once", async (t) => {
  const { sandbox, order, shop, advance } = await openWorld(t);
  for (let sold = 0; sold < 3; sold++) await order();
  await advance("10s");
  await sandbox("POST", "/scenarios/lost_response/activate");
  const first = await shop("PUT", "/payouts/2026-03", { amount: "1000.00" });
  assert.equal(first.status, 200);
  const second = await shop("PUT", "/payouts/2026-03", { amount: "1000.00" });
  assert.deepEqual(second, first);
  const tried = await sandbox("GET", "/requests?operation=createWithdrawal");
  assert.equal(tried.total, 3, "one whose response was lost, its second try, and the second call");
  assert.deepEqual(new Set(tried.items.map((one) => one.idempotency_key)), new Set(["payout-2026-03"]));
  await advance("1m");
  const { items } = await sandbox("GET", "/balances");
  assert.equal(items.find(({ currency }) => currency === "KES").available_balance, "500.00");
});

test("errors that pass are waited out; those that stay are told", async (t) => {
  const { sandbox, order, shop } = await openWorld(t);
  const fault = (status, times) =>
    sandbox("POST", "/faults", { match: { operation: "createQuote" }, respond: { status }, times });
  await fault(503, 2);
  await order();
  await fault(500, 4);
  const { status } = await shop("POST", "/orders", { email: "ada@example.com", phone: "+254700000001" });
  assert.equal(status, 502);
});
