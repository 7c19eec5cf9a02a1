// Express. Responds first, and searches for a charge before it pays again.
import express from "express";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL: base, PAYMENTS_API_KEY: key, PAYMENTS_WEBHOOK_SECRET: secret, PORT } = process.env;
const PAUSES_MS = [250, 500, 1_000];
const PRICING = { base_currency: "KES", amount: "1105.10" };
const FINAL = { COMPLETED: "paid", FAILED: "failed", CANCELLED: "cancelled", EXPIRED: "expired" };

class Unanswered extends Error {}

async function call(method, path, body) {
  const init = { method, headers: { authorization: `Bearer ${key}`, "content-type": "application/json" } };
  let response;
  let answer;
  try {
    response = await fetch(`${base}/api/v1/payments/${path}`, {
      ...init,
      body: body && JSON.stringify(body),
    });
    answer = await response.json();
  } catch (cause) {
    throw new Unanswered(path, { cause });
  }
  if (response.status >= 500 || response.status === 429) throw new Unanswered(`${path}: ${response.status}`);
  if (!response.ok) throw new Error(`${path}: ${answer.error.message}`);
  return answer;
}

const orders = new Map();
const ends = new Map();

/** Runs the work on each order one after another. */
function alone(id, work) {
  const end = (ends.get(id) ?? Promise.resolve()).then(work);
  ends.set(
    id,
    end.catch(() => {}),
  );
  return end;
}

/** Repeats `work` with pauses until it gets a response. */
async function persist(work) {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return work();
}

async function findCharge({ id, since }) {
  for (let offset = 0; ; offset += 100) {
    const { items } = await call("GET", `payins?limit=100&offset=${offset}`);
    for (const { charge_id, created_at } of items) {
      if (created_at < since) return undefined;
      const charge = await call("GET", `charges/${charge_id}`);
      if (charge.metadata.order === id) return charge;
    }
    if (items.length < 100) return undefined;
  }
}

async function pay(order) {
  const wish = { pricing: PRICING, payment_method: "mobile_money", customer_email: order.email };
  const quote = await call("POST", "quotes", wish);
  const earlier = order.since && (await findCharge(order));
  order.since ??= quote.created_at;
  const more = { quote_id: quote.quote_id, phone_number: "+254700000001", metadata: { order: order.id } };
  order.charge = (earlier ?? (await call("POST", "whitelabel", { ...wish, ...more }))).charge_id;
}

/** Reads the charge until it is as new as the event. */
async function learn(order, event) {
  if (order.status === "paid") return;
  if (order.charge === undefined) await pay(order);
  const { status, status_history } = await call("GET", `charges/${order.charge}`);
  if (status_history.length < event.status_history.length) throw new Unanswered("the read is behind");
  if (FINAL[status] === undefined) return;
  order.status = FINAL[status];
  if (status === "COMPLETED") order.delivered += 1;
}

const shown = ({ status, delivered }) => ({ status, delivered });
const app = express();

app.post("/orders", express.json(), (request, response) => {
  const { id, email } = request.body;
  if (!orders.has(id)) {
    orders.set(id, { id, email, status: "pending", delivered: 0 });
    alone(id, () => persist(() => pay(orders.get(id)))).catch(() => {});
  }
  response.status(202).json(shown(orders.get(id)));
});
app.get("/orders/:id", (request, response) => {
  const order = orders.get(request.params.id);
  response.status(order ? 200 : 404).json(order ? shown(order) : {});
});
app.post("/webhooks", express.text({ type: "*/*", limit: "1mb" }), async (request, response) => {
  let event;
  try {
    event = new Webhook(secret).verify(request.body, request.headers);
  } catch {
    return response.sendStatus(400);
  }
  const order = orders.get(event.data.metadata?.order);
  try {
    if (order) await alone(order.id, () => persist(() => learn(order, event.data)));
    response.sendStatus(200);
  } catch {
    response.sendStatus(503);
  }
});
app.listen(Number(PORT), "127.0.0.1");
