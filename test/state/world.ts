import type { StateDump } from "../../src/core/engine/records.js";
import { openSandbox } from "../../src/library/opening.js";
import type { Sandbox } from "../../src/library/sandbox.js";
import { START } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";
import { REFUSING_URL } from "../support/receiver-server.js";

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary parts of states
export type Json = any;

const MOBILE = {
  pricing: { base_currency: "KES", amount: "500.00" },
  payment_method: "mobile_money",
  customer_email: "ada@shop.test",
  phone_number: "+254700000001",
};

export interface Opened extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly client: Client;
  /** Internal errors of the sandbox. */
  readonly errors: unknown[];
}

/** Opens a sandbox at the start time, or at the time of its data if empty. */
export async function opened(data?: string, startTime = START): Promise<Opened> {
  const errors: unknown[] = [];
  const sandbox = await openSandbox({
    clock: "manual",
    ...(startTime === "" ? {} : { start_time: startTime }),
    rate_limit: "off",
    onError: (error) => errors.push(error),
    ...(data === undefined ? {} : { data }),
  });
  return { sandbox, client: Client.of(sandbox), errors, [Symbol.asyncDispose]: () => sandbox.close() };
}

/** @param request method and path */
type Call = (request: string, body?: unknown, headers?: Record<string, string>) => Promise<Json>;

/** Makes calls and fails on a 500. */
async function withoutFaults({ client }: Opened, work: (call: Call) => Promise<void>): Promise<void> {
  const bad: string[] = [];
  await work(async (request, body, headers) => {
    const { status, text } = await client.ask(request, body, headers);
    if (status >= 500) bad.push(`${request} ${JSON.stringify(body)}: ${status} ${text.slice(0, 300)}`);
    return text.startsWith("{") ? JSON.parse(text) : {};
  });
  if (bad.length > 0) throw new Error(bad.join("\n"));
}

/** Exports a busy sandbox with every kind of record and task. */
export async function busyExports(): Promise<StateDump[]> {
  await using world = await opened();
  const { client, sandbox } = world;
  const call: Call = async (request, body, headers) => {
    const answer = await client.ask(request, body, headers);
    if (answer.status !== 200) throw new Error(`${request}: ${answer.text}`);
    return answer.json;
  };
  const exports: StateDump[] = [];
  const keep = () => exports.push(sandbox.snapshot());
  keep();
  await call("POST /_sandbox/webhook-endpoints", { mailbox: "post" });
  const { webhook_id } = await call("POST /api/v1/webhooks", { url: REFUSING_URL, events: ["charge.*"] });
  await call(`POST /api/v1/webhooks/${webhook_id}/rotate-secret`);
  await call("PUT /_sandbox/scenarios/odd", {
    charges: [
      {
        timeline: [
          { after: "1m", to: "AWAITING_PAYMENT" },
          { after: "1h", to: "COMPLETED" },
          { after_expiry: "5m", to: "COMPLETED" },
          { after: "1d", to: "REFUNDED" },
        ],
      },
    ],
    withdrawals: [
      {
        timeline: [
          { after: "1h", to: "PROCESSING" },
          { after: "1h", to: "FAILED", reason: "no" },
        ],
      },
    ],
    webhooks: [
      { match: { type: "*.awaiting_payment" }, swap: true },
      { match: { type: "*.failed" }, copies: 2, delay: "1h", stale: "1m" },
    ],
  });
  await call("POST /_sandbox/scenarios/odd/activate");
  await call("POST /_sandbox/faults", {
    match: { customer_email: "nobody@*" },
    respond: { status: 418 },
    times: 3,
  });
  await call("PUT /_sandbox/rates", { NGN: "1600" });
  await call("PATCH /_sandbox/keys/sk_test_readonly", { status: "revoked" });
  await call("PATCH /_sandbox/organizations/org_other", { verified: false });
  const pay = async (order: object, scenario: string) => {
    const { quote_id } = await call("POST /api/v1/payments/quotes", order);
    return call("POST /api/v1/payments/whitelabel", { ...order, quote_id }, { "sandbox-scenario": scenario });
  };
  const crypto = { ...MOBILE, pricing: { base_currency: "USD", amount: "100" }, payment_method: "crypto" };
  for (const scenario of ["instant", "odd", "slow", "refunded", "expired", "paid_late", "declined"])
    await pay(MOBILE, scenario);
  const { charge_id: cancelled } = await pay(MOBILE, "slow");
  await call(`POST /_sandbox/charges/${cancelled}/transition`, { to: "CANCELLED" });
  const { charge_id: partly } = await pay(MOBILE, "instant");
  await call(`POST /_sandbox/charges/${partly}/partial-refund`, { amount: "1.00" });
  for (const to_currency of ["BTC", "USDT_TRC20"]) await pay({ ...crypto, to_currency }, "instant");
  for (const metadata of [{}, { order: "17" }])
    await call("POST /api/v1/payments/checkouts", {
      pricing: { base_currency: "USD", amount: "10", local_pricing: { KES: "1300.00" } },
      metadata,
      success_url: "https://shop.test/done?order=17",
      cancel_url: "https://shop.test/cart",
    });
  const { quote_id } = await call("POST /api/v1/payments/quotes", MOBILE);
  await call("POST /api/v1/payments/checkouts", { pricing: MOBILE.pricing, quote_id });
  keep();
  const { destination_id } = await call("POST /api/v1/payouts/destinations", {
    type: "mobile_money",
    currency: "KES",
    phone_number: "+254700000001",
    provider: "M-Pesa",
  });
  for (const [amount, scenario] of [
    ["500.00", "odd"],
    ["500.00", "instant"],
  ])
    await client.ask(
      "POST /api/v1/payouts/withdrawals",
      { destination_id, amount, currency: "KES" },
      { "idempotency-key": `key-${scenario}`, "sandbox-scenario": scenario! },
    );
  await call("POST /_sandbox/clock/advance", { by: "90s" });
  keep();
  await call("POST /_sandbox/clock/advance", { by: "70m" });
  keep();
  await call("POST /_sandbox/reset", { keep: ["webhooks", "scenarios"] });
  await pay(MOBILE, "odd");
  keep();
  return exports;
}

/** Calls every operation on the existing records. */
export async function sweep(world: Opened): Promise<void> {
  await withoutFaults(world, async (call) => {
    const ids = async (path: string, id: string): Promise<string[]> =>
      ((await call(`GET ${path}`)).items ?? []).map((item: Json) => item[id]);
    for (const path of READS) await call(`GET ${path}`);
    for (const key of ["sk_live_sandbox", "sk_test_other"])
      for (const path of ["/api/v1/payments/payins", "/api/v1/accounts/balances", "/api/v1/webhooks"])
        await call(`GET ${path}`, undefined, { authorization: `Bearer ${key}` });
    for (const id of await ids("/_sandbox/charges?limit=100", "charge_id")) {
      const shown = await call(`GET /_sandbox/charges/${id}`);
      for (const path of [`/_sandbox/charges/${id}/timeline`, `/api/v1/payments/charges/${id}`])
        await call(`GET ${path}`);
      if (shown.checkout_id !== undefined)
        await call(`GET /checkout/${encodeURIComponent(shown.checkout_id)}`);
    }
    for (const id of await ids("/_sandbox/deliveries?limit=100", "delivery_id"))
      await call(`GET /_sandbox/deliveries/${id}`);
  });
}

const READS = `
  /_sandbox /_sandbox/clock /_sandbox/state /_sandbox/charges?limit=100 /_sandbox/balances
  /_sandbox/scenarios?limit=100 /_sandbox/faults /_sandbox/requests /_sandbox/events?limit=100
  /_sandbox/deliveries?limit=100 /_sandbox/webhook-endpoints /_sandbox/rates /_sandbox/coverage
  /_sandbox/advice /_sandbox/dashboard /api/v1/payments/payment-methods /api/v1/payments/payins?limit=100
  /api/v1/accounts/balances /api/v1/organizations/me /api/v1/payouts/destinations
  /api/v1/payouts/withdrawals /api/v1/webhooks
`
  .trim()
  .split(/\s+/);

/** Makes typical calls of an app and of a tester. */
export async function carryOn(world: Opened): Promise<void> {
  await withoutFaults(world, async (call) => {
    const charges = await call("GET /_sandbox/charges?limit=100");
    for (const { charge_id, checkout_id, status, kind } of charges.items ?? []) {
      if (kind === "hosted" && status === "PENDING")
        await call(`POST /_sandbox/checkouts/${checkout_id}/pay`, { payment_method: "card" });
      await call(`POST /_sandbox/charges/${charge_id}/advance`, { until: "COMPLETED" });
    }
    await call("POST /_sandbox/mailboxes/post/take", { max: 100 });
    for (const { delivery_id } of (await call("GET /_sandbox/deliveries?limit=20")).items ?? []) {
      await call(`POST /_sandbox/deliveries/${delivery_id}/retry`);
      await call(`POST /_sandbox/deliveries/${delivery_id}/redeliver`);
    }
    for (const { withdrawal_id } of (await call("GET /api/v1/payouts/withdrawals")).items ?? []) {
      for (const to of ["PROCESSING", "COMPLETED"])
        await call(`POST /_sandbox/withdrawals/${withdrawal_id}/transition`, { to });
      await call(`POST /_sandbox/withdrawals/${withdrawal_id}/bounce`);
    }
    for (const { charge_id, status } of charges.items ?? [])
      if (status === "COMPLETED") {
        await call(`POST /_sandbox/charges/${charge_id}/partial-refund`, { amount: "0.01" });
        await call(`POST /_sandbox/charges/${charge_id}/refund`);
      }
    const { quote_id } = await call("POST /api/v1/payments/quotes", MOBILE);
    await call("POST /api/v1/payments/whitelabel", { ...MOBILE, quote_id });
  });
}
