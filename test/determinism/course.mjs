import { lot } from "./wire.mjs";

const EMAIL = "ada@shop.test";
const PHONES = { KES: "+254700000001", UGX: "+256700000001", TZS: "+255700000001", GHS: "+233200000001" };

/** Mishaps and faults that no built-in scenario uses. */
const MISFORTUNES = {
  description: "Whatever can go wrong, some of it by chance.",
  charges: [
    {
      match: { metadata: { fate: "late" } },
      timeline: [
        { after: "1s", to: "AWAITING_PAYMENT" },
        { after_expiry: "5m", to: "COMPLETED" },
      ],
    },
    { match: { currency: { not: "KES" } }, probability: 0.3, timeline: [{ after: "2s", to: "FAILED" }] },
    { match: { base_amount: { gte: "900" } }, timeline: [{ after: "3s", to: "FAILED", reason: "too_much" }] },
  ],
  webhooks: [
    { match: { type: "charge.failed" }, copies: 3 },
    { match: { type: "charge.awaiting_payment", currency: "KES" }, swap: true },
    { match: { type: "charge.processing", currency: "NGN" }, drop: true },
    { match: { type: "charge.completed", currency: "KES" }, fail_first: 2 },
    {
      match: { type: "charge.completed", currency: { in: ["UGX", "GHS"] } },
      down: { for: "20s", answer: 503 },
    },
    { match: { type: "charge.expired" }, bad_signature: true, delay: "7s" },
    { match: { type: "withdrawal.*" }, stale: "10m" },
  ],
  faults: [
    { match: { operation: "createQuote" }, respond: { status: 503 }, probability: 0.3 },
    {
      match: { operation: "getCharge" },
      respond: { status: 500, code: "BAD_DAY" },
      probability: 0.4,
      times: 9,
    },
    { match: { operation: "createWhitelabel" }, drop: "after", skip: 3, times: 1 },
    { match: { operation: "listPayins" }, drop: "before", probability: 0.5 },
    { match: { operation: "getBalances" }, delay: "3ms", probability: 0.5 },
  ],
};

/** Concurrent calls, whose order is not defined. */
const races = (steady) => ({
  description:
    "Answers held, late or never, reads a moment old, the same news at once, again and under other ids.",
  charges: [{ match: { currency: "NGN" }, timeline: [{ after: "0s", to: "COMPLETED" }] }],
  webhooks: [
    { match: { type: "charge.completed", currency: "KES", url: steady }, copies: 3, at_once: true },
    { match: { type: "charge.completed", currency: "UGX" }, copies: 2, ids: "new" },
    { match: { type: "charge.completed" }, again_after: "1h" },
    { match: { type: "charge.processing" }, response_lost: true },
  ],
  faults: [
    { match: { operation: "createWhitelabel", base_currency: "NGN" }, hold: "webhook" },
    { match: { operation: "createWhitelabel", base_currency: "KES" }, hold: "idle" },
    { match: { operation: "createWhitelabel", base_currency: "UGX" }, hold: "4ms" },
    { match: { operation: "createWhitelabel", base_currency: "USD" }, delay_answer: "3ms" },
    { match: { operation: "createWhitelabel", base_currency: "BTC" }, drop: "hang", times: 1 },
    { match: { operation: ["getCharge", "listPayins"] }, stale: "2s", probability: 0.7 },
  ],
});

const OWN_SCENARIO = { "sandbox-scenario": "refunded" };
const LIVE = { authorization: "Bearer sk_live_sandbox" };
const OTHER = { authorization: "Bearer sk_test_other" };

/** Calls every operation in a fixed order. */
export async function course(wire, receivers) {
  const call = wire.call.bind(wire);
  const advance = (target) => call("POST", "/_sandbox/clock/advance", target);
  const settled = () => call("POST", "/_sandbox/wait", { for: "idle", timeout: "30s" });

  await catalogue(call);
  await endpoints(call, receivers);
  await payments(call, "first");
  await advance({ by: "10s" });
  await payouts(call, "first", advance);
  await badCalls(call);
  await limits(call);
  await advance({ by: "1m" });

  await call("PUT", "/_sandbox/scenarios/misfortunes", MISFORTUNES);
  await call("POST", "/_sandbox/scenarios/misfortunes/activate");
  await call("POST", "/_sandbox/faults", {
    match: { operation: "createCheckout" },
    respond: { status: 429 },
    probability: 0.5,
  });
  for (const round of ["second", "third"]) {
    await payments(call, round);
    await advance({ until: "next" });
    await advance({ by: "90s" });
  }
  await call("GET", "/_sandbox/faults");
  await call("DELETE", "/_sandbox/faults");
  await call("POST", "/_sandbox/scenarios/misfortunes/deactivate");

  await call("PUT", "/_sandbox/scenarios/races", races(receivers.steady));
  await call("POST", "/_sandbox/scenarios/races/activate");
  await payments(call, "races");
  await advance({ by: "10s" });
  for (const path of ["payins?limit=4", "payins?status_filter=COMPLETED"])
    await call("GET", `/api/v1/payments/${path}`);
  await advance({ by: "2h" });
  await call("POST", "/_sandbox/scenarios/races/deactivate");

  for (const name of ["webhook_chaos", "webhook_outage", "flaky_api"]) {
    await call("POST", `/_sandbox/scenarios/${name}/activate`);
    // Slow responses would take seconds.
    if (name === "flaky_api") await call("PUT", "/_sandbox/scenarios/flaky_api", quickBadDay());
    await payments(call, name);
    await advance({ by: "61s" });
    await call("POST", `/_sandbox/scenarios/${name}/deactivate`);
  }

  await hands(call, settled);
  await snapshots(call, advance);
  await namespaces(call);
  await advance({ by: "2h" });
  await mailbox(call, "post");
  await advance({ until: "idle" });
  await mailbox(call, "post");
  await settled();
  await logs(call);
}

function quickBadDay() {
  return {
    faults: [
      { probability: 0.2, respond: { status: 500 } },
      { probability: 0.1, respond: { status: 429, headers: { "retry-after": "1" } } },
      { probability: 0.05, delay: "2ms" },
    ],
  };
}

async function catalogue(call) {
  for (const path of ["payment-methods", "supported-currencies", "payment-rails?currency=KES"])
    await call("GET", `/api/v1/payments/${path}`);
  await call("GET", "/api/v1/payouts/supported-currencies");
  for (const headers of [{}, LIVE, OTHER]) {
    await call("GET", "/api/v1/organizations/me", undefined, headers);
    await call("GET", "/api/v1/accounts/balances", undefined, headers);
  }
  for (const path of ["/_sandbox", "/_sandbox/clock", "/_sandbox/rates", "/_sandbox/scenarios"])
    await call("GET", path);
  await call("GET", "/openapi.json");
}

async function endpoints(call, { steady, moody, gone, nobody }) {
  await call("POST", "/api/v1/webhooks", { url: steady });
  const made = await call("POST", "/api/v1/webhooks", { url: moody, events: ["charge.*"] });
  await call("PATCH", `/api/v1/webhooks/${made.webhook_id}`, { events: ["charge.*", "withdrawal.*"] });
  await call("POST", `/api/v1/webhooks/${made.webhook_id}/rotate-secret`);
  await call("GET", `/api/v1/webhooks/${made.webhook_id}`);
  await call("POST", "/_sandbox/webhook-endpoints", { url: gone, signature: "stripe" });
  await call("POST", "/_sandbox/webhook-endpoints", { url: nobody, events: ["charge.failed"] });
  await call("POST", "/_sandbox/webhook-endpoints", { url: steady, mode: "live", signature: "svix" });
  await call("POST", "/_sandbox/webhook-endpoints", { mailbox: "post" });
  const brief = await call("POST", "/api/v1/webhooks", { url: "https://shop.test/hooks" });
  await call("DELETE", `/api/v1/webhooks/${brief.webhook_id}`);
  await call("GET", "/api/v1/webhooks");
}

/** Creates a quote and its charge, unless a fault prevents one. */
async function pay(call, order, headers) {
  const { pricing, payment_method } = order;
  const quote = await call("POST", "/api/v1/payments/quotes", { pricing, payment_method }, headers);
  if (quote?.quote_id === undefined) return undefined;
  const body = { quote_id: quote.quote_id, customer_email: EMAIL, ...order };
  return call("POST", "/api/v1/payments/whitelabel", body, headers);
}

/** Creates a checkout by every method, hosted ones included. */
async function payments(call, name) {
  const orders = [
    ["bank_transfer", "NGN", "100.00", { bank_account_number: "0123456789" }],
    ["mobile_money", "KES", "500.00", { phone_number: PHONES.KES }],
    ["mobile_money", "UGX", "950.00", { phone_number: PHONES.UGX }],
    ["card", "USD", "19.99", {}],
    ["crypto", "BTC", "0.015", {}],
    ["crypto", "USDT_TRC20", "75.5", {}, OWN_SCENARIO],
    ["card", "KES", "20.01", {}, LIVE],
    ["card", "ZAR", "333.33", { metadata: { fate: "late" }, expires_in_minutes: 1 }],
    ["bank_transfer", "GHS", "42.10", { bank_account_number: "9", customer_email: "declined@shop.test" }],
  ];
  for (const [payment_method, base_currency, amount, more, headers = {}] of orders) {
    const metadata = { order: `${name}-${base_currency}`, ...more.metadata };
    const order = { pricing: { base_currency, amount }, payment_method, ...more, metadata };
    const made = await pay(call, order, headers);
    if (made?.charge_id === undefined) continue;
    await call("GET", `/api/v1/payments/charges/${made.charge_id}`, undefined, headers);
    await call("GET", `/api/v1/payments/payins/${made.charge_id}`, undefined, headers);
  }
  const dollars = { base_currency: "USD", amount: "12.50", local_pricing: { KES: "1600.00" } };
  await call("POST", "/api/v1/payments/quotes", {
    pricing: dollars,
    payment_method: "mobile_money",
    to_currency: "KES",
  });
  const pays = [{ payment_method: "card" }, { payment_method: "mobile_money", phone_number: PHONES.KES }];
  for (const way of [...pays, null, "cancel"]) {
    const checkout = await call("POST", "/api/v1/payments/checkouts", {
      pricing: dollars,
      customer_email: EMAIL,
      success_url: "https://shop.test/thanks?order=7",
      expires_in_minutes: 2,
    });
    if (checkout?.checkout_id === undefined) continue;
    await call("GET", new URL(checkout.checkout_url).pathname);
    if (way === "cancel") await call("POST", `/_sandbox/checkouts/${checkout.checkout_id}/cancel`);
    else if (way !== null) await call("POST", `/_sandbox/checkouts/${checkout.checkout_id}/pay`, way);
  }
  for (const query of ["", "?limit=3&offset=2", "?status_filter=COMPLETED"])
    await call("GET", `/api/v1/payments/payins${query}`);
  await call("GET", "/api/v1/accounts/balances");
}

async function payouts(call, name, advance) {
  const bank = await call("POST", "/api/v1/payouts/destinations", {
    type: "bank_account",
    currency: "NGN",
    bank_code: "044",
    account_number: "0123456789",
    account_name: "Ada",
  });
  await call("POST", "/api/v1/payouts/destinations", {
    type: "crypto_wallet",
    currency: "USDT_TRC20",
    wallet_address: "T-nobody",
  });
  await call("GET", "/api/v1/payouts/destinations");
  await call("GET", `/api/v1/payouts/destinations/${bank.destination_id}`);
  await call("PUT", "/_sandbox/rates", { NGN: "1600" });
  // Enough money for the payouts.
  const pricing = { base_currency: "NGN", amount: "90000.00" };
  await pay(call, { pricing, payment_method: "card" }, { "sandbox-scenario": "instant" });
  const wish = { destination_id: bank.destination_id, amount: "5000.00", currency: "NGN" };
  const once = { "idempotency-key": `payout-${name}` };
  const made = await call("POST", "/api/v1/payouts/withdrawals", { ...wish, reference: "rent" }, once);
  await call("POST", "/api/v1/payouts/withdrawals", { ...wish, reference: "rent" }, once);
  await call("POST", "/api/v1/payouts/withdrawals", { ...wish, reference: "other" }, once);
  await call("POST", "/api/v1/payouts/withdrawals", { ...wish, reference: "fail-it" });
  await call("POST", "/api/v1/payouts/withdrawals", { ...wish, amount: "900000.00" });
  const stopped = await call("POST", "/api/v1/payouts/withdrawals", wish);
  await call("POST", `/_sandbox/withdrawals/${stopped.withdrawal_id}/transition`, { to: "CANCELLED" });
  await call("POST", `/_sandbox/withdrawals/${stopped.withdrawal_id}/transition`, { to: "COMPLETED" });
  await advance({ by: "4s" });
  await call("GET", `/api/v1/payouts/withdrawals/${made.withdrawal_id}`);
  await call("GET", "/api/v1/payouts/withdrawals");
}

async function badCalls(call) {
  await call("POST", "/api/v1/payments/quotes", "{broken");
  await call("POST", "/api/v1/payments/quotes", { pricing: { base_currency: "usd", amount: 5 } });
  await call("POST", "/api/v1/payments/whitelabel", { quote_id: "qt_none" });
  await call("GET", "/api/v1/payments/payins?limit=0&offset=-1&status_filter=PAID");
  await call("GET", "/api/v1/payments/charges/ch_none");
  await call("GET", "/api/v1/nothing");
  await call("PUT", "/api/v1/payments/quotes", {});
  await call("GET", "/api/v1/accounts/balances", undefined, { authorization: "Bearer sk_test_nobody" });
  await call("GET", "/api/v1/accounts/balances", undefined, { authorization: "Bearer sk_test_deactivated" });
  await call("POST", "/api/v1/webhooks", { url: "x" }, { authorization: "Bearer sk_test_readonly" });
  await call("POST", "/_sandbox/clock/advance", { by: "soon" });
  await call("GET", "/_sandbox", undefined, { "sandbox-namespace": "nowhere" });
}

/** Exceeds the rate limit of the key. */
async function limits(call) {
  const headers = { authorization: "Bearer sk_test_unverified" };
  for (let count = 0; count < 305; count++) await call("GET", "/api/v1/organizations/me", undefined, headers);
}

/** Manual actions, and those of a customer on the page. */
async function hands(call, settled) {
  const { items } = await call("GET", "/_sandbox/charges?limit=100&status=COMPLETED");
  await call("POST", `/_sandbox/charges/${items[0].charge_id}/partial-refund`, { amount: "1.00" });
  await call("POST", `/_sandbox/charges/${items[0].charge_id}/refund`, { reason: "asked" });
  await call("POST", `/_sandbox/charges/${items[1].charge_id}/chargeback`, {});
  await call("POST", `/_sandbox/charges/${items[0].charge_id}/refund`);
  const open = (await call("GET", "/_sandbox/charges?status=AWAITING_PAYMENT")).items;
  if (open.length > 0)
    await call("POST", `/_sandbox/charges/${open[0].charge_id}/transition`, {
      to: "FAILED",
      reason: "by hand",
    });
  const pricing = { base_currency: "KES", amount: "70.00" };
  const order = { pricing, payment_method: "card", customer_email: "refunded@shop.test" };
  const made = await pay(call, order, { "sandbox-scenario": "slow" });
  await call("POST", `/_sandbox/charges/${made.charge_id}/advance`, { until: "PROCESSING" });
  await call("POST", "/_sandbox/events", { type: "charge.completed", charge_id: made.charge_id });
  await call("POST", "/_sandbox/events", { type: "webhook.test", data: { hello: "wörld ☕" } });
  await settled();
  const { items: sent } = await call("GET", "/_sandbox/deliveries?limit=5&status=delivered");
  await call("POST", `/_sandbox/deliveries/${sent[0].delivery_id}/redeliver`, { times: 3 });
  await settled();
}

async function snapshots(call, advance) {
  await call("POST", "/_sandbox/snapshots", { name: "before" });
  await payments(call, "undone");
  await advance({ by: "20s" });
  await call("POST", "/_sandbox/snapshots/before/restore");
  await payments(call, "again");
  await advance({ by: "20s" });
  await call("GET", "/_sandbox/snapshots");
  await call("DELETE", "/_sandbox/snapshots/before");
}

async function namespaces(call) {
  const inside = { "sandbox-namespace": "branch" };
  const inBranch = (method, path, body, headers = {}) => call(method, path, body, { ...headers, ...inside });
  await call("PUT", "/_sandbox/namespaces/branch", {
    clock: "manual",
    start_time: "2026-05-01T00:00:00.000Z",
    seed: "branch-seed",
    webhooks: [{ mailbox: "branch" }],
  });
  await payments(inBranch, "branch");
  await inBranch("POST", "/_sandbox/clock/advance", { by: "10s" });
  await mailbox(inBranch, "branch");
  await inBranch("POST", "/_sandbox/reset", { ids: "repeat" });
  await payments(inBranch, "branch");
  await inBranch("POST", "/_sandbox/reset");
  await payments(inBranch, "branch");
  await call("GET", "/_sandbox/namespaces");
  await call("DELETE", "/_sandbox/namespaces/branch");
}

/** Reads pending messages and acknowledges some of them. */
async function mailbox(call, name) {
  for (;;) {
    const { items } = await call("POST", `/_sandbox/mailboxes/${name}/take`, { max: 7 });
    if (items.length === 0) return;
    for (const { delivery_id, event_id } of items) {
      const status = lot(event_id) < 80 ? 200 : 500;
      await call("POST", `/_sandbox/mailboxes/${name}/${delivery_id}/ack`, { status });
    }
  }
}

async function logs(call) {
  for (const list of ["charges", "events", "deliveries", "requests"])
    for (let offset = 0; ; offset += 100) {
      const page = await call("GET", `/_sandbox/${list}?limit=100&offset=${offset}`);
      if (offset + 100 >= page.total) break;
    }
  const { items } = await call("GET", "/_sandbox/charges?limit=5");
  for (const { charge_id } of items) await call("GET", `/_sandbox/charges/${charge_id}/timeline`);
  for (const path of ["balances", "webhook-endpoints", "coverage", "advice", "state", "clock"])
    await call("GET", `/_sandbox/${path}`);
}
