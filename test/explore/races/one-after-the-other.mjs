// Job and webhooks each process one order at a time, but share a lock only with FIXED=1.
import { createServer } from "node:http";

const { PAYMENTS_BASE_URL: base, PAYMENTS_API_KEY: key, FIXED } = process.env;
const orders = new Map();
const locks = new Map();
let job = Promise.resolve();

async function call(method, path, body) {
  const response = await fetch(`${base}/api/v1/payments/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

function locked(id, work) {
  const done = (locks.get(id) ?? Promise.resolve()).then(work);
  locks.set(
    id,
    done.catch(() => {}),
  );
  return done;
}

async function pay(order) {
  const asked = {
    pricing: { base_currency: "KES", amount: "1105.10" },
    payment_method: "mobile_money",
    customer_email: order.email,
  };
  const { quote_id } = await call("POST", "quotes", asked);
  const more = { quote_id, phone_number: "+254700000001", metadata: { order: order.id } };
  if (order.isAsked) order.charge = await findCharge(order.id);
  order.isAsked = true;
  order.charge ??= (await call("POST", "whitelabel", { ...asked, ...more })).charge_id;
}

/** Finds the charge of an earlier attempt whose response was lost. */
async function findCharge(id) {
  const { items } = await call("GET", "payins?limit=100");
  for (const { charge_id } of items)
    if ((await call("GET", `charges/${charge_id}`)).metadata.order === id) return charge_id;
}

/** Delivers a paid order once. */
async function settle(order) {
  if (order.status === "paid") return;
  if (order.charge === undefined) await pay(order);
  const { status } = await call("GET", `charges/${order.charge}`);
  if (status !== "COMPLETED") return;
  order.delivered += 1;
  order.status = "paid";
}

async function settleAll() {
  for (const order of orders.values()) {
    const work = () => settle(order);
    await (FIXED ? locked(order.id, work) : work()).catch(() => {});
  }
}

const answers = {
  "POST /orders": async ({ id, email }) => {
    if (!orders.has(id)) orders.set(id, { id, email, status: "pending", delivered: 0 });
    const order = orders.get(id);
    await locked(id, () => order.charge === undefined && pay(order));
    return order;
  },
  "POST /webhooks": async ({ data }) => {
    const order = orders.get(data.metadata.order);
    if (order !== undefined)
      await locked(order.id, () => {
        order.charge = data.charge_id;
        return settle(order);
      });
  },
  "POST /job": () => {
    job = job.then(settleAll);
    return job;
  },
};

const server = createServer(async (request, response) => {
  const { method, url } = request;
  const body = Buffer.concat(await request.toArray()).toString();
  const [, id] = /^\/orders\/(.+)$/.exec(url) ?? [];
  try {
    const { status, delivered } =
      (id ? orders.get(id) : await answers[`${method} ${url}`]?.(body ? JSON.parse(body) : {})) ?? {};
    response.end(JSON.stringify({ status, delivered }));
  } catch (error) {
    response.writeHead(503).end(JSON.stringify({ error: error.message }));
  }
});
server.listen(0, "127.0.0.1", () => console.log(`listening on port ${server.address().port}`));
