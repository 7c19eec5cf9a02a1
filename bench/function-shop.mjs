// A right shop of functions for `bench/explore.mjs`: called in its process, or over HTTP as `node bench/function-shop.mjs`.
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";

const TERMS = { pricing: { base_currency: "KES", amount: "1105.10" }, payment_method: "card" };

/** @param send `fetch`, or that of a sandbox in this process */
export function openShop({ send, baseUrl = "", apiKey, webhookSecret }) {
  const webhook = new Webhook(webhookSecret);
  const orders = new Map();
  /** Charge → its order. */
  const known = new Map();
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };

  async function call(method, path, body) {
    const response = await send(`${baseUrl}/api/v1/payments/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} returned ${response.status}`);
    return response.json();
  }

  async function charge(id, email) {
    const { quote_id } = await call("POST", "quotes", TERMS);
    const order = { ...TERMS, quote_id, customer_email: email, metadata: { order_id: id } };
    return call("POST", "whitelabel", order).catch(() => find(id));
  }

  /** The charge of an order whose response was lost. */
  async function find(id) {
    const { items } = await call("GET", "payins?limit=100");
    for (const { charge_id } of items.filter((one) => (known.get(one.charge_id) ?? id) === id)) {
      const found = await call("GET", `charges/${charge_id}`);
      if (found.metadata.order_id === id) return found;
    }
    throw new Error("no charge was made");
  }

  return {
    place(id, email) {
      const order = orders.get(id) ?? { status: "pending", delivered: 0 };
      orders.set(id, order);
      order.charge ??= charge(id, email).catch((error) => {
        order.charge = undefined;
        throw error;
      });
      return order.charge;
    },
    receive(body, headers) {
      const { type, data } = webhook.verify(body, headers);
      known.set(data.charge_id, data.metadata?.order_id);
      const order = orders.get(data.metadata?.order_id);
      if (order === undefined || order.delivered > 0) return;
      if (type === "charge.completed") Object.assign(order, { status: "paid", delivered: 1 });
      if (/^charge\.(failed|expired|cancelled)$/.test(type)) order.status = "failed";
    },
    show(id) {
      const { status, delivered } = orders.get(id) ?? {};
      return { status, delivered };
    },
  };
}

function serve(shop) {
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const answer = (status, body = {}) => response.writeHead(status).end(JSON.stringify(body));
    try {
      if (request.url === "/webhooks") return answer(200, shop.receive(text, request.headers));
      if (request.method === "GET") return answer(200, shop.show(request.url.replace("/orders/", "")));
      const { order, email } = JSON.parse(text);
      answer(201, await shop.place(order, email));
    } catch (error) {
      answer(503, { error: error.message });
    }
  });
  server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET } = process.env;
  const access = { apiKey: PAYMENTS_API_KEY, webhookSecret: PAYMENTS_WEBHOOK_SECRET };
  serve(openShop({ send: fetch, baseUrl: PAYMENTS_BASE_URL, ...access }));
}
