// The smallest app that takes a payment and is right, for bench/explore.mjs. An order is paid when it is new, and by the
// timed job where nothing has come of that. It prints its port.
import { createServer } from "node:http";

const { PAYMENTS_BASE_URL: base, PAYMENTS_API_KEY: key } = process.env;
const orders = new Map();

async function call(method, path, body) {
  const response = await fetch(`${base}/api/v1/payments/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

async function pay(order) {
  const asked = {
    pricing: { base_currency: "KES", amount: "500.00" },
    payment_method: "mobile_money",
    customer_email: order.email,
  };
  const { quote_id } = await call("POST", "quotes", asked);
  const more = { quote_id, phone_number: "+254700000001", metadata: { order: order.id } };
  order.charge_id = (await call("POST", "whitelabel", { ...asked, ...more })).charge_id;
}

function learn({ charge_id, status, metadata }) {
  const order = orders.get(metadata.order);
  if (order === undefined || order.status === "paid") return;
  order.charge_id = charge_id;
  if (status === "COMPLETED") order.status = "paid";
}

const answers = {
  "POST /orders": async ({ id, email }) => {
    const known = orders.get(id);
    const order = known ?? { id, email, status: "pending" };
    orders.set(id, order);
    if (known === undefined) await pay(order).catch(() => {});
    return order;
  },
  "POST /webhooks": async ({ data }) => learn(data),
  "POST /tick": async () => {
    for (const order of orders.values())
      if (order.status === "pending") {
        if (order.charge_id === undefined) await pay(order).catch(() => {});
        if (order.charge_id !== undefined)
          await call("GET", `charges/${order.charge_id}`).then(learn, () => {});
      }
  },
};

const server = createServer(async (request, response) => {
  const { method, url } = request;
  const body = Buffer.concat(await request.toArray()).toString();
  const [, id] = /^\/orders\/(.+)$/.exec(url) ?? [];
  const answer =
    id === undefined ? await answers[`${method} ${url}`](JSON.parse(body || "{}")) : orders.get(id);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer ?? {}));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
