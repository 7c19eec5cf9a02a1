// Express with the official library. Processes each event once, before it responds.
import express from "express";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_WEBHOOK_SECRET: secret, PAYMENTS_API_KEY: apiKey, PAYMENTS_SANDBOX_URL: api } = process.env;
const webhook = new Webhook(secret);
const handled = new Map();
const orders = new Map();

async function handle({ type, data }) {
  if (!type.startsWith("charge.")) return;
  const answer = await fetch(`${api}/api/v1/payments/charges/${data.charge_id}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (answer.status === 404) return;
  if (!answer.ok) throw new Error(`the service answers ${answer.status}`);
  const { status, amount } = await answer.json();
  orders.set(data.charge_id, { number: orders.size + 1, ...orders.get(data.charge_id), status, amount });
}

const app = express();
app.post("/webhooks", express.raw({ type: "*/*", limit: "1mb" }), async (request, response) => {
  let event;
  try {
    event = webhook.verify(request.body, request.headers);
  } catch (error) {
    return response.status(400).json({ error: error.message });
  }
  const isNew = !handled.has(event.id);
  if (isNew) handled.set(event.id, handle(event));
  try {
    await handled.get(event.id);
    response.json({ received: event.id, duplicate: !isNew });
  } catch {
    handled.delete(event.id);
    response.status(500).json({ error: "try again" });
  }
});
const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));
