// Downloads that are paid on the service's page. The customer comes back to /thanks.
import express from "express";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;
const webhook = new Webhook(PAYMENTS_WEBHOOK_SECRET);
const STATUS = {
  COMPLETED: "paid",
  REFUNDED: "refunded",
  FAILED: "failed",
  CANCELLED: "cancelled",
  EXPIRED: "expired",
};

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
async function openPage({ id, email, site }) {
  const pricing = { base_currency: "USD", amount: "19.99" };
  const success_url = `${site}/thanks?order=${id}`;
  const request = { pricing, success_url, customer_email: email, metadata: { order: id } };
  const { checkout_id, checkout_url, charge_id } = await payments("POST", "/checkouts", request);
  return { checkout_id, checkout_url, charge_id };
}

/** Two requests wait for one page; after a failure the next one tries again. */
function pageOf(order) {
  order.page ??= openPage(order).catch((error) => {
    order.page = undefined;
    throw error;
  });
  return order.page;
}

function learn(order, { status, status_history }) {
  if (status_history.length <= order.seen) return; // a duplicate, or overtaken
  order.seen = status_history.length;
  order.status = STATUS[status] ?? "pending";
}

const app = express();

app.post("/webhooks", express.raw({ type: "*/*" }), (request, response) => {
  let event;
  try {
    event = webhook.verify(request.body, request.headers);
  } catch {
    return response.status(400).send("bad signature");
  }
  const order = orders.get(event.data.metadata?.order);
  if (order) learn(order, event.data);
  response.sendStatus(204);
});

app.use(express.json());

app.post("/orders", async (request, response) => {
  const { order: id, email } = request.body;
  const site = `${request.protocol}://${request.get("host")}`;
  if (!orders.has(id)) orders.set(id, { id, email, site, status: "pending", seen: 0 });
  const { checkout_id, checkout_url } = await pageOf(orders.get(id));
  response.status(201).json({ checkout_id, checkout_url });
});

app.get("/thanks", async (request, response) => {
  const order = orders.get(request.query.order);
  if (!order) return response.sendStatus(404);
  const { charge_id } = await order.page;
  learn(order, await payments("GET", `/charges/${charge_id}`)); // the webhook may take a while
  response.json({ status: order.status });
});

app.get("/orders/:id", (request, response) => {
  const order = orders.get(request.params.id);
  if (!order) return response.sendStatus(404);
  response.json({ status: order.status, download: order.status === "paid" });
});

app.use((error, _request, response, _next) => response.status(503).json({ error: error.message }));

const server = app.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`));
