import assert from "node:assert/strict";
import { test } from "node:test";
import { fulfil as naive } from "../src/fulfil.naive.js";
import { openWorld } from "./support/world.js";

/** A paid order on a day on which webhooks come twice and in the wrong order. */
async function payInChaos({ browser, control, sandbox, shopUrl, order }) {
  await control("POST", "/scenarios/webhook_chaos/activate");
  await browser.open(shopUrl);
  await browser.submit("/orders", { email: "ada@example.com" });
  await browser.submit("/method", { payment_method: "card", "currency.card": "KES" });
  await sandbox.advance("1m");
  const { items } = await control("GET", "/deliveries?type=charge.completed");
  assert.deepEqual(
    items.map(({ answered }) => answered),
    [204, 204],
    "the good news comes twice",
  );
  return { status: order().status, shipments: order().shipments.length };
}

test("told twice, the shop ships once", async (t) => {
  assert.deepEqual(await payInChaos(await openWorld(t)), { status: "paid", shipments: 1 });
});

test("the books are right on a bad day, and nothing else is asked for", async (t) => {
  await payInChaos(await openWorld(t));
});

test("the naive handler ships twice, and takes old news for new: the bug this example is about", async (t) => {
  const wrong = ["paid_not_marked", "delivered_twice"];
  assert.deepEqual(await payInChaos(await openWorld(t, { fulfil: naive, wrong })), {
    status: "pending",
    shipments: 2,
  });
});

test("the receiver passes every check of the doctor", async (t) => {
  const { sandbox, shopUrl } = await openWorld(t);
  const report = await sandbox.checkWebhook(`${shopUrl}/webhooks`);
  assert.deepEqual(report.findings, []);
});
