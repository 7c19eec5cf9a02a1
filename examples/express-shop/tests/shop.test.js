import assert from "node:assert/strict";
import { test } from "node:test";
import { openWorld } from "./support/world.js";

test("an order is shipped when it is paid, and not before", async (t) => {
  const { order, shop, advance } = await openWorld(t);
  const { id, amount, payment_instructions } = await order();
  assert.equal(amount, "512.50");
  assert.equal(payment_instructions.type, "mobile_money");
  await advance("2s");
  assert.deepEqual((await shop("GET", `/orders/${id}`)).body, { id, status: "pending", shipments: 0 });
  await advance("10s");
  assert.deepEqual((await shop("GET", `/orders/${id}`)).body, { id, status: "paid", shipments: 1 });
});

// Magic customers of the sandbox: the address says what becomes of the payment.
for (const [email, after, status] of [
  ["declined@example.com", "10s", "failed"],
  ["cancelled@example.com", "10s", "cancelled"],
  ["expired@example.com", "61m", "expired"],
])
  test(`nothing is shipped to ${email}`, async (t) => {
    const { order, shop, advance } = await openWorld(t);
    const { id } = await order(email);
    await advance(after);
    assert.deepEqual((await shop("GET", `/orders/${id}`)).body, { id, status, shipments: 0 });
  });

test("who pays after the deadline gets the goods all the same", async (t) => {
  const { order, shop, advance } = await openWorld(t);
  const { id } = await order("late@example.com");
  await advance("61m");
  assert.equal((await shop("GET", `/orders/${id}`)).body.status, "expired");
  await advance("5m");
  assert.deepEqual((await shop("GET", `/orders/${id}`)).body, { id, status: "paid", shipments: 1 });
});

test("a mistake of the customer's is told as one", async (t) => {
  const { shop } = await openWorld(t);
  const { status, body } = await shop("POST", "/orders", { email: "ada@example.com", phone: "0700" });
  assert.equal(status, 400);
  assert.match(body.error, /VALIDATION_ERROR/);
});
