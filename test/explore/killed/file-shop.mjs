// A shop with its orders in a file. FAULT selects a bug.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const { PAYMENTS_BASE_URL: base, PAYMENTS_API_KEY: key, PORT, STORE, FAULT } = process.env;
const PRICE = FAULT === "cents" ? "110510" : "1105.10";
const asked = { pricing: { base_currency: "KES", amount: "1105.10" }, payment_method: "mobile_money" };

async function call(method, path, body) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${base}/api/v1/payments/${path}`, {
    method,
    headers,
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

const orders = readOrders();

function readOrders() {
  try {
    return JSON.parse(readFileSync(STORE, "utf8"));
  } catch {
    return {};
  }
}

function record(order, change) {
  orders[order.id] = Object.assign(order, change);
  if (FAULT === "memory") return;
  writeFileSync(`${STORE}.new`, JSON.stringify(orders));
  renameSync(`${STORE}.new`, STORE);
}

async function findCharge({ id, email }) {
  const { items } = await call("GET", "payins?limit=100");
  const charges = await Promise.all(items.map(({ charge_id }) => call("GET", `charges/${charge_id}`)));
  return charges.find((charge) => charge.metadata.order === id && charge.customer_email === email);
}

/** Creates the order's charge, unless an earlier attempt did. */
async function pay(order) {
  const isFirst = !order.has_begun;
  const { quote_id } = await call("POST", "quotes", { ...asked, customer_email: order.email });
  record(order, { has_begun: true });
  const more = { quote_id, phone_number: "+254700000001", metadata: { order: order.id } };
  const charge = isFirst ? undefined : await findCharge(order);
  const body = { ...asked, customer_email: order.email, ...more };
  record(order, { charge: (charge ?? (await call("POST", "whitelabel", body))).charge_id });
}

function learn({ metadata, status }) {
  const order = orders[metadata.order];
  if (order === undefined || (order.status === "paid" && FAULT !== "counts")) return;
  if (status === "COMPLETED") record(order, { status: "paid", delivered: order.delivered + 1 });
  else if (/FAILED|CANCELLED|EXPIRED/.test(status)) record(order, { status: status.toLowerCase() });
}

const events = [];

function work() {
  for (const event of events.splice(0)) learn(event);
}

const ends = new Map();

/** Handles the calls on each order one after another. */
function alone(id, handle) {
  const done = (ends.get(id) ?? Promise.resolve()).then(handle);
  ends.set(
    id,
    done.catch(() => {}),
  );
  return done;
}

const ROUTES = {
  "POST /orders": ({ id, email }) =>
    alone(id, async () => {
      const order = orders[id] ?? {
        id,
        email,
        status: "pending",
        delivered: 0,
        price: PRICE,
        currency: "KES",
      };
      record(order, {});
      if (order.charge === undefined) await pay(order);
      return order;
    }),
  "POST /webhooks": ({ data }) => {
    events.push(data);
    if (FAULT !== "queue") work();
    return {};
  },
};

createServer(async (request, response) => {
  const text = Buffer.concat(await request.toArray()).toString();
  if (request.method === "GET") work();
  const shown = orders[request.url.split("/").at(-1)];
  const handle = ROUTES[`${request.method} ${request.url}`];
  try {
    const answer = handle ? await handle(JSON.parse(text)) : shown;
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? {}));
  } catch {
    response.writeHead(503).end();
  }
}).listen(Number(PORT), "127.0.0.1", () => console.log(`the app is ${process.pid}`));
