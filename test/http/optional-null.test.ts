import { expect } from "vitest";
import { type Api, expectInvalid, KES_ORDER, okBody, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the wire says
type Json = any;

const PAYMENTS = "/api/v1/payments";
const PRICING = KES_ORDER.pricing;
const MOBILE = {
  type: "mobile_money",
  currency: "KES",
  phone_number: "+254700000001",
  provider: "SimbaPesa",
};

const nulls = (...names: string[]) => Object.fromEntries(names.map((name) => [name, null]));
const CHECKOUT_FIELDS = ["customer_name", "success_url", "cancel_url", "metadata", "expires_in_minutes"];

interface Call {
  readonly line: string;
  readonly body: object;
  readonly optional: object;
}

/** A call of each operation with a body: its required fields, and null in every optional one. */
const CALLS: Readonly<Record<string, (api: Api) => Promise<Call> | Call>> = {
  createQuote: () => ({
    line: `POST ${PAYMENTS}/quotes`,
    body: { pricing: PRICING, payment_method: "card" },
    optional: {
      pricing: { ...PRICING, local_pricing: null },
      ...nulls("to_currency", "payment_rail", "customer_email"),
    },
  }),
  createWhitelabel: async (api) => {
    const order = { pricing: PRICING, payment_method: "card" };
    const { quote_id } = await api.quote(order);
    return {
      line: `POST ${PAYMENTS}/whitelabel`,
      body: { ...order, quote_id, customer_email: "ada@shop.test" },
      optional: {
        pricing: { ...PRICING, local_pricing: null },
        ...nulls("payment_rail", "phone_number", "bank_account_number", ...CHECKOUT_FIELDS),
      },
    };
  },
  createCheckout: () => ({
    line: `POST ${PAYMENTS}/checkouts`,
    body: { pricing: PRICING },
    optional: nulls("customer_email", "quote_id", "payment_methods", ...CHECKOUT_FIELDS),
  }),
  createDestination: () => ({
    line: "POST /api/v1/payouts/destinations",
    body: MOBILE,
    optional: nulls("country", "bank_code", "account_number", "account_name", "wallet_address", "network"),
  }),
  createWithdrawal: async (api) => {
    await api.post("/_sandbox/balances", { currency: "KES", amount: "5000.00" });
    return {
      line: "POST /api/v1/payouts/withdrawals",
      body: { destination_id: await api.destination(MOBILE), amount: "600.00", currency: "KES" },
      optional: nulls("reference", "metadata"),
    };
  },
  createWebhook: () => ({
    line: "POST /api/v1/webhooks",
    body: { url: "https://shop.test/hooks" },
    optional: nulls("events"),
  }),
  updateWebhook: async (api) => {
    const made = await api.post<Json>("/api/v1/webhooks", {
      url: "https://shop.test/hooks",
      events: ["a.*"],
    });
    return {
      line: `PATCH /api/v1/webhooks/${okBody(made).webhook_id}`,
      body: {},
      optional: nulls("url", "events", "enabled"),
    };
  },
};

it.for(Object.entries(CALLS))("%s accepts null in an optional field as absent", async ([_, callOf]) => {
  const answers: string[] = [];
  for (const isNull of [false, true]) {
    const api = await openApi({ seed: "null" });
    const call = await callOf(api);
    answers.push(okTextOf(await api.ask(call.line, isNull ? { ...call.body, ...call.optional } : call.body)));
  }
  expect(answers[1]).toBe(answers[0]);
});

function okTextOf({ status, text }: { status: number; text: string }): string {
  expect([status, text]).toEqual([200, text]);
  return text;
}

it.for(Object.entries(CALLS))("%s refuses null in a required field", async ([_, callOf], { api }) => {
  const call = await callOf(api);
  for (const field of Object.keys(call.body)) {
    const answer = await api.ask(call.line, { ...call.body, [field]: null });
    expect([field, answer.status]).toEqual([field, 400]);
    expectInvalid(answer, field);
  }
});

it("null in a field that the method requires counts as missing", async ({ api }) => {
  const body = { ...(await api.checkoutBody()), phone_number: null };
  const answer = await api.tryWhitelabel(body);
  expectInvalid(answer, "phone_number");
  expect(answer.details.phone_number).toBe("is required for mobile_money");
});
