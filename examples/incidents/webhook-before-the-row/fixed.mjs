// A bookshop that takes mobile money on its own page.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;
const webhook = new Webhook(PAYMENTS_WEBHOOK_SECRET);
const PRICE = { base_currency: "KES", amount: "500.00" };
const STATUS = {
  COMPLETED: "paid",
  REFUNDED: "refunded",
  FAILED: "failed",
  CANCELLED: "cancelled",
  EXPIRED: "expired",
};

const orders = new Map(); // a table in production
const placing = new Map();
const tried = new Set(); // orders whose charge may exist although its response was lost

async function payments(method, path, body) {
  const response = await fetch(`${PAYMENTS_BASE_URL}/api/v1/payments${path}`, {
    method,
    headers: { authorization: `Bearer ${PAYMENTS_API_KEY}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json();
}

async function createCharge(id, { email, phone }) {
  const request = { pricing: PRICE, payment_method: "mobile_money", customer_email: email };
  const { quote_id } = await payments("POST", "/quotes", request);
  const metadata = { order_id: id };
  return payments("POST", "/whitelabel", { ...request, quote_id, phone_number: phone, metadata });
}

/** Charges have no idempotency key: a second try looks for the charge of the first. */
async function findCharge(id) {
  const { items } = await payments("GET", "/payins?limit=20");
  for (const { charge_id } of items) {
    const charge = await payments("GET", `/charges/${charge_id}`);
    if (charge.metadata?.order_id === id) return charge;
  }
}

async function placeOrder(id, customer) {
  const order = orders.get(id) ?? { id, status: "pending", shipped: 0, seen: 0 };
  orders.set(id, order);
  const found = tried.has(id) ? await findCharge(id) : undefined;
  tried.add(id);
  const { charge_id } = found ?? (await createCharge(id, customer));
  order.charge_id = charge_id;
}

/** Two requests for one order wait for one charge. */
function placeOnce(id, customer) {
  const promise = placing.get(id) ?? placeOrder(id, customer).finally(() => placing.delete(id));
  placing.set(id, promise);
  return promise;
}

const app = new Hono();

app.post("/orders", async (c) => {
  const { order: id, ...customer } = await c.req.json();
  if (!orders.get(id)?.charge_id) await placeOnce(id, customer);
  return c.json(orders.get(id), 201);
});

app.get("/orders/:id", (c) => {
  const order = orders.get(c.req.param("id"));
  return order ? c.json({ status: order.status, shipped: order.shipped }) : c.notFound();
});

app.post("/webhooks", async (c) => {
  const body = await c.req.text(); // the signature covers these bytes
  let event;
  try {
    event = webhook.verify(body, c.req.header());
  } catch {
    return c.text("bad signature", 400);
  }
  const charge = event.data;
  const order = orders.get(charge.metadata?.order_id);
  if (!order) return c.body(null, 204); // not one of ours
  if (charge.status_history.length <= order.seen) return c.body(null, 204); // a duplicate, or overtaken
  order.seen = charge.status_history.length;
  order.status = STATUS[charge.status] ?? "pending";
  if (order.status === "paid") order.shipped += 1;
  return c.body(null, 204);
});

app.onError((error, c) => c.json({ error: error.message }, 502));
serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`listening on port ${port}`));
