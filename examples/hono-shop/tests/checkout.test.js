import assert from "node:assert/strict";
import { test } from "node:test";
import { openWorld } from "./support/world.js";

const PHONE = "+254700000001";

/** A customer who has ordered and is on the payment page. */
async function orderedIn(world, email = "ada@example.com") {
  const { browser, shopUrl, sandboxUrl } = world;
  await browser.open(shopUrl);
  await browser.submit("/orders", { email });
  assert.equal(browser.status, 200);
  assert.ok(browser.url.startsWith(`${sandboxUrl}/checkout/`), browser.url);
  return browser.url.split("/").at(-1);
}

function assertOrder({ order }, status, shipments) {
  assert.deepEqual([order().status, order().shipments.length], [status, shipments]);
}

test("the customer pays on the page, comes back, and the order is shipped", async (t) => {
  const world = await openWorld(t);
  const { browser, sandbox, shopUrl } = world;
  await orderedIn(world);
  const payment = {
    payment_method: "mobile_money",
    "currency.mobile_money": "KES",
    "phone_number.mobile_money": PHONE,
  };
  await browser.submit("/method", payment);
  assert.match(browser.text, /512\.50/);
  await browser.submit("/paid");
  assertOrder(world, "pending", 0);
  await sandbox.advance("10s");
  assertOrder(world, "paid", 1);
  await browser.open(browser.url); // the waiting page looks again by itself
  assert.ok(browser.url.startsWith(`${shopUrl}/orders/${world.order().id}?`), browser.url);
  assert.match(browser.text, /Your order is on its way/);
});

test("the same without a page: the control API pays in the customer's place", async (t) => {
  const world = await openWorld(t);
  const checkout = await orderedIn(world);
  await world.control("POST", `/checkouts/${checkout}/pay`, {
    payment_method: "mobile_money",
    phone_number: PHONE,
  });
  assertOrder(world, "pending", 0);
  await world.sandbox.advance("10s");
  assertOrder(world, "paid", 1);
});

test("coming back is not paying, whatever the address says", async (t) => {
  const world = await openWorld(t);
  const { browser, shopUrl } = world;
  await orderedIn(world);
  const { id, charge_id } = world.order();
  await browser.open(`${shopUrl}/orders/${id}?charge_id=${charge_id}&status=COMPLETED`);
  assert.match(browser.text, /We are waiting for your payment/);
  assertOrder(world, "pending", 0);
});

test("who cancels can pay later", async (t) => {
  const world = await openWorld(t);
  const { browser, sandbox, shopUrl } = world;
  await orderedIn(world);
  await browser.submit("/cancel");
  await sandbox.settled();
  assertOrder(world, "cancelled", 0);
  await browser.open(`${shopUrl}/orders/${world.order().id}`);
  await browser.submit("/pay");
  await browser.submit("/method", { payment_method: "card", "currency.card": "KES" });
  await sandbox.advance("10s");
  assertOrder(world, "paid", 1);
});

test("who has two checkouts and pays both gets the goods once", async (t) => {
  const world = await openWorld(t, { wrong: ["paid_twice"] }); // one of the two is to be refunded
  const { browser, sandbox, shopUrl } = world;
  const first = await orderedIn(world);
  await browser.open(`${shopUrl}/orders/${world.order().id}`);
  await browser.submit("/pay");
  const second = browser.url.split("/").at(-1);
  assert.notEqual(first, second);
  for (const checkout of [first, second])
    await world.control("POST", `/checkouts/${checkout}/pay`, { payment_method: "card" });
  await sandbox.advance("10s");
  assertOrder(world, "paid", 1);
});

test("a checkout whose response is lost: the customer tries again, and the lost one's end changes nothing", async (t) => {
  const world = await openWorld(t);
  const { browser, sandbox, shopUrl } = world;
  t.mock.method(console, "error", () => {});
  await world.control("POST", "/scenarios/lost_response/activate");
  await browser.open(shopUrl);
  await browser.submit("/orders", { email: "ada@example.com" });
  assert.equal(browser.status, 502);
  await browser.open(`${shopUrl}/orders/${world.order().id}`);
  await browser.submit("/pay");
  const { pathname } = new URL(browser.url);
  await world.control("POST", `${pathname.replace("/checkout/", "/checkouts/")}/pay`, {
    payment_method: "card",
  });
  await sandbox.advance("2h");
  assert.equal((await world.control("GET", "/charges?status=EXPIRED")).total, 1);
  assertOrder(world, "paid", 1);
});
