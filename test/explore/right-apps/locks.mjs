// Hono with a lock for each order; a webhook that finds it locked gets 503.
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL: base, PAYMENTS_API_KEY: key, PAYMENTS_WEBHOOK_SECRET: secret, PORT } = process.env;
const TRIES = 3;
const FINAL = { COMPLETED: "paid", FAILED: "failed", CANCELLED: "cancelled", EXPIRED: "expired" };
const webhook = new Webhook(secret);
const orders = new Map();
const locked = new Set();

class Unavailable extends Error {}

/** Repeats a call that may be repeated safely. */
async function call(method, path, body) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    try {
      const response = await fetch(`${base}/api/v1/payments/${path}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
      });
      if (response.ok) return await response.json();
      if (response.status < 500 && response.status !== 429) break;
    } catch {
      // The next attempt may get a response.
    }
    await new Promise((resolve) => setTimeout(resolve, 50 * attempt));
  }
  throw new Unavailable(path);
}

/** Runs the work unless the order is locked; returns false then. */
async function withLock(order, work) {
  if (locked.has(order.id)) return false;
  locked.add(order.id);
  try {
    await work();
  } finally {
    locked.delete(order.id);
  }
  return true;
}

async function learn(order) {
  const { status } = await call("GET", `charges/${order.charge_id}`);
  if (order.status === "paid" || FINAL[status] === undefined) return;
  order.status = FINAL[status];
  if (order.status === "paid") order.delivered += 1;
}

const app = new Hono();
app.onError((error, c) => {
  if (!(error instanceof Unavailable)) console.error(error);
  return c.json({}, error instanceof Unavailable ? 503 : 500);
});
app.post("/orders", async (c) => {
  const { id, email } = await c.req.json();
  if (!orders.has(id)) {
    const pricing = { base_currency: "KES", amount: "1105.10" };
    const wish = { pricing, customer_email: email, metadata: { order: id } };
    const { charge_id, checkout_id } = await call("POST", "checkouts", wish);
    // A second request may have been faster; the first page counts.
    if (!orders.has(id)) orders.set(id, { id, charge_id, checkout_id, status: "pending", delivered: 0 });
  }
  return c.json({ checkout_id: orders.get(id).checkout_id }, 201);
});
app.get("/orders/:id", (c) => {
  const order = orders.get(c.req.param("id"));
  return order === undefined ? c.json({}, 404) : c.json({ status: order.status, delivered: order.delivered });
});
app.post("/webhooks", async (c) => {
  let event;
  try {
    event = webhook.verify(await c.req.text(), c.req.header());
  } catch {
    return c.json({}, 400);
  }
  const order = orders.get(event.data.metadata?.order);
  if (order === undefined || order.charge_id !== event.data.charge_id) return c.json({});
  const isDone = await withLock(order, () => learn(order));
  return isDone ? c.json({}) : c.json({}, 503, { "retry-after": "2" });
});
app.post("/tick", async (c) => {
  for (const order of orders.values())
    if (order.status !== "paid") await withLock(order, () => learn(order)).catch(() => {});
  return c.json({});
});
createAdaptorServer({ fetch: app.fetch }).listen(Number(PORT), "127.0.0.1");
