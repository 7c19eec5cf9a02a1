// Memberships: a payment is a row with the provider's id, and the webhook makes the payer a member.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;
const webhook = new Webhook(PAYMENTS_WEBHOOK_SECRET);
const PRICING = { base_currency: "USD", amount: "19.99" };
const UNPAID = { FAILED: "failed", CANCELLED: "cancelled", EXPIRED: "expired" };

const rows = new Map(); // a table in production, by member

async function payments(method, path, body) {
  const response = await fetch(`${PAYMENTS_BASE_URL}/api/v1/payments${path}`, {
    method,
    headers: { authorization: `Bearer ${PAYMENTS_API_KEY}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json();
}

async function startPayment(member, email) {
  const request = { pricing: PRICING, customer_email: email, metadata: { member } };
  const checkout = await payments("POST", "/checkouts", request);
  const row = { provider_id: checkout.checkout_id, status: "pending", isPremium: false, checkout };
  if (!rows.has(member)) rows.set(member, row); // a second press has made another checkout: nobody has its address
}

async function record({ checkout_id, charge_id, status }) {
  const row = [...rows.values()].find(({ provider_id }) => provider_id === checkout_id);
  if (row && status === "REFUNDED") return Object.assign(row, { status: "refunded", isPremium: false });
  if (!row || row.isPremium || row.status === "refunded") return; // not one of ours, or a duplicate
  if (status !== "COMPLETED" && !UNPAID[status]) return;
  row.charge_id = charge_id; // refunds ask for it
  row.status = UNPAID[status] ?? "paid";
  if (status !== "COMPLETED") return;
  const { settlement_amount } = await payments("GET", `/charges/${charge_id}`);
  row.revenue = settlement_amount;
  row.isPremium = row.status === "paid"; // not refunded meanwhile
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
  await record(event.data);
  return c.body(null, 204);
});

app.post("/memberships", async (c) => {
  const { member, email } = await c.req.json();
  if (!rows.has(member)) await startPayment(member, email);
  return c.json({ checkout_id: rows.get(member).checkout.checkout_id }, 201);
});

app.get("/memberships/:member", (c) => {
  const row = rows.get(c.req.param("member"));
  return row ? c.json({ status: row.status, premium: row.isPremium }) : c.notFound();
});

app.onError((error, c) => c.json({ error: error.message }, 503));
serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`listening on port ${port}`));
