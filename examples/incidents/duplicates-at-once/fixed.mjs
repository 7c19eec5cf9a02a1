// Prepaid credits: a top-up is paid on the service's page and credited by webhook.
import { setTimeout as pause } from "node:timers/promises";
import express from "express";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;
const webhook = new Webhook(PAYMENTS_WEBHOOK_SECRET);

/** Time that a query of a database takes. */
const QUERY_MS = 50;
const users = new Map(); // tables in production
const topUps = new Map();

async function payments(method, path, body) {
  const response = await fetch(`${PAYMENTS_BASE_URL}/api/v1/payments${path}`, {
    method,
    headers: { authorization: `Bearer ${PAYMENTS_API_KEY}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json();
}

/** Credits the user once the service has the money in its books. */
async function applyTopUp(topUp) {
  const charge = await payments("GET", `/charges/${topUp.charge_id}`);
  if (charge.status === "REFUNDED") return takeBack(topUp);
  if (charge.status !== "COMPLETED") throw new Error("not completed yet");
  await pause(QUERY_MS);
  if (topUp.isApplied) return;
  topUp.isApplied = true;
  users.get(topUp.user).balance += topUp.credits;
}

/** The money has gone back. */
function takeBack(topUp) {
  if (topUp.isApplied && !topUp.isTakenBack) users.get(topUp.user).balance -= topUp.credits;
  Object.assign(topUp, { isApplied: true, isTakenBack: true });
}

const app = express();

app.post("/webhooks", express.raw({ type: "*/*" }), async (request, response) => {
  let event;
  try {
    event = webhook.verify(request.body, request.headers);
  } catch {
    return response.status(400).send("bad signature");
  }
  const topUp = topUps.get(event.data.metadata?.top_up);
  if (topUp && event.type === "charge.completed") await applyTopUp(topUp);
  if (topUp && event.type === "charge.refunded") takeBack(topUp);
  response.sendStatus(204);
});

app.use(express.json());

app.post("/top-ups", async (request, response) => {
  const { top_up: key, user, credits, email } = request.body;
  if (!topUps.has(key)) {
    // A checkout whose response is lost does no harm: nobody has its address.
    const checkout = await payments("POST", "/checkouts", {
      pricing: { base_currency: "USD", amount: `${credits}.00` },
      customer_email: email,
      metadata: { top_up: key },
    });
    if (!users.has(user)) users.set(user, { balance: 160 });
    if (!topUps.has(key)) topUps.set(key, { user, credits, isApplied: false, ...checkout });
  }
  const { checkout_id, checkout_url } = topUps.get(key);
  response.status(201).json({ checkout_id, checkout_url });
});

app.get("/users/:id", (request, response) => {
  const user = users.get(request.params.id);
  if (!user) return response.sendStatus(404);
  response.json(user);
});

app.use((error, _request, response, _next) => response.status(503).json({ error: error.message }));

const server = app.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`));
