// Contributions are booked when a webhook says that they are paid, or the hourly job finds out.
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;
const webhook = new Webhook(PAYMENTS_WEBHOOK_SECRET);
const STATUS = {
  COMPLETED: "paid",
  FAILED: "failed",
  CANCELLED: "cancelled",
  EXPIRED: "expired",
  REFUNDED: "refunded",
};
const OPEN = new Set(["pending", "expired"]); // an expired charge may still be paid

/** For this long the job asks for news of a contribution. */
const WATCHED_MS = 7 * 86_400_000;
let nowMs = Date.now(); // the service's time

/** Time that a query of a database takes. */
const QUERY_MS = 50;
const contributions = new Map(); // tables in production
const ledger = [];

async function payments(method, path, body) {
  const response = await fetch(`${PAYMENTS_BASE_URL}/api/v1/payments${path}`, {
    method,
    headers: { authorization: `Bearer ${PAYMENTS_API_KEY}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  nowMs = Date.parse(response.headers.get("sandbox-now") ?? response.headers.get("date"));
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json();
}

const handling = new Map();
/** Duplicates of an event that arrive together are handled once. */
function once({ id }, work) {
  const promise = handling.get(id) ?? work().finally(() => handling.delete(id));
  handling.set(id, promise);
  return promise;
}

/** Books a contribution without the fees, which only the charge tells. */
async function settle(contribution) {
  if (contribution.status === "paid" || contribution.status === "refunded") return;
  const charge = await payments("GET", `/charges/${contribution.charge_id}`);
  await pause(QUERY_MS);
  if (contribution.status === "refunded") return;
  if (contribution.status === "paid") return; // by the other one, meanwhile
  contribution.status = STATUS[charge.status] ?? "pending";
  if (contribution.status === "paid")
    ledger.push({ contribution: contribution.id, amount: charge.settlement_amount });
}

/** Takes a contribution whose money has gone back out of the books. */
function refund(contribution) {
  contribution.status = "refunded";
  const index = ledger.findIndex((entry) => entry.contribution === contribution.id);
  if (index !== -1) ledger.splice(index, 1);
}

async function contribute({ contribution: id, email, amount }) {
  if (contributions.has(id)) return contributions.get(id);
  // A checkout whose response is lost does no harm: nobody has its address.
  const { checkout_id, checkout_url, charge_id } = await payments("POST", "/checkouts", {
    pricing: { base_currency: "KES", amount },
    customer_email: email,
    metadata: { contribution: id },
  });
  const contribution = { id, status: "pending", sinceMs: nowMs, checkout_id, checkout_url, charge_id };
  contributions.set(id, contributions.get(id) ?? contribution);
  return contributions.get(id);
}

async function hear(headers, body) {
  let event;
  try {
    event = webhook.verify(body, headers);
  } catch {
    return [400, { error: "bad signature" }];
  }
  const contribution = contributions.get(event.data.metadata?.contribution);
  if (contribution && event.type === "charge.completed") await once(event, () => settle(contribution));
  if (contribution && event.type === "charge.refunded") refund(contribution);
  return [200, {}];
}

/** The hourly job: a webhook may be late. */
async function checkPending() {
  for (const contribution of contributions.values()) {
    if (!OPEN.has(contribution.status) || nowMs - contribution.sinceMs > WATCHED_MS) continue;
    try {
      await settle(contribution);
    } catch (error) {
      console.error(`${contribution.id}: ${error.message}`); // the next hour tries again
    }
  }
  return [200, {}];
}

async function route({ method, url, headers }, body) {
  if (method === "POST" && url === "/contributions") return [201, await contribute(JSON.parse(body))];
  if (method === "POST" && url === "/webhooks") return hear(headers, body);
  if (method === "POST" && url === "/jobs/hourly") return checkPending();
  const contribution = contributions.get(url.replace("/contributions/", ""));
  if (!contribution) return [404, { error: "not found" }];
  const booked = ledger.filter((entry) => entry.contribution === contribution.id).length;
  return [200, { status: contribution.status, booked }];
}

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const [status, answer] = await route(request, body).catch((error) => [503, { error: error.message }]);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
});
server.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`));
