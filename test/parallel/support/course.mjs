import { Webhook } from "standardwebhooks";
import { Customer } from "./customer.mjs";
import { Ear } from "./ear.mjs";
import { Transcript } from "./transcript.mjs";

const SCENARIOS = ["webhook_chaos", "declined", "slow", "refunded", "webhook_outage", "paid_late", "instant"];
const PHONE = "+254700000001";
/** All workers use these names, for different things. */
const EMAIL = "ada@example.com";
const SNAPSHOT = "before";
const IDEMPOTENCY_KEY = "payout-1";
const MAILBOX = "inbox";

/**
 * Makes all calls of one worker. Names and keys are the same for all workers; prices and clock steps differ.
 */
export async function takeCourse({ url, hub, namespace, number, begin }) {
  const ear = await Ear.open();
  const transcript = new Transcript({ sandbox: url, hub, receiver: ear.url });
  const customer = new Customer({ url, namespace, key: `sk_test_ns_${namespace}`, transcript });
  try {
    await begin();
    await makeNamespace(customer, namespace, number);
    const secrets = await register(customer, `${ear.url}/hooks`);
    const endOfStream = await customer.stream();

    await lostCheckout(customer, number);
    await flakyQuotes(customer, number);
    const charge = await sellUnder(customer, number, SCENARIOS[number % SCENARIOS.length]);
    await payOut(customer, number);
    await goBack(customer, number);
    await ownScenario(customer, number);
    await hostedCheckout(customer, number);
    await mailbox(customer, number);
    await market(customer, number);
    await live(customer, number);
    await untilLimited(customer, number);
    await lookAround(customer, charge);

    const state = await customer.control("GET /state");
    await customer.control("POST /reset", {
      keep: [...["webhooks", "keys", "scenarios"].slice(0, 1 + (number % 3))],
    });
    await sellUnder(customer, number, "success");
    await customer.control("POST /reset", { keep: ["webhooks"], ids: "repeat" });
    await flakyQuotes(customer, number);
    await sellUnder(customer, number, "instant");
    await customer.control("PUT /state", state);
    await customer.advance(`${1 + number}h`);
    await lookAround(customer, charge);

    await customer.control("POST /events", { type: "course.over", data: { worker: String(number) } });
    await customer.idle();
    await customer.call("GET /api/v1/payments/payment-methods?the=last");
    for (const message of await endOfStream('{"the":"last"}'))
      transcript.note(`stream ${message.replace("\n", " ")}`);
    for (const line of heardBy(ear, secrets)) transcript.note(line);
    return {
      lines: transcript.lines,
      heard: ear.heard.map(({ body }) => workerOf(JSON.parse(body))),
    };
  } finally {
    await ear.close();
  }
}

/** Creates the worker's namespace. */
async function makeNamespace(customer, namespace, number) {
  if (number % 2 === 1) {
    await customer.byHeader("GET /_sandbox"); // unknown before its creation
    await customer.call(
      `PUT /_sandbox/namespaces/${namespace}`,
      {
        seed: `seed-${number}`,
        clock: "manual",
        start_time: new Date(Date.UTC(2027, 0, 1 + number, number)).toISOString(),
      },
      { key: "sk_test_sandbox" },
    );
  }
  await customer.control("GET ");
}

/** Creates two endpoints and returns their secrets by path. */
async function register(customer, url) {
  const first = await customer.call("POST /api/v1/webhooks", { url, events: ["charge.*", "course.*"] });
  const second = await customer.control("POST /webhook-endpoints", { url: `${url}/all`, events: ["*"] });
  const rotated = await customer.call(`POST /api/v1/webhooks/${first.webhook_id}/rotate-secret`, {});
  return new Map([
    ["/hooks", rotated.secret],
    ["/hooks/all", second.secret],
  ]);
}

function priceOf(number) {
  return `${500 + number * 7}.${String(number).padStart(2, "0")}`;
}

function orderOf(number) {
  return { pricing: { base_currency: "KES", amount: priceOf(number) }, payment_method: "mobile_money" };
}

async function sell(customer, number, headers = {}) {
  const { quote_id } = await customer.call("POST /api/v1/payments/quotes", orderOf(number));
  return customer.call(
    "POST /api/v1/payments/whitelabel",
    {
      ...orderOf(number),
      quote_id,
      customer_email: EMAIL,
      phone_number: PHONE,
      metadata: { worker: String(number) },
    },
    { headers },
  );
}

/** A built-in fault, which applies to the worker's first checkout. */
async function lostCheckout(customer, number) {
  await customer.control("POST /scenarios/lost_response/activate");
  const { pricing } = orderOf(number);
  for (let tries = 0; tries < 3; tries++)
    await customer.call("POST /api/v1/payments/checkouts", {
      pricing,
      customer_email: EMAIL,
      metadata: { worker: String(number) },
    });
  await customer.control("POST /scenarios/lost_response/deactivate");
}

/** Creates a fixed number of 503s, then random ones. */
async function flakyQuotes(customer, number) {
  const match = { operation: "createQuote" };
  await customer.control("POST /faults", { match, respond: { status: 503 }, times: 1 + (number % 4) });
  await customer.control("POST /faults", { match, respond: { status: 429 }, probability: 0.5 });
  await customer.control("POST /faults", { match: { operation: "getBalances" }, drop: "after", times: 1 });
  for (let tries = 0; tries < 6; tries++)
    await customer.call("POST /api/v1/payments/quotes", orderOf(number));
  await customer.call("GET /api/v1/accounts/balances");
  await customer.control("GET /faults");
  await customer.control("DELETE /faults");
}

async function sellUnder(customer, number, scenario) {
  await customer.control(`POST /scenarios/${scenario}/activate`);
  const charge = await sell(customer, number);
  await customer.idle();
  await customer.advance(`${1 + number}s`);
  await sell(customer, number, { "sandbox-scenario": "webhook_chaos" });
  await customer.advance(`${1 + (number % 7)}h`);
  await customer.call(`GET /api/v1/payments/charges/${charge.charge_id}`);
  await customer.call("GET /api/v1/accounts/balances");
  await customer.control(`POST /scenarios/${scenario}/deactivate`);
  await customer.control("POST /clock/advance", { until: "idle" });
  return charge;
}

async function payOut(customer, number) {
  for (let sold = 0; sold < 2; sold++) await sell(customer, number, { "sandbox-scenario": "success" });
  await customer.advance("1m");
  const { destination_id } = await customer.call("POST /api/v1/payouts/destinations", {
    type: "mobile_money",
    currency: "KES",
    phone_number: PHONE,
    provider: "simba_pesa",
  });
  const withdraw = (amount) =>
    customer.call(
      "POST /api/v1/payouts/withdrawals",
      { destination_id, amount, currency: "KES", metadata: { worker: String(number) } },
      { headers: { "idempotency-key": IDEMPOTENCY_KEY } },
    );
  await withdraw(`${500 + number}.00`);
  await withdraw(`${500 + number}.00`); // idempotent replay
  await withdraw("499.00"); // reused key with another body
  await customer.advance("1m");
  await customer.call("GET /api/v1/payouts/withdrawals");
}

async function goBack(customer, number) {
  await customer.control("GET /snapshots");
  await customer.control("POST /snapshots", { name: SNAPSHOT });
  const { charge_id } = await sell(customer, number, { "sandbox-scenario": "success" });
  await customer.advance(`${10 + number}m`);
  await customer.call("GET /api/v1/accounts/balances");
  await customer.control(`POST /snapshots/${SNAPSHOT}/restore`);
  await customer.control("GET /snapshots");
  await customer.call(`GET /api/v1/payments/charges/${charge_id}`); // unknown id
  await customer.call("GET /api/v1/accounts/balances");
}

/** Stores and runs a scenario under a name that all workers use. */
async function ownScenario(customer, number) {
  await customer.control("PUT /scenarios/house", {
    vars: { email: "qa-$" + "{run.id}@example.com" },
    charges: [{ timeline: [{ after: `${1 + number}s`, to: number % 2 ? "FAILED" : "COMPLETED" }] }],
    webhooks: [{ match: { type: "charge.*" }, copies: 1 + (number % 3) }],
    faults: [{ match: { operation: "getOrganization" }, respond: { status: 503 }, times: 1 + (number % 3) }],
    steps: [
      {
        request: "POST /api/v1/payments/quotes",
        body: orderOf(number),
        save: { quote: "body.quote_id" },
      },
      {
        request: "POST /api/v1/payments/whitelabel",
        body: {
          ...orderOf(number),
          quote_id: "$" + "{quote}",
          customer_email: "$" + "{email}",
          phone_number: PHONE,
          metadata: { worker: String(number) },
        },
      },
      { advance: `${1 + number}s` },
      { expect_charge: { customer_email: "$" + "{email}", status: number % 2 ? "FAILED" : "COMPLETED" } },
    ],
  });
  for (let run = 0; run <= number % 3; run++) await customer.control("POST /scenarios/house/run", {});
  await customer.control("POST /scenarios/house/activate");
  for (let calls = 0; calls < 4; calls++) await customer.call("GET /api/v1/organizations/me");
  await sell(customer, number);
  await customer.advance(`${1 + number}s`);
  await customer.control("GET /scenarios?limit=3");
  await customer.control("DELETE /scenarios/house");
}

async function hostedCheckout(customer, number) {
  const { checkout_id } = await customer.call("POST /api/v1/payments/checkouts", {
    pricing: orderOf(number).pricing,
    customer_email: EMAIL,
    metadata: { worker: String(number) },
    expires_in_minutes: 10 + number,
  });
  const method = { payment_method: "mobile_money", phone_number: PHONE };
  await customer.call(`GET /checkout/${checkout_id}`);
  if (number % 2) await customer.call(`POST /checkout/${checkout_id}/method`, new URLSearchParams(method));
  else await customer.control(`POST /checkouts/${checkout_id}/pay`, method);
  await customer.idle();
  await customer.advance("4s");
  await customer.call(`GET /checkout/${checkout_id}/status`);
  await customer.advance(`${11 + number}m`);
  await customer.call(`GET /checkout/${checkout_id}`);
}

async function mailbox(customer, number) {
  const { webhook_id } = await customer.control("POST /webhook-endpoints", { mailbox: MAILBOX });
  await sell(customer, number, { "sandbox-scenario": "success" });
  await customer.advance("5s");
  const { items } = await customer.control(`POST /mailboxes/${MAILBOX}/take`, {});
  for (const { delivery_id } of items)
    await customer.control(`POST /mailboxes/${MAILBOX}/${delivery_id}/ack`, {
      status: number % 2 ? 200 : 500,
    });
  await customer.idle();
  await customer.control(`DELETE /webhook-endpoints/${webhook_id}`);
}

async function market(customer, number) {
  await customer.control("PUT /rates", { KES: `${130 + number}` });
  await customer.call("POST /api/v1/payments/quotes", {
    pricing: { base_currency: "USD", amount: "10.00" },
    payment_method: "mobile_money",
    to_currency: "KES",
  });
  await customer.control("GET /rates");
}

async function live(customer, number) {
  const key = customer.key.replace("sk_test_", "sk_live_");
  const order = { ...orderOf(number), payment_method: "card" };
  const { quote_id } = await customer.call("POST /api/v1/payments/quotes", order, { key });
  const body = { ...order, quote_id, customer_email: EMAIL };
  await customer.call("POST /api/v1/payments/whitelabel", body, { key });
  await customer.advance(`${1 + number}m`);
  await customer.call("GET /api/v1/payments/payins", undefined, { key });
}

/** Exceeds the rate limit, and continues in the next window. */
async function untilLimited(customer, number) {
  const path = "GET /api/v1/payments/payins?limit=1";
  for (let calls = 0; calls < 32 + (number % 4); calls++) await customer.byHeader(path);
  await customer.advance("60s");
  await customer.byHeader(path);
}

/** Reads every resource of a namespace. */
async function lookAround(customer, { charge_id }) {
  await customer.call("GET /api/v1/payments/payins?limit=100");
  for (const path of [
    "",
    "/clock",
    "/balances",
    `/charges?customer_email=${EMAIL}&limit=100`,
    `/charges/${charge_id}/timeline`,
    "/events?limit=100",
    "/deliveries?limit=100",
    "/requests?limit=100",
    "/webhook-endpoints",
    "/scenarios?limit=100",
    "/faults",
    "/snapshots",
    "/coverage",
    "/advice",
    "/rates",
  ])
    await customer.control(`GET ${path}`);
}

/** Sorts events by object; the order between objects varies. */
function heardBy(ear, secrets) {
  const byObject = new Map();
  for (const { url, headers, body } of ear.heard) {
    new Webhook(secrets.get(url)).verify(body, headers);
    const { data } = JSON.parse(body);
    const object = `${url} ${data.charge_id ?? data.withdrawal_id ?? ""}`;
    byObject.set(object, [...(byObject.get(object) ?? []), `heard at ${url}: ${body}`]);
  }
  return [...byObject].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, lines]) => lines);
}

/** Returns the number of the worker whose event this is. */
export function workerOf({ data }) {
  return data.metadata?.worker ?? data.worker;
}
