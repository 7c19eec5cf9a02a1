// Deposits of crypto: a customer sends coins from a wallet, and has a balance once they have arrived.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;
const webhook = new Webhook(PAYMENTS_WEBHOOK_SECRET);
const STATUSES = new Set(["PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED", "REFUNDED"]);

const deposits = new Map(); // a table in production

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
async function openPage({ id, email, amount }) {
  const { checkout_id, checkout_url } = await payments("POST", "/checkouts", {
    pricing: { base_currency: "USD", amount },
    payment_methods: ["crypto"],
    customer_email: email,
    metadata: { deposit: id },
  });
  return { checkout_id, checkout_url };
}

/** Two requests wait for one page; after a failure the next one tries again. */
function pageOf(deposit) {
  deposit.page ??= openPage(deposit).catch((error) => {
    deposit.page = undefined;
    throw error;
  });
  return deposit.page;
}

function learn(deposit, { status, status_history }) {
  if (status_history.length <= deposit.seen) return; // a duplicate, or overtaken
  deposit.seen = status_history.length;
  deposit.status = status.toLowerCase();
  deposit.balance = status === "COMPLETED" ? deposit.amount : "0.00";
}

const app = new Hono();

app.post("/webhooks", async (c) => {
  const body = await c.req.text(); // the signature covers these bytes
  let event;
  try {
    event = webhook.verify(body, c.req.header());
  } catch {
    return c.text("bad signature", 400);
  }
  const deposit = deposits.get(event.data.metadata?.deposit);
  if (deposit && STATUSES.has(event.data.status)) learn(deposit, event.data);
  return c.body(null, 204);
});

app.post("/deposits", async (c) => {
  const { deposit: id, ...terms } = await c.req.json();
  if (!deposits.has(id)) deposits.set(id, { id, ...terms, status: "pending", balance: "0.00", seen: 0 });
  return c.json(await pageOf(deposits.get(id)), 201);
});

app.get("/deposits/:id", (c) => {
  const deposit = deposits.get(c.req.param("id"));
  return deposit ? c.json({ status: deposit.status, balance: deposit.balance }) : c.notFound();
});

app.onError((error, c) => c.json({ error: error.message }, 503));
serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`listening on port ${port}`));
