// Orders that may take several attempts to pay: each is a page of the service.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;
const webhook = new Webhook(PAYMENTS_WEBHOOK_SECRET);
const STATUS = { COMPLETED: "paid", FAILED: "failed", CANCELLED: "cancelled", EXPIRED: "expired" };

const orders = new Map(); // a table in production

async function payments(method, path, body) {
  const response = await fetch(`${PAYMENTS_BASE_URL}/api/v1/payments${path}`, {
    method,
    headers: { authorization: `Bearer ${PAYMENTS_API_KEY}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json();
}

/** A page whose address is lost does no harm: nobody can pay on it. */
function openPage(order) {
  const pricing = { base_currency: "KES", amount: "500.00" };
  const request = { pricing, customer_email: order.email, metadata: { order: order.id } };
  return payments("POST", "/checkouts", request);
}

function learn(order, { charge_id, status, status_history }) {
  if (status_history.length <= (order.seen.get(charge_id) ?? 0)) return; // a duplicate, or overtaken
  order.seen.set(charge_id, status_history.length);
  if (charge_id !== order.charge_id && status !== "COMPLETED") return; // an earlier attempt
  if (order.status === "paid" && status !== "REFUNDED") return; // an attempt that nobody paid
  order.status = STATUS[status] ?? "pending";
  if (order.status === "paid") order.shipped += 1;
}

const app = new Hono();

app.post("/orders", async (c) => {
  const { order: id, email } = await c.req.json();
  if (!orders.has(id)) orders.set(id, { id, email, status: "new", shipped: 0, seen: new Map() });
  return c.json({ order: id }, 201);
});

app.post("/orders/:id/payments", async (c) => {
  const order = orders.get(c.req.param("id"));
  if (!order) return c.notFound();
  if (order.status === "paid") return c.json({ error: "already paid" }, 409);
  const { checkout_id, checkout_url, charge_id } = await openPage(order);
  order.charge_id = charge_id;
  return c.json({ checkout_id, checkout_url }, 201);
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
  const order = orders.get(event.data.metadata?.order);
  if (order) learn(order, event.data);
  return c.body(null, 204);
});

app.onError((error, c) => c.json({ error: error.message }, 503));
serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`listening on port ${port}`));
