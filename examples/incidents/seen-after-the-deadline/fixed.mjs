// Tickets by mobile money. A seat is kept for as long as the charge can be paid in time; later money is paid back.
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;
const webhook = new Webhook(PAYMENTS_WEBHOOK_SECRET);
const ENDS = new Set(["COMPLETED", "FAILED", "CANCELLED", "EXPIRED", "REFUNDED"]);

const orders = new Map(); // a table in production

/** Returns what the service answers, and its time: in tests it has a clock of its own. */
async function call(method, path, body, headers = {}) {
  const response = await fetch(`${PAYMENTS_BASE_URL}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${PAYMENTS_API_KEY}`,
      "content-type": "application/json",
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  const now = new Date(response.headers.get("sandbox-now") ?? Date.now());
  return { ...(await response.json()), now: now.toISOString() };
}

/** One request works on an order at a time. */
function alone(order, work) {
  const turn = order.turn.then(work);
  order.turn = turn.catch(() => {});
  return turn;
}

/** A page whose address is lost does no harm: nobody can pay on it. */
async function openPage(order) {
  if (order.page) return order.page;
  const { checkout_id, checkout_url, charge_id, expires_at } = await call("POST", "/payments/checkouts", {
    pricing: { base_currency: "KES", amount: "1105.10" },
    payment_methods: ["mobile_money"],
    customer_email: order.email,
    metadata: { order: order.id },
  });
  Object.assign(order, { charge_id, deadline: expires_at, page: { checkout_id, checkout_url } });
  return order.page;
}

/** The key makes it safe to repeat. */
async function payBack(order, { settlement_amount: amount, currency }) {
  const wallet = { type: "mobile_money", currency, provider: "simba_pesa", phone_number: order.phone };
  order.destination_id ??= (await call("POST", "/payouts/destinations", wallet)).destination_id;
  const payout = { destination_id: order.destination_id, amount, currency, reference: order.id };
  await call("POST", "/payouts/withdrawals", payout, { "idempotency-key": `back-${order.id}` });
  Object.assign(order, { status: "paid back", seat: false });
}

async function learn(order, told) {
  if (order.status === "paid back") return;
  const charge = await call("GET", `/payments/charges/${order.charge_id}`);
  const known = Math.max(told.status_history.length, order.known ?? 0);
  if (charge.status_history.length < known) throw new Error("a stale read");
  order.known = charge.status_history.length;
  if (charge.status === "COMPLETED" && order.status !== "paid") {
    const { at: paidAt } = charge.status_history.find(({ status }) => status === "COMPLETED");
    if (paidAt > order.deadline) return payBack(order, charge);
    Object.assign(order, { status: "paid", seat: true });
  } else if (charge.status !== "COMPLETED" && ENDS.has(charge.status))
    Object.assign(order, { status: charge.status.toLowerCase(), seat: false });
}

async function hear(headers, body) {
  let event;
  try {
    event = webhook.verify(body, headers);
  } catch {
    return [400, { error: "bad signature" }];
  }
  const order = orders.get(event.data.metadata?.order);
  const isOurs = order !== undefined && order.charge_id === event.data.charge_id;
  if (isOurs && ENDS.has(event.data.status)) await alone(order, () => learn(order, event.data));
  return [200, {}];
}

async function route({ method, url, headers }, body) {
  if (url === "/webhooks") return hear(headers, body);
  if (method === "POST" && url === "/orders") {
    const { order: id, email, phone } = JSON.parse(body);
    const fresh = { id, email, phone, status: "pending", seat: false, turn: Promise.resolve() };
    if (!orders.has(id)) orders.set(id, fresh);
    return [201, await alone(orders.get(id), () => openPage(orders.get(id)))];
  }
  const order = orders.get(url.replace("/orders/", ""));
  return order ? [200, { status: order.status, seat: order.seat }] : [404, { error: "not found" }];
}

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const [status, answer] = await route(request, body).catch((error) => [503, { error: error.message }]);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
});
server.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`));
