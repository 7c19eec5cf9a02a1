// A wallet for prepaid credits: the customer confirms a top-up and pays it by mobile money.
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;
const webhook = new Webhook(PAYMENTS_WEBHOOK_SECRET);

const wallets = new Map(); // tables in production
const transactions = new Map();

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
  const metadata = { transaction: id };
  return payments("POST", "/whitelabel", { ...request, quote_id, phone_number: phone, metadata });
}

/** Charges have no idempotency key: a second try looks for the charge of the first. */
async function findCharge(id) {
  const { items } = await payments("GET", "/payins?limit=20");
  for (const { charge_id } of items) {
    const charge = await payments("GET", `/charges/${charge_id}`);
    if (charge.metadata?.transaction === id) return charge;
  }
}

/** Tries twice, because most failures are short. */
async function charge(transaction, tries = 2) {
  try {
    const found = transaction.isTried ? await findCharge(transaction.id) : undefined;
    transaction.isTried = true;
    return found ?? (await createCharge(transaction));
  } catch (error) {
    if (tries > 1) return charge(transaction, tries - 1);
    throw error;
  }
}

async function confirmTopUp(wish) {
  const transaction = transactions.get(wish.attempt) ?? { id: wish.attempt, ...wish, isCredited: false };
  transactions.set(transaction.id, transaction);
  if (!wallets.has(wish.wallet)) wallets.set(wish.wallet, { balance: 0 });
  // Two requests wait for one charge; after a failure the next one tries again.
  transaction.charging ??= charge(transaction).catch((error) => {
    transaction.charging = undefined;
    throw error;
  });
  const { payment_instructions } = await transaction.charging;
  return { transaction: transaction.id, payment_instructions };
}

function hear(headers, body) {
  let event;
  try {
    event = webhook.verify(body, headers);
  } catch {
    return [400, { error: "bad signature" }];
  }
  const transaction = transactions.get(event.data.metadata?.transaction);
  if (transaction && event.type === "charge.completed" && !transaction.isCredited) {
    transaction.isCredited = true;
    wallets.get(transaction.wallet).balance += Number(transaction.amount);
  }
  if (transaction && event.type === "charge.refunded" && !transaction.isRefunded) {
    transaction.isRefunded = true;
    wallets.get(transaction.wallet).balance -= Number(transaction.amount);
  }
  return [200, {}];
}

async function route({ method, url, headers }, body) {
  if (method === "POST" && url === "/top-ups") return [201, await confirmTopUp(JSON.parse(body))];
  if (method === "POST" && url === "/webhooks") return hear(headers, body);
  const wallet = wallets.get(url.replace("/wallets/", ""));
  return wallet ? [200, wallet] : [404, { error: "not found" }];
}

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const [status, answer] = await route(request, body).catch((error) => [503, { error: error.message }]);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
});
server.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`));
