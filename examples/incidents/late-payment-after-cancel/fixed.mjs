// Concert tickets by mobile money. A seat that is not paid in time is offered again.
import express from "express";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;
const webhook = new Webhook(PAYMENTS_WEBHOOK_SECRET);

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

async function createCharge({ id, email, phone }) {
  const pricing = { base_currency: "KES", amount: "900.00" };
  const request = { pricing, payment_method: "mobile_money", customer_email: email };
  const { quote_id } = await payments("POST", "/quotes", request);
  const metadata = { order: id };
  return payments("POST", "/whitelabel", { ...request, quote_id, phone_number: phone, metadata });
}

/** Charges have no idempotency key: a second try looks for the charge of the first. */
async function findCharge(id) {
  const { items } = await payments("GET", "/payins?limit=20");
  for (const { charge_id } of items) {
    const charge = await payments("GET", `/charges/${charge_id}`);
    if (charge.metadata?.order === id) return charge;
  }
}

async function charge(order) {
  const found = order.isTried ? await findCharge(order.id) : undefined;
  order.isTried = true;
  const { charge_id } = found ?? (await createCharge(order));
  order.charge_id = charge_id;
}

/** Two requests wait for one charge; after a failure the next one tries again. */
async function chargeOnce(order) {
  if (order.charge_id) return;
  order.charging ??= charge(order).finally(() => {
    order.charging = undefined;
  });
  await order.charging;
}

function learn(order, { status, status_history }) {
  if (status_history.length <= order.seen) return; // a duplicate, or overtaken
  order.seen = status_history.length;
  if (status === "COMPLETED") {
    if (order.status === "paid") return;
    order.status = "paid";
    order.tickets += 1;
  } else if (status === "REFUNDED") {
    Object.assign(order, { status: "refunded", tickets: 0 });
  } else if (["EXPIRED", "FAILED", "CANCELLED"].includes(status)) {
    order.status = "cancelled";
  }
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
  const { order: id, email, phone } = request.body;
  if (!orders.has(id)) orders.set(id, { id, email, phone, status: "pending", tickets: 0, seen: 0 });
  const order = orders.get(id);
  await chargeOnce(order);
  response.status(201).json({ order: id, charge_id: order.charge_id });
});

app.get("/orders/:id", (request, response) => {
  const order = orders.get(request.params.id);
  if (!order) return response.sendStatus(404);
  response.json({ status: order.status, tickets: order.tickets });
});

app.use((error, _request, response, _next) => response.status(503).json({ error: error.message }));

const server = app.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`));
