// Client of the payments service, and the HTTP server of the correct apps.
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const { PAYMENTS_BASE_URL: base, PAYMENTS_API_KEY: key, PAYMENTS_WEBHOOK_SECRET: secret } = process.env;
const PAGE_SIZE = 100;
const TRIES = 3;
const PRICING = { base_currency: "KES", amount: "500.00" };

/** The service refused the call, which had no effect. */
export class Refused extends Error {}

/** The response does not show whether the call took effect. */
export class Unanswered extends Error {}

async function call(method, path, body, headers = {}) {
  const init = {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  };
  let response;
  let answer;
  try {
    response = await fetch(`${base}/api/v1/${path}`, init);
    answer = await response.json();
  } catch (cause) {
    throw new Unanswered(path, { cause });
  }
  if (response.status >= 500) throw new Unanswered(`${path}: ${response.status}`);
  if (response.status !== 200) throw new Refused(`${path}: ${answer.error.message}`);
  return answer;
}

/** Repeats an idempotent call. */
async function persist(work) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === TRIES) throw error;
    }
  }
}

export function readCharge(id) {
  return persist(() => call("GET", `payments/charges/${id}`));
}

const asked = ({ email }) => ({ pricing: PRICING, payment_method: "mobile_money", customer_email: email });

export function createQuote(order) {
  return persist(() => call("POST", "payments/quotes", asked(order)));
}

/** Creates a charge. Call `findCharge` before a repeat. */
export function createCharge(order, { quote_id }) {
  const details = { quote_id, phone_number: "+254700000001", metadata: { order: order.id } };
  return call("POST", "payments/whitelabel", { ...asked(order), ...details });
}

/** Finds the order's charge among those since its first quote. */
export async function findCharge({ id, since }) {
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const path = `payments/payins?limit=${PAGE_SIZE}&offset=${offset}`;
    const { items } = await persist(() => call("GET", path));
    for (const { charge_id, created_at } of items) {
      if (created_at < since) return undefined;
      const charge = await readCharge(charge_id);
      if (charge.metadata.order === id) return charge;
    }
    if (items.length < PAGE_SIZE) return undefined;
  }
}

/** Creates the order's charge unless an earlier attempt has. */
export async function payOnce(order) {
  const quote = await createQuote(order);
  const charge = order.since === undefined ? undefined : await findCharge(order);
  order.since ??= quote.created_at;
  order.charge = (charge ?? (await createCharge(order, quote))).charge_id;
}

/** Creates a hosted page. Nobody can pay on a page whose response was lost. */
export function createCheckout({ id, email }) {
  const body = { pricing: PRICING, customer_email: email, metadata: { order: id } };
  return persist(() => call("POST", "payments/checkouts", body));
}

export function createDestination({ country, name }) {
  const account = { bank_code: "01", account_number: "0123456789", account_name: name };
  const body = { type: "bank_account", currency: "KES", country, ...account };
  return persist(() => call("POST", "payouts/destinations", body));
}

/** Idempotent by key, so it may be repeated. */
export function withdraw(idempotencyKey, body) {
  const headers = { "idempotency-key": idempotencyKey };
  return persist(() => call("POST", "payouts/withdrawals", body, headers));
}

export function readWithdrawal(id) {
  return persist(() => call("GET", `payouts/withdrawals/${id}`));
}

/** Returns the event, or undefined when its signature is invalid. */
export function verified({ body, headers }) {
  try {
    return new Webhook(secret).verify(body, headers);
  } catch {
    return undefined;
  }
}

/** Runs the work of each key one after another. */
export class Locks {
  #ends = new Map();

  run(id, work) {
    const end = (this.#ends.get(id) ?? Promise.resolve()).then(work);
    this.#ends.set(
      id,
      end.catch(() => {}),
    );
    return end;
  }
}

/** Serves routes such as `POST /orders/:id`, and prints the port. */
export function serve(routes) {
  const matches = Object.entries(routes).map(([route, handle]) => {
    const pattern = new RegExp(`^${route.replace(":id", "([^/]+)")}$`);
    return { pattern, handle };
  });
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const target = `${request.method} ${request.url}`;
    const route = matches.find(({ pattern }) => pattern.test(target));
    let [status, answer] = [404, {}];
    try {
      const [, id] = route?.pattern.exec(target) ?? [];
      if (route !== undefined) [status, answer] = await route.handle({ id, body, headers: request.headers });
    } catch (error) {
      [status, answer] = [error instanceof Unanswered || error instanceof Refused ? 503 : 500, {}];
      if (status === 500) console.error(error);
    }
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
}
