import { CONTROL_OPERATIONS } from "../control/operations.js";
import { HEALTH } from "../control/sandbox.js";
import type { Json } from "./json.js";
import type { Played } from "./played.js";
import {
  CHECKOUT_REQUEST,
  DESTINATION_REQUESTS,
  QUOTE_REQUEST,
  WHITELABEL_REQUEST,
} from "./service-story.js";
import { Story } from "./story.js";

/** The service's story seen from behind; `fetch` is that of a sandbox as in `playService`. */
export async function playControl(fetch: (request: Request) => Promise<Response>): Promise<Played> {
  const story = new Story([HEALTH, ...CONTROL_OPERATIONS], fetch, steady);
  await story.call("getHealth", "ready");
  await story.call("getSandbox", "as it starts");
  await story.call("waitFor", "all quiet", { body: { for: "idle" } });
  await arrange(story);
  const charge_id = await beginPayment(story);
  await passTime(story);
  await deliver(story);
  await moveCharges(story, charge_id);
  await hostPages(story);
  await lookBack(story);
  await moveRates(story);
  await changeAccess(story);
  await makeScenarios(story);
  await lease(story);
  await setFaults(story);
  await keepStates(story);
  await register(story);
  await missAll(story);
  return story.played;
}

/** What is wall time, or made of it, is another in each run. */
const UNSTEADY: Readonly<Record<string, unknown>> = {
  sent_at: "2026-01-31T09:00:05.012Z",
  duration_ms: 4,
  "webhook-timestamp": "1769850005",
  "webhook-signature": "v1,Wm9tYmllIHNpZ25hdHVyZSwgb25seSBhIHNhbXBsZSE=",
};

/** How long an attempt took, where a text says so. */
const TOOK = /(?<=\(attempt \d+, )\d+(?= ms\))/g;

function steady(answer: Json): Json {
  return JSON.parse(JSON.stringify(answer), (key, value) => UNSTEADY[key] ?? steadyText(value));
}

function steadyText(value: unknown): unknown {
  return typeof value === "string" ? value.replace(TOOK, String(UNSTEADY.duration_ms)) : value;
}

/** Namespaces, and a mailbox that hears of what follows. */
async function arrange(story: Story): Promise<void> {
  const params = { name: "worker-1" };
  const api_key = "sk_test_ns_worker-1";
  await story.call("createNamespace", "a worker's", { body: { ...params, clock: "manual" } });
  await story.call("createNamespace", "name taken", { body: params });
  await story.call("createNamespace", "key taken", { body: { name: "worker-2", api_key } });
  await story.call("getNamespace", "a worker's", { params });
  await story.call("putNamespace", "a worker's", {
    params,
    body: { clock: "manual" },
    named: "clock stands",
  });
  await story.call("putNamespace", "another name", { params, body: { name: "worker-2" } });
  await story.call("putNamespace", "key taken", { params: { name: "worker-2" }, body: { api_key } });
  await story.call("listNamespaces", "one of them", { query: { limit: "1" } });
  await story.call("deleteNamespace", "gone", { params });
  await story.call("deleteNamespace", "the default one", { params: { name: "default" } });
  await story.call("createWebhookEndpoint", "a mailbox", { body: { mailbox: "tests" } });
  await story.call("createWebhookEndpoint", "no target", { body: {} });
}

async function beginPayment(story: Story): Promise<unknown> {
  const quote = await story.send("POST", "/api/v1/payments/quotes", QUOTE_REQUEST);
  const body = { ...WHITELABEL_REQUEST, quote_id: quote.json.quote_id };
  const { json } = await story.send("POST", "/api/v1/payments/whitelabel", body);
  return json.charge_id;
}

async function passTime(story: Story): Promise<void> {
  await story.call("getClock", "it stands");
  await story.call("listNext", "two of them", { query: { limit: "2" } });
  await story.call("listTasks", "two of them", { query: { limit: "2" } });
  const quotes = await story.call("listQuotes", "one of them", { query: { limit: "1" } });
  const [{ quote_id }] = quotes.items as [Json];
  await story.call("getControlQuote", "a price", { params: { quote_id: String(quote_id) } });
  await story.call("advanceClock", "to the next thing", { body: { until: "next" } });
  await story.call("advanceClock", "half an hour", { body: { by: "30m" } });
  await story.call("advanceClock", "backwards", { body: { to: "2026-01-01T00:00:00.000Z" } });
  await story.call("setClock", "it stands", { body: { mode: "manual" }, named: "stop" });
  await story.call("setClock", "backwards", { body: { now: "2026-01-01T00:00:00.000Z" } });
}

/** Events on their way to the mailbox, whose owner answers. */
async function deliver(story: Story): Promise<void> {
  const box = { name: "tests" };
  const take = async () => {
    const taken = await story.call("takeFromMailbox", "one", { params: box, body: { max: 1 } });
    const [{ delivery_id }] = taken.items as [Json];
    return { delivery_id };
  };
  const arrived = await take();
  await story.call("acknowledgeDelivery", "delivered", {
    params: { ...box, ...arrived },
    body: { status: 200, body: "ok" },
    named: "fine",
  });
  await story.call("getDelivery", "delivered", { params: arrived });
  await story.call("retryDelivery", "arrived", { params: arrived, body: {} });
  await story.call("redeliver", "two", { params: arrived, body: { times: 2 }, named: "twice" });
  const failed = await take();
  await story.call("acknowledgeDelivery", "to be tried again", {
    params: { ...box, ...failed },
    body: { status: 503 },
    named: "out of order",
  });
  await story.call("retryDelivery", "pending", { params: failed, body: {}, named: "nothing" });
  await story.call("listDeliveries", "one", { query: { status: "delivered", limit: "1" } });
  await story.call("listEvents", "one", { query: { limit: "1" } });
  const test = { type: "webhook.test", data: { hello: "app" } };
  const payment = { type: "charge.completed", data: { metadata: { order_id: "1043" } } };
  const dispute = { type: "dispute.opened", data: { reason: "fraud" }, force: true };
  await story.call("createEvent", "to try a receiver", { body: test });
  await story.call("createEvent", "a payment", { body: payment });
  await story.call("createEvent", "a type of your own", { body: dispute });
  await story.call("createEvent", "no such type", { body: { type: "charge.complete" } });
  await story.call("createEvent", "no such charge", { body: { ...payment, charge_id: "ch_0" } });
}

async function moveCharges(story: Story, charge_id: unknown): Promise<void> {
  const params = { charge_id };
  await story.call("listCharges", "one", { query: { customer_email: "ada@shop.test" } });
  await story.call("getCharge", "completed", { params });
  await story.call("getChargeTimeline", "a paid charge", { params });
  await story.call("listBalances", "one", { query: { limit: "1" } });
  await story.call("fundBalance", "some money", { body: { currency: "GHS", amount: "50.00" } });
  await story.call("fundBalance", "no such currency", { body: { currency: "XXX", amount: "1.00" } });
  const paid = { for: "charge", match: { customer_email: "ada@*", status: "COMPLETED" }, timeout: "10s" };
  await story.call("waitFor", "a paid charge", { body: paid });
  const failed = { for: "charge", match: { status: "FAILED" }, timeout: "10ms" };
  await story.call("waitFor", "too late", { body: failed });

  const destination = DESTINATION_REQUESTS["mobile money"];
  const { json: to } = await story.send("POST", "/api/v1/payouts/destinations", destination);
  const sent = { destination_id: to.destination_id, amount: "3000.00", currency: "KES" };
  const withdrawal = await story.send("POST", "/api/v1/payouts/withdrawals", sent);
  await story.call("refundCharge", "too little money", { params, body: {} });
  await story.call("transitionCharge", "too little money", { params, body: { to: "REFUNDED" } });
  const of = { params: { withdrawal_id: withdrawal.json.withdrawal_id } };
  await story.call("listControlDestinations", "one of them", { query: { limit: "1" } });
  await story.call("listControlWithdrawals", "one", { query: { status: "PENDING" } });
  await story.call("getControlWithdrawal", "pending", of);
  await story.call("transitionWithdrawal", "processing", { ...of, body: { to: "PROCESSING" } });
  const closed = { to: "FAILED", reason: "account_closed" };
  await story.call("transitionWithdrawal", "failed", { ...of, body: closed });
  await story.call("transitionWithdrawal", "illegal", { ...of, body: { to: "COMPLETED" } });
  await story.call("bounceWithdrawal", "not completed", { ...of, body: {} });
  const second = await story.send("POST", "/api/v1/payouts/withdrawals", { ...sent, amount: "1000.00" });
  const back = { params: { withdrawal_id: second.json.withdrawal_id } };
  for (const to of ["PROCESSING", "COMPLETED"])
    await story.send("POST", `/_sandbox/withdrawals/${back.params.withdrawal_id}/transition`, { to });
  const unknown = { ...back, body: { reason: "account_closed" }, named: "account closed" };
  await story.call("bounceWithdrawal", "come back", unknown);
  await story.call("refundPart", "a part", {
    params,
    body: { amount: "100.00", reason: "one_item_missing" },
  });
  await story.call("refundPart", "too much", { params, body: { amount: "100000.00" } });
  const why = { params, body: { reason: "requested_by_merchant" }, named: "why" };
  await story.call("refundCharge", "refunded", why);
  await story.call("refundCharge", "illegal", why);
  await story.call("chargeBack", "refunded already", { params, body: {} });
  await story.call("refundPart", "refunded already", { params, body: { amount: "1.00" } });

  const another = { charge_id: await beginPayment(story) };
  await story.call("advanceCharge", "not planned", { params: another, body: { until: "FAILED" } });
  await story.call("advanceCharge", "completed", { params: another, body: { until: "COMPLETED" } });
  const rich = { charge_id: await beginPayment(story) };
  await story.send("POST", `/_sandbox/charges/${rich.charge_id}/advance`, { until: "COMPLETED" });
  await story.call("chargeBack", "charged back", { params: another, body: { reason: "fraudulent" } });
  const third = { charge_id: await beginPayment(story) };
  const declined = { to: "FAILED", reason: "declined_by_operator" };
  await story.call("transitionCharge", "declined", { params: third, body: declined });
  await story.call("transitionCharge", "illegal", { params: third, body: { to: "COMPLETED" } });
}

async function hostPages(story: Story): Promise<void> {
  const open = async () => {
    const { json } = await story.send("POST", "/api/v1/payments/checkouts", CHECKOUT_REQUEST);
    return { checkout_id: json.checkout_id };
  };
  const params = await open();
  const choice = { payment_method: "mobile_money", currency: "KES" };
  const body = { ...choice, phone_number: "+254700000001" };
  await story.call("payCheckout", "phone missing", { params, body: choice });
  await story.call("payCheckout", "mobile money", { params, body });
  await story.send("POST", "/_sandbox/clock/advance", { by: "5s" });
  await story.call("payCheckout", "paid already", { params, body });
  await story.call("cancelCheckout", "paid already", { params });
  await story.call("cancelCheckout", "given up", { params: await open() });
}

/** What the app did: among it, it read its balances twice at one instant. */
async function lookBack(story: Story): Promise<void> {
  for (const _read of ["first", "second"]) await story.send("GET", "/api/v1/accounts/balances");
  await story.call("listRequests", "one", { query: { limit: "1" } });
  await story.call("getCoverage", "of a short story");
  await holdBooks(story);
  await story.call("getAdvice", "one");
  const body = { test: "shop.test.ts > an order is paid" };
  const { failed_test_id } = await story.call("keepFailedTest", "an order", { body });
  await story.call("keepFailedTest", "without a name", { body: {} });
  await story.call("listFailedTests", "one");
  const { json } = await story.send("GET", `/_sandbox/failed-tests/${failed_test_id}`);
  const none = { total: 0, items: [] };
  const stories = { ...(json.stories as Json), items: [] };
  story.show("getFailedTest", 200, "cut short", {
    ...json,
    requests: none,
    events: none,
    deliveries: none,
    stories,
  });
  await story.call("clearRequests", "empty");
}

async function holdBooks(story: Story): Promise<void> {
  const { json } = await story.send("GET", "/_sandbox/charges?status=COMPLETED&limit=1");
  const [{ charge_id }] = json.items as [Json];
  const rows = [{ charge_id, status: "pending", delivered: 0 }];
  await story.call("reconcile", "paid and not marked", { body: { rows }, named: "one order" });
  await story.call("reconcile", "an unknown status", { body: { rows: [{ charge_id, status: "padi" }] } });
}

async function moveRates(story: Story): Promise<void> {
  await story.call("getRates", "as they stand");
  await story.call("setRates", "a dearer dollar", { body: { rates: { NGN: "1600" } } });
  await story.call("setRates", "no such currency", { body: { rates: { XXX: "1" } } });
}

async function changeAccess(story: Story): Promise<void> {
  const params = { key: "sk_test_other" };
  await story.call("updateKey", "revoked", { params, body: { status: "revoked" } });
  await story.call("updateKey", "active again", { params, body: { status: "active" } });
  await story.call("updateKey", "nothing to change", { params, body: {} });
  await story.call("updateKey", "no such key", {
    params: { key: "sk_test_nobody" },
    body: { status: "revoked" },
  });
  const other = { organization_id: "org_other" };
  await story.call("updateOrganization", "deactivated", { params: other, body: { status: "deactivated" } });
  await story.call("updateOrganization", "active again", { params: other, body: { status: "active" } });
  const body = { enabled_payment_methods: ["cash"] };
  await story.call("updateOrganization", "no such method", { params: other, body });
  await story.call("updateOrganization", "no such organization", {
    params: { organization_id: "org_nobody" },
    body: { verified: true },
  });
}

async function makeScenarios(story: Story): Promise<void> {
  const params = { name: "operator-declines" };
  const timeline = [{ after: "2s", to: "FAILED", reason: "declined_by_operator" }];
  const rules = {
    description: "The operator declines.",
    charges: [{ match: { currency: "KES" }, timeline }],
  };
  const steps = {
    vars: { amount: "500.00" },
    steps: [
      {
        name: "Quote",
        request: "POST /api/v1/payments/quotes",
        body: { pricing: { base_currency: "KES", amount: `$\{amount}` }, payment_method: "mobile_money" },
        expect: { status: 200 },
      },
    ],
  };
  await story.call("putScenario", "operator declines", { params, body: rules });
  await story.call("putScenario", "another name", { params, body: { ...rules, name: "declines" } });
  await story.call("getScenario", "operator declines", { params });
  await story.call("activateScenario", "on", { params });
  await story.call("listScenarios", "one", { query: { limit: "1" } });
  await story.call("deactivateScenario", "off", { params });
  await story.call("runScenario", "no steps", { params, body: {} });
  await story.call("deleteScenario", "gone", { params });
  const quote = { name: "quote" };
  await story.call("putScenario", "with steps", { params: quote, body: steps });
  const needs = { app: "http://localhost:3000", vars: { amount: "500.00" } };
  await story.call("runScenario", "passed", { params: quote, body: needs, named: "app under test" });
}

async function lease(story: Story): Promise<void> {
  const headers = { "sandbox-run": "run-1" };
  const taken = await story.call("takeLease", "a run's", { headers, body: {} });
  await story.call("takeLease", "another has it", { headers: { "sandbox-run": "run-2" }, body: {} });
  await story.call("takeLease", "without a run", { body: {} });
  await story.call("releaseLease", "over", { headers });
  await story.call("releaseLease", "over already", { headers });
  story.show("holdLease", 200, "go on", taken);
  await story.call("holdLease", "over already", { headers });
}

async function setFaults(story: Story): Promise<void> {
  const rule = { match: { operation: "createQuote" }, respond: { status: 503 }, times: 2 };
  const { fault_id } = await story.call("createFault", "two quotes fail", { body: rule });
  await story.call("listFaults", "one");
  await story.call("deleteFault", "one", { params: { fault_id } });
  await story.call("deleteFaults", "none was left");
}

async function keepStates(story: Story): Promise<void> {
  const params = { name: "paid" };
  await story.call("createSnapshot", "kept", { body: params, named: "named" });
  await story.call("listSnapshots", "one");
  await story.call("restoreSnapshot", "after a payment", { params });
  await story.call("deleteSnapshot", "gone", { params });
  const { json } = await story.send("GET", "/_sandbox/state");
  const { world } = json.collections as Json;
  const outline = { ...json, counters: {}, collections: { world } };
  story.show("getState", 200, "cut short", outline);
  await story.call("putState", "as it starts", { body: outline, named: "cut short" });
  await story.call("putState", "no export", { body: {} });
  const task = ["1", { kind: "retry" }];
  await story.call("putState", "a broken record", {
    body: { ...outline, collections: { world, tasks: [task] } },
  });
  await story.call("resetSandbox", "webhooks stay", { body: { keep: ["webhooks"] } });
  await story.call("resetSandbox", "unknown field", { body: { keeps: ["webhooks"] } });
}

/** A receiver that nothing is sent to any more. */
async function register(story: Story): Promise<void> {
  const body = { url: "http://localhost:3000/webhooks", events: ["charge.*"] };
  const { webhook_id } = await story.call("createWebhookEndpoint", "charges only", { body });
  const params = { webhook_id };
  await story.call("listWebhookEndpoints", "one");
  await story.call("getWebhookEndpoint", "charges only", { params });
  await story.call("updateWebhookEndpoint", "charges only", {
    params,
    body: { enabled: true },
    named: "turn it on",
  });
  await story.call("deleteWebhookEndpoint", "gone", { params });
  const mailbox = await story.call("createWebhookEndpoint", "a mailbox", { body: { mailbox: "tests" } });
  await story.call("updateWebhookEndpoint", "a mailbox's", {
    params: { webhook_id: mailbox.webhook_id },
    body: { url: body.url },
  });
}

/** Calls of what is not there. */
async function missAll(story: Story): Promise<void> {
  const params = {
    name: "nightly",
    charge_id: "ch_0",
    checkout_id: "co_0",
    withdrawal_id: "wd_0",
    delivery_id: "dlv_0",
    webhook_id: "we_0",
    fault_id: "flt_0",
    failed_test_id: "0",
  };
  const bodies: Readonly<Record<string, Json>> = {
    transitionCharge: { to: "FAILED" },
    advanceCharge: { until: "COMPLETED" },
    transitionWithdrawal: { to: "FAILED" },
    payCheckout: { payment_method: "mobile_money" },
    acknowledgeDelivery: { status: 200 },
  };
  for (const { id, path, method } of CONTROL_OPERATIONS) {
    if (!path.includes(":") || method === "PUT") continue;
    await story.call(id, "no such thing", {
      params,
      ...(method === "GET" ? {} : { body: bodies[id] ?? {} }),
    });
  }
}
