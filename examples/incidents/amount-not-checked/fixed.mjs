// Invoices that a customer pays by mobile money.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;
const webhook = new Webhook(PAYMENTS_WEBHOOK_SECRET);
const STATUS = {
  COMPLETED: "paid",
  REFUNDED: "refunded",
  FAILED: "failed",
  CANCELLED: "cancelled",
  EXPIRED: "expired",
};

const invoices = new Map(); // a table in production

async function payments(method, path, body) {
  const response = await fetch(`${PAYMENTS_BASE_URL}/api/v1/payments${path}`, {
    method,
    headers: { authorization: `Bearer ${PAYMENTS_API_KEY}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json();
}

async function createCharge({ id, email, phone, amount }) {
  const pricing = { base_currency: "KES", amount };
  const request = { pricing, payment_method: "mobile_money", customer_email: email };
  const { quote_id } = await payments("POST", "/quotes", request);
  const metadata = { invoice: id };
  return payments("POST", "/whitelabel", { ...request, quote_id, phone_number: phone, metadata });
}

/** Charges have no idempotency key: a second try looks for the charge of the first. */
async function findCharge(id) {
  const { items } = await payments("GET", "/payins?limit=20");
  for (const { charge_id } of items) {
    const charge = await payments("GET", `/charges/${charge_id}`);
    if (charge.metadata?.invoice === id) return charge;
  }
}

async function charge(invoice) {
  const found = invoice.isTried ? await findCharge(invoice.id) : undefined;
  invoice.isTried = true;
  const { charge_id } = found ?? (await createCharge(invoice));
  invoice.charge_id = charge_id;
}

/** Two requests wait for one charge; after a failure the next one tries again. */
async function chargeOnce(invoice) {
  if (invoice.charge_id) return;
  invoice.charging ??= charge(invoice).finally(() => {
    invoice.charging = undefined;
  });
  await invoice.charging;
}

/** The amount or the currency that came in can differ from the one that was asked for. */
function isPaidInFull({ amount, currency, amount_paid = amount, currency_paid = currency }) {
  return currency_paid === currency && Number(amount_paid) === Number(amount);
}

function learn(invoice, charge) {
  if (charge.status_history.length <= invoice.seen) return; // a duplicate, or overtaken
  invoice.seen = charge.status_history.length;
  invoice.status = STATUS[charge.status] ?? "pending";
  if (invoice.status === "paid" && !isPaidInFull(charge)) invoice.status = "review";
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
  const invoice = invoices.get(event.data.metadata?.invoice);
  if (invoice) learn(invoice, event.data);
  return c.body(null, 204);
});

app.post("/invoices", async (c) => {
  const { invoice: id, ...terms } = await c.req.json();
  if (!invoices.has(id)) invoices.set(id, { id, ...terms, status: "pending", seen: 0 });
  await chargeOnce(invoices.get(id));
  return c.json({ invoice: id }, 201);
});

app.get("/invoices/:id", (c) => {
  const invoice = invoices.get(c.req.param("id"));
  return invoice ? c.json({ status: invoice.status, amount: invoice.amount }) : c.notFound();
});

app.onError((error, c) => c.json({ error: error.message }, 503));
serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`listening on port ${port}`));
