// Orders paid on the service's page; refunds, whole or in part, are made on its dashboard and booked by webhook.
import { createServer } from "node:http";
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

async function placeOrder({ order: id, email }) {
  if (!orders.has(id)) {
    // A checkout whose response is lost does no harm: nobody has its address.
    const { checkout_id, checkout_url, charge_id } = await payments("POST", "/checkouts", {
      pricing: { base_currency: "USD", amount: "80.00" },
      customer_email: email,
      metadata: { order: id },
    });
    const order = { id, status: "pending", refunds: [], seen: 0, checkout_id, checkout_url, charge_id };
    if (!orders.has(id)) orders.set(id, order);
  }
  const { checkout_id, checkout_url } = orders.get(id);
  return { checkout_id, checkout_url };
}

function learn(order, { status, status_history }) {
  if (status_history.length <= order.seen) return; // a duplicate, or overtaken
  order.seen = status_history.length;
  if (status === "REFUNDED") order.refunds.push({ amount: 80 - refundedOf(order) });
  else order.status = STATUS[status] ?? "pending";
}

function bookPartialRefund(order, { entry_id, amount }) {
  if (refundedOf(order) >= 80) return;
  order.refunds.push({ entry_id, amount: Number(amount) });
}

function refundedOf({ refunds }) {
  return refunds.reduce((sum, { amount }) => sum + amount, 0);
}

function hear(headers, body) {
  let event;
  try {
    event = webhook.verify(body, headers);
  } catch {
    return [400, { error: "bad signature" }];
  }
  const { metadata, charge_id, sandbox_extension: partial } = event.data;
  const order = orders.get(metadata?.order);
  if (order?.charge_id !== charge_id) return [200, {}]; // not one of ours
  if (event.type === "sandbox.charge.partially_refunded") bookPartialRefund(order, partial);
  else learn(order, event.data);
  return [200, {}];
}

async function route({ method, url, headers }, body) {
  if (method === "POST" && url === "/orders") return [201, await placeOrder(JSON.parse(body))];
  if (method === "POST" && url === "/webhooks") return hear(headers, body);
  const order = orders.get(url.replace("/orders/", ""));
  return order ? [200, { status: order.status, refunded: refundedOf(order) }] : [404, { error: "not found" }];
}

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const [status, answer] = await route(request, body).catch((error) => [503, { error: error.message }]);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
});
server.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`));
