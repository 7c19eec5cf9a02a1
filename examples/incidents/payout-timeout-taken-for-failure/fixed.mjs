// Freight: drivers ask for what they have earned, and a job sends it to their phones.
import express from "express";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;
const webhook = new Webhook(PAYMENTS_WEBHOOK_SECRET);
const WALLET = { type: "mobile_money", currency: "KES", provider: "simba_pesa" };

const drivers = new Map(); // tables in production; amounts in cents
const payouts = new Map();

class Refused extends Error {}

async function payments(path, body, headers = {}) {
  const response = await fetch(`${PAYMENTS_BASE_URL}/api/v1/payouts${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${PAYMENTS_API_KEY}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(15_000),
  });
  const isDefinite = response.status >= 400 && response.status < 500 && response.status !== 429;
  if (isDefinite) throw new Refused(`${path}: ${response.status}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

async function send(payout) {
  const wallet = { ...WALLET, phone_number: payout.phone };
  payout.destination_id ??= (await payments("/destinations", wallet)).destination_id;
  const amount = (payout.amount / 100).toFixed(2);
  const withdrawal = { destination_id: payout.destination_id, amount, currency: "KES", reference: payout.id };
  await payments("/withdrawals", withdrawal, { "idempotency-key": payout.id });
  payout.status = "sent";
}

/** Gives the reserved money back to the driver. */
function fail(payout) {
  payout.status = "failed";
  drivers.get(payout.driver).balance += payout.amount;
}

async function settle(payout) {
  try {
    await send(payout);
  } catch (error) {
    console.error(error.message);
    if (error instanceof Refused) fail(payout); // otherwise the next run sends it again, with the same key
  }
}

const app = express();

app.post("/webhooks", express.raw({ type: "*/*" }), (request, response) => {
  let event;
  try {
    event = webhook.verify(request.body, request.headers);
  } catch {
    return response.status(400).send("bad signature");
  }
  const payout = payouts.get(event.data.reference);
  const isOpen = payout?.status === "requested" || payout?.status === "sent";
  if (isOpen && event.type === "withdrawal.completed") payout.status = "paid";
  if (isOpen && event.type === "withdrawal.failed") fail(payout);
  response.sendStatus(204);
});

app.use(express.json());

app.post("/payouts", (request, response) => {
  const { payout: id, driver, amount, phone } = request.body;
  if (!payouts.has(id)) {
    if (!drivers.has(driver)) drivers.set(driver, { balance: 110_510 });
    if (drivers.get(driver).balance < amount) return response.status(409).json({ error: "not enough" });
    drivers.get(driver).balance -= amount;
    payouts.set(id, { id, driver, amount, phone, status: "requested" });
  }
  response.status(202).json({ payout: id });
});

/** The job runs alone: two calls are one run. */
let running;
app.post("/jobs/payouts", async (_request, response) => {
  const requested = [...payouts.values()].filter(({ status }) => status === "requested");
  running ??= Promise.all(requested.map(settle)).finally(() => {
    running = undefined;
  });
  await running;
  response.json({});
});

app.get("/drivers/:id", (request, response) => {
  const driver = drivers.get(request.params.id);
  if (!driver) return response.sendStatus(404);
  response.json(driver);
});

const server = app.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`));
