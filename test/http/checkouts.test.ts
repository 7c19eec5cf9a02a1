import { expect } from "vitest";
import type * as z from "zod/mini";
import type { checkoutSchema } from "../../src/core/schema/responses/charge-responses.js";
import {
  type Answer,
  type Api,
  type Charge,
  expectError,
  expectInvalid,
  later,
  okBody,
  openApi,
  START,
} from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { temporaryFile } from "../support/folders.js";

const CHECKOUTS = "/api/v1/payments/checkouts";
const USD_25 = { base_currency: "USD", amount: "25.00" };
const MOBILE = { payment_method: "mobile_money", currency: "KES", phone_number: "+254700000001" };

type Checkout = z.infer<typeof checkoutSchema>;

function tryCheckout(
  api: Api,
  body: unknown = {},
  headers: Record<string, string> = {},
): Promise<Answer<Checkout>> {
  const whole = typeof body === "object" && body !== null ? { pricing: USD_25, ...body } : body;
  return api.post(CHECKOUTS, whole, headers);
}

async function checkout(api: Api, body?: unknown, headers?: Record<string, string>): Promise<Checkout> {
  return okBody(await tryCheckout(api, body, headers));
}

const pay = (api: Api, id: string, body: unknown = { payment_method: "bank_transfer" }) =>
  api.as(null).post<Charge>(`/_sandbox/checkouts/${id}/pay`, body);
const cancel = (api: Api, id: string) => api.as(null).post<Charge>(`/_sandbox/checkouts/${id}/cancel`, {});
const stateOf = (api: Api) => JSON.stringify(api.sandbox.snapshot());
const eventTypes = (api: Api) => api.sandbox.snapshot().collections.events.map(([, event]) => event.type);

it("POST checkouts returns exactly the documented fields [R25.5]", async ({ api }) => {
  const made = await checkout(api, { metadata: { order: "A-17" } });
  expect(made).toEqual({
    checkout_id: expect.any(String),
    checkout_url: `http://sandbox/checkout/${made.checkout_id}`,
    charge_id: expect.any(String),
    status: "PENDING",
    amount: "25.00",
    currency: "USD",
    payment_methods: ["bank_transfer", "mobile_money", "card", "crypto"],
    metadata: { order: "A-17" },
    expires_at: later(3600),
    created_at: START,
  });
});

it("POST checkouts returns a link to a page at the server's or public URL [R1.3 R25.5]", async ({ api }) => {
  const { checkout_url } = await checkout(api);
  const page = await api.as(null).get(new URL(checkout_url).pathname);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const published = await openApi({ publicUrl: "https://pay.shop.test/" });
  const made = await checkout(published);
  expect(made.checkout_url).toBe(`https://pay.shop.test/checkout/${made.checkout_id}`);
});

it("POST checkouts returns the same in live mode, with separate data [R1.13]", async ({ api }) => {
  const live = api.as("sk_live_sandbox");
  const made = await checkout(live);
  expect((await live.charge(made.charge_id)).status).toBe("PENDING");
  expectError(await api.get(`/api/v1/payments/charges/${made.charge_id}`), 404, "NOT_FOUND");
});

it("a new checkout has a PENDING charge without a price [R12.1 R12.2 R17.2]", async ({ api }) => {
  const made = await checkout(api, {
    customer_email: "ada@shop.test",
    customer_name: "Ada",
    metadata: { order: "A-17" },
    expires_in_minutes: 5,
  });
  expect(await api.charge(made.charge_id)).toEqual({
    charge_id: made.charge_id,
    checkout_id: made.checkout_id,
    organization_id: "org_sandbox",
    amount: "25.00",
    currency: "USD",
    status: "PENDING",
    payment_provider: null,
    provider_reference: expect.stringMatching(/./),
    created_at: START,
    updated_at: START,
    payment_method: null,
    payment_rail: null,
    customer_email: "ada@shop.test",
    customer_name: "Ada",
    metadata: { order: "A-17" },
    fees: null,
    exchange_rate: null,
    settlement_amount: null,
    settled_at: null,
    failure_reason: null,
    payment_instructions: null,
    expires_at: later(300),
    status_history: [{ status: "PENDING", at: START }],
  });
});

it("a new checkout appears in the payin list and sends no event", async ({ api }) => {
  const { charge_id } = await checkout(api);
  expect((await api.payins("?status_filter=PENDING")).items.map((one) => one.charge_id)).toEqual([charge_id]);
  expect(eventTypes(api)).toEqual([]);
});

it.for([
  [undefined, 60],
  [1, 1],
  [1440, 1440],
] as const)(
  "a checkout expires without payment when expires_in_minutes is %s, after %i minutes [R12.3 R18.4 R30.5]",
  async ([minutes, after], { api }) => {
    const { charge_id, expires_at } = await checkout(api, { expires_in_minutes: minutes });
    expect(expires_at).toBe(later(after * 60));
    await api.advance({ to: later(after * 60 - 0.001) });
    expect((await api.charge(charge_id)).status).toBe("PENDING");
    await api.advance({ by: "1ms" });
    expect((await api.charge(charge_id)).status).toBe("EXPIRED");
    expect(eventTypes(api)).toEqual(["charge.expired"]);
  },
);

it("a checkout does not change before the customer selects a method", async () => {
  const api = await openApi({ scenario: "instant" });
  const { charge_id } = await checkout(api, { customer_email: "declined@shop.test" });
  await api.advance({ by: "59m" });
  expect((await api.charge(charge_id)).status).toBe("PENDING");
});

it("POST checkouts requires only pricing [R12.1 R25.3]", async ({ api }) => {
  expect((await tryCheckout(api)).status).toBe(200);
  const answer = await api.post(CHECKOUTS, {});
  expectInvalid(answer, "pricing");
  expect(answer.details.pricing).toBe("is required");
  expectInvalid(await api.post(CHECKOUTS, { pricing: {} }), "pricing.amount", "pricing.base_currency");
});

it("POST checkouts reports all errors together", async ({ api }) => {
  expectInvalid(
    await tryCheckout(api, {
      pricing: { base_currency: "USD", amount: "x" },
      customer_email: "x",
      payment_methods: ["ussd"],
      cancel_url: "x",
      expires_in_minutes: 0,
      quote_id: "qt_unknown",
    }),
    "pricing.amount",
    "customer_email",
    "payment_methods.0",
    "cancel_url",
    "expires_in_minutes",
  );
});

it("POST checkouts refuses a method that the organization has not enabled", async () => {
  const api = (await openApi()).as("sk_test_unverified");
  expect((await checkout(api)).payment_methods).toEqual(["bank_transfer", "mobile_money"]);
  expectInvalid(await tryCheckout(api, { payment_methods: ["bank_transfer", "card"] }), "payment_methods.1");
});

it("payment_methods are the only methods offered, in the given order [R25.4]", async ({ api }) => {
  const made = await checkout(api, { payment_methods: ["card", "bank_transfer", "card"] });
  expect(made.payment_methods).toEqual(["card", "bank_transfer"]);
  const refused = await pay(api, made.checkout_id, MOBILE);
  expectInvalid(refused, "payment_method");
  expect(refused.details.payment_method).toBe("must be one of card, bank_transfer");
  expect((await pay(api, made.checkout_id, { payment_method: "card" })).status).toBe(200);
});

const ORDER = { pricing: USD_25, payment_method: "mobile_money", to_currency: "KES" };

it("the quote of a checkout must have the same pricing and an offered method", async ({ api }) => {
  const { quote_id } = await api.quote(ORDER);
  const other = { base_currency: "USD", amount: "25.01" };
  expectInvalid(await tryCheckout(api, { quote_id, pricing: other }), "pricing");
  const payment_methods = ["card"];
  expectInvalid(await tryCheckout(api, { quote_id, payment_methods }), "payment_methods");
  const both = { quote_id, pricing: other, payment_methods };
  expectInvalid(await tryCheckout(api, both), "pricing", "payment_methods");
  expect((await tryCheckout(api, { quote_id, payment_methods: ["card", "mobile_money"] })).status).toBe(200);
});

it("the quote of a checkout keeps its price until its lock ends [R25.3 R30.4]", async ({ api }) => {
  const quote = await api.quote(ORDER);
  const [inTime, tooLate] = [await checkout(api, quoted(quote)), await checkout(api, quoted(quote))];
  okBody(await api.put("/_sandbox/rates", { KES: "200" }));
  await api.advance({ by: "9m59s999ms" });
  expect(okBody(await pay(api, inTime.checkout_id, MOBILE))).toMatchObject({
    amount: quote.amount,
    currency: "KES",
    exchange_rate: "129",
    settlement_amount: "3225.00",
    fees: quote.fees,
  });
  await api.advance({ by: "1ms" });
  expect(okBody(await pay(api, tooLate.checkout_id, MOBILE))).toMatchObject({
    exchange_rate: "200",
    settlement_amount: "5000.00",
  });
});

it("the quote of a checkout sets its price and only method [R11.2 R25.3]", async ({ api }) => {
  const quote = await api.quote(ORDER);
  const made = await checkout(api, quoted(quote));
  expect(made).toMatchObject({ amount: "3305.63", currency: "KES", payment_methods: ["mobile_money"] });
  const charge = await api.charge(made.charge_id);
  expect(charge).toMatchObject({
    status: "PENDING",
    amount: quote.amount,
    currency: "KES",
    fees: quote.fees,
    exchange_rate: "129",
    settlement_amount: "3225.00",
    payment_method: null,
    payment_rail: null,
    payment_instructions: null,
  });
  expect((await api.payins()).items).toMatchObject([{ amount: quote.amount, currency: "KES" }]);
  okBody(await cancel(api, made.checkout_id));
  const events = api.sandbox.snapshot().collections.events.map(([, { body }]) => JSON.parse(body).data);
  expect(events).toMatchObject([{ status: "CANCELLED", amount: quote.amount, currency: "KES" }]);
});

it("the timeline of a quoted checkout starts when the customer selects the method", async ({ api }) => {
  const made = await checkout(api, quoted(await api.quote(ORDER)));
  await api.advance({ by: "5m" });
  expect((await api.charge(made.charge_id)).status).toBe("PENDING");
  okBody(await pay(api, made.checkout_id, { ...MOBILE, phone_number: "+254700000049" }));
  await api.advance({ by: "1m" });
  const { status, status_history } = await api.charge(made.charge_id);
  expect(status).toBe("FAILED");
  expect(status_history.map((one) => one.status).slice(0, 2)).toEqual(["PENDING", "AWAITING_PAYMENT"]);
});

it("a checkout's quote settles at the shop's local price", async ({ api }) => {
  const pricing = { ...USD_25, local_pricing: { KES: "3000.00" } };
  const { quote_id } = await api.quote({ ...ORDER, pricing });
  expect(await checkout(api, { pricing, quote_id })).toMatchObject({ amount: "3075.00", currency: "KES" });
});

it("the quote of a checkout allows no other method or currency [R11.3]", async ({ api }) => {
  const { checkout_id } = await checkout(api, quoted(await api.quote(ORDER)));
  const byCard = await pay(api, checkout_id, { payment_method: "card", currency: "KES" });
  expectInvalid(byCard, "payment_method");
  expect(byCard.details.payment_method).toBe("must be one of mobile_money");
  const inNaira = await pay(api, checkout_id, { ...MOBILE, currency: "NGN" });
  expectInvalid(inNaira, "currency");
  expect(inNaira.details.currency).toBe("must be one of KES");
  const { currency, ...byPhone } = MOBILE;
  expect(okBody(await pay(api, checkout_id, byPhone))).toMatchObject({ currency, amount: "3305.63" });
});

it("the quote of a checkout sets method and currency even after its lock", async ({ api }) => {
  const { checkout_id } = await checkout(api, quoted(await api.quote(ORDER)));
  okBody(await api.put("/_sandbox/rates", { KES: "200" }));
  await api.advance({ by: "10m" });
  expectInvalid(await pay(api, checkout_id, { payment_method: "card" }), "payment_method");
  const { currency, ...byPhone } = MOBILE;
  expect(okBody(await pay(api, checkout_id, byPhone))).toMatchObject({ currency, amount: "5125.00" });
});

it("the quote of a checkout sets the rail", async () => {
  const rail = `{ id: other_pesa, display_name: Other Pesa, payment_method: mobile_money, currency: KES, country: KE, min_amount: "1.00", max_amount: null }`;
  const api = await openApi({ fixtures: temporaryFile("rails.yaml", `rails:\n  - ${rail}\n`) });
  const quote = await api.quote({ ...ORDER, payment_rail: "other_pesa" });
  const { checkout_id } = await checkout(api, quoted(quote));
  expect(okBody(await pay(api, checkout_id, MOBILE))).toMatchObject({
    payment_rail: "other_pesa",
    payment_instructions: { provider: "Other Pesa" },
  });
});

it("the quote of a crypto checkout adds its wallet to the instructions", async ({ api }) => {
  const quote = await api.quote({ pricing: USD_25, payment_method: "crypto", to_currency: "USDT_TRC20" });
  const { checkout_id } = await checkout(api, { quote_id: quote.quote_id });
  const charge = okBody(await pay(api, checkout_id, { payment_method: "crypto", currency: "USDT_TRC20" }));
  expect(charge.payment_instructions.wallet_address).toBe(quote.wallet_address);
});

function quoted({ quote_id }: { quote_id: string }) {
  return { quote_id };
}

/** Only an `airtime` method, which accepts only shillings. */
const FIXTURES = `methods:
  - { id: airtime, display_name: Airtime, icon: mobile, description: Pay by airtime, type: fiat,
      enabled_by_default: false, currencies: [KES], kind: card,
      fees: { platform_percent: "1.0", gateway_percent: "2.4" } }
organizations:
  - { organization_id: org_sandbox, enabled_payment_methods: [bank_transfer, airtime] }
`;
const openAirtime = () => openApi({ fixtures: temporaryFile("airtime.yaml", FIXTURES) });
const AIRTIME = { payment_methods: ["airtime"], pricing: { base_currency: "USD", amount: "100.00" } };

it("a checkout with only one method and currency is priced when created", async () => {
  const api = await openAirtime();
  const made = await checkout(api, AIRTIME);
  expect(made).toMatchObject({ amount: "13338.60", currency: "KES", payment_methods: ["airtime"] });
  expect(await api.charge(made.charge_id)).toMatchObject({
    payment_method: null,
    exchange_rate: "129",
    settlement_amount: "12900.00",
    fees: { total_fee: "438.60" },
  });
  okBody(await api.put("/_sandbox/rates", { KES: "200" }));
  await api.advance({ by: "30m" });
  const paid = okBody(await pay(api, made.checkout_id, { payment_method: "airtime" }));
  expect(paid).toMatchObject({ status: "AWAITING_PAYMENT", amount: "13338.60", exchange_rate: "129" });
});

it("a checkout with only one method is refused when its price is zero", async () => {
  const api = await openAirtime();
  const pricing = { base_currency: "BTC", amount: "0.00000001" };
  okBody(await api.put("/_sandbox/rates", { KES: "0.001" }));
  const before = stateOf(api);
  expectInvalid(await tryCheckout(api, { ...AIRTIME, pricing }), "pricing.amount");
  expect(stateOf(api)).toBe(before);
});

it("a checkout with several methods or currencies has no price until the customer selects one", async () => {
  const api = await openAirtime();
  for (const payment_methods of [["bank_transfer"], undefined]) {
    const made = await checkout(api, { ...AIRTIME, payment_methods });
    expect(made).toMatchObject({ amount: "100.00", currency: "USD" });
    expect(await api.charge(made.charge_id)).toMatchObject({ fees: null, settlement_amount: null });
  }
});

it("POST /_sandbox/checkouts/{id}/pay selects a method and returns instructions [R17.3]", async ({ api }) => {
  const { checkout_id, charge_id } = await checkout(api);
  await api.advance({ by: "10s" });
  const answer = await pay(api, checkout_id, MOBILE);
  expect(okBody(answer)).toMatchObject({
    charge_id,
    checkout_id,
    status: "AWAITING_PAYMENT",
    payment_method: "mobile_money",
    payment_rail: "simba_pesa",
    currency: "KES",
    // 25 × 129, and 1.0 % + 1.5 % of the product.
    settlement_amount: "3225.00",
    fees: { total_fee: "80.63", fee_breakdown: { platform_fee: "32.25", gateway_fee: "48.38" } },
    amount: "3305.63",
    exchange_rate: "129",
    payment_instructions: { type: "mobile_money", provider: "SimbaPesa Sandbox" },
    expires_at: later(3600),
    updated_at: later(10),
    status_history: [
      { status: "PENDING", at: START },
      { status: "AWAITING_PAYMENT", at: later(10) },
    ],
  });
  expect(answer.text).toBe((await api.get(`/api/v1/payments/charges/${charge_id}`)).text);
  expect(eventTypes(api)).toEqual(["charge.awaiting_payment"]);
});

it("POST /_sandbox/checkouts/{id}/pay starts the scenario's timeline", async ({ api }) => {
  const { checkout_id, charge_id } = await checkout(api);
  await api.advance({ by: "30m" });
  okBody(await pay(api, checkout_id));
  await api.advance({ by: "10s" });
  const { status_history } = await api.charge(charge_id);
  expect(status_history.map((one) => [one.status, one.at])).toEqual([
    ["PENDING", START],
    ["AWAITING_PAYMENT", later(1800)],
    ["PROCESSING", later(1803)],
    ["COMPLETED", later(1805)],
  ]);
});

it.for([
  ["the request header", {}, { "sandbox-scenario": "declined" }],
  ["metadata.sandbox_scenario", { metadata: { sandbox_scenario: "declined" } }, {}],
  ["a magic customer", { customer_email: "declined@shop.test" }, {}],
] as const)(
  "POST /_sandbox/checkouts/{id}/pay uses the scenario of %s of the checkout",
  async ([_, body, headers], { api }) => {
    const { checkout_id, charge_id } = await checkout(api, body, headers as Record<string, string>);
    okBody(await pay(api, checkout_id));
    await api.advance({ by: "1m" });
    expect((await api.charge(charge_id)).status).toBe("FAILED");
  },
);

it("POST /_sandbox/checkouts/{id}/pay uses the base currency if the method supports it", async ({ api }) => {
  const one = await checkout(api);
  const { phone_number } = MOBILE;
  expect(okBody(await pay(api, one.checkout_id))).toMatchObject({ currency: "USD", exchange_rate: "1" });
  const two = await checkout(api);
  const paid = okBody(await pay(api, two.checkout_id, { payment_method: "mobile_money", phone_number }));
  expect(paid).toMatchObject({ currency: "NGN", exchange_rate: "1550", settlement_amount: "38750.00" });
});

it("POST /_sandbox/checkouts/{id}/pay settles the exact local price [R5.5]", async ({ api }) => {
  const pricing = { ...USD_25, local_pricing: { KES: "3000.00" } };
  const one = await checkout(api, { pricing });
  expect(okBody(await pay(api, one.checkout_id, MOBILE))).toMatchObject({
    settlement_amount: "3000.00",
    amount: "3075.00",
  });
  const two = await checkout(api, { pricing });
  expect(okBody(await pay(api, two.checkout_id, { ...MOBILE, currency: "GHS" }))).toMatchObject({
    settlement_amount: "310.00",
  });
});

it.for([
  ["payment_method", {}],
  ["payment_method", { payment_method: "ussd" }],
  ["payment_method", { payment_method: 5 }],
  ["currency", { payment_method: "card", currency: "TZS" }],
  ["currency", { payment_method: "crypto", currency: "USD" }],
  ["currency", { payment_method: "card", currency: "usd" }],
  ["phone_number", { payment_method: "mobile_money", currency: "KES" }],
  ["phone_number", { ...MOBILE, phone_number: "0700000001" }],
  ["bank_account_number", { payment_method: "bank_transfer", bank_account_number: "" }],
] as const)(
  "POST /_sandbox/checkouts/{id}/pay refuses %s, and a later call succeeds: %j",
  async ([field, body], { api }) => {
    const { checkout_id } = await checkout(api);
    const before = stateOf(api);
    expectInvalid(await pay(api, checkout_id, body), field);
    expect(stateOf(api)).toBe(before);
    expect((await pay(api, checkout_id)).status).toBe(200);
  },
);

it("POST /_sandbox/checkouts/{id}/pay refuses a price of zero", async ({ api }) => {
  const { checkout_id } = await checkout(api, { pricing: { base_currency: "NGN", amount: "0.01" } });
  expectInvalid(await pay(api, checkout_id, { payment_method: "card", currency: "USD" }), "currency");
});

it("POST /_sandbox/checkouts/{id}/pay returns 409 once a method is selected", async ({ api }) => {
  for (const to of [undefined, "FAILED", "CANCELLED", "EXPIRED"]) {
    const { checkout_id, charge_id } = await checkout(api);
    okBody(to === undefined ? await pay(api, checkout_id) : await api.transition(charge_id, { to }));
    const before = stateOf(api);
    expectError(await pay(api, checkout_id), 409, "INVALID_TRANSITION", []);
    expect(stateOf(api)).toBe(before);
  }
});

it("POST /_sandbox/checkouts/{id}/pay returns 409 after expiry", async ({ api }) => {
  const { checkout_id, charge_id } = await checkout(api, { expires_in_minutes: 1 });
  await api.advance({ by: "1m" });
  expectError(await pay(api, checkout_id), 409, "INVALID_TRANSITION", []);
  expect((await api.charge(charge_id)).status).toBe("EXPIRED");
});

it("POST /_sandbox/checkouts/{id}/pay returns 409 for a whitelabel checkout", async ({ api }) => {
  expectError(await pay(api, (await api.pay()).checkout_id), 409, "INVALID_TRANSITION", []);
});

it("POST /_sandbox/checkouts/{id}/pay does not extend the expiry", async () => {
  const api = await openApi({ scenario: "expired" });
  const { checkout_id, charge_id } = await checkout(api, { expires_in_minutes: 10 });
  await api.advance({ by: "9m" });
  okBody(await pay(api, checkout_id));
  await api.advance({ by: "1m" });
  expect((await api.charge(charge_id)).status).toBe("EXPIRED");
});

it("POST /_sandbox/checkouts/{id}/cancel cancels the charge and sends an event [R17.7]", async ({ api }) => {
  const { checkout_id, charge_id } = await checkout(api);
  const answer = await cancel(api, checkout_id);
  expect(okBody(answer)).toMatchObject({
    status: "CANCELLED",
    failure_reason: null,
    status_history: [
      { status: "PENDING", at: START },
      { status: "CANCELLED", at: START, reason: "cancelled_by_customer" },
    ],
  });
  expect(answer.text).toBe((await api.get(`/api/v1/payments/charges/${charge_id}`)).text);
  expect(eventTypes(api)).toEqual(["charge.cancelled"]);
});

it("POST /_sandbox/checkouts/{id}/cancel stops a payment in progress", async ({ api }) => {
  const { checkout_id, charge_id } = await checkout(api);
  okBody(await pay(api, checkout_id));
  okBody(await cancel(api, checkout_id));
  expect(okBody(await api.advance({ until: "idle" })).fired_total).toBe(0);
  expect((await api.charge(charge_id)).status).toBe("CANCELLED");
});

it("POST /_sandbox/checkouts/{id}/cancel cancels a whitelabel checkout", async ({ api }) => {
  const { checkout_id, charge_id } = await api.pay();
  okBody(await cancel(api, checkout_id));
  expect((await api.charge(charge_id)).status).toBe("CANCELLED");
});

it.for(["PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"])(
  "POST /_sandbox/checkouts/{id}/cancel returns 409 for a charge that is %s",
  async (to, { api }) => {
    const { checkout_id, charge_id } = await checkout(api);
    if (to === "PROCESSING" || to === "COMPLETED") okBody(await pay(api, checkout_id));
    okBody(await api.transition(charge_id, { to }));
    expectError(await cancel(api, checkout_id), 409, "INVALID_TRANSITION", ["status"]);
  },
);

const MONEY = ["amount", "currency", "fees", "exchange_rate", "settlement_amount", "payment_rail"] as const;

it.for(["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"])(
  "a transition to %s selects the first offered method",
  async (to, { api }) => {
    const body = { payment_methods: ["card", "crypto"] };
    const [moved, picked] = [await checkout(api, body), await checkout(api, body)];
    const byHand = okBody(await api.transition(moved.charge_id, { to }));
    const byCustomer = okBody(await pay(api, picked.checkout_id, { payment_method: "card" }));
    for (const field of MONEY) expect([field, byHand[field]]).toEqual([field, byCustomer[field]]);
    expect(byHand).toMatchObject({
      status: to,
      payment_method: "card",
      payment_instructions: { type: "card", reference: byHand.provider_reference },
      status_history: [{ status: "PENDING" }, { status: to }],
    });
    expect(eventTypes(api).slice(0, 1)).toEqual([`charge.${to.toLowerCase()}`]);
  },
);

it("a transition to COMPLETED settles a checkout without a method", async ({ api }) => {
  const { charge_id } = await checkout(api);
  const charge = okBody(await api.transition(charge_id, { to: "COMPLETED" }));
  expect(charge).toMatchObject({ amount: "25.38", settlement_amount: "25.00", settled_at: START });
  const { body } = await api.get<{ balances: object[] }>("/api/v1/accounts/balances");
  expect(body.balances).toContainEqual({
    currency: "USD",
    available_balance: "25.00",
    pending_balance: "0.00",
  });
});

it("a transition of a checkout uses its quote until the lock ends", async ({ api }) => {
  const { quote_id, amount } = await api.quote({
    pricing: USD_25,
    payment_method: "mobile_money",
    to_currency: "KES",
  });
  const [inTime, tooLate] = [await checkout(api, { quote_id }), await checkout(api, { quote_id })];
  okBody(await api.put("/_sandbox/rates", { KES: "200" }));
  expect(okBody(await api.transition(inTime.charge_id, { to: "COMPLETED" }))).toMatchObject({
    payment_method: "mobile_money",
    currency: "KES",
    amount,
  });
  await api.advance({ by: "10m" });
  expect(okBody(await api.transition(tooLate.charge_id, { to: "COMPLETED" }))).toMatchObject({
    payment_method: "mobile_money",
    currency: "KES",
    settlement_amount: "5000.00",
  });
});

it("a late payment without a method has the price of the checkout's quote", async ({ api }) => {
  const { quote_id, amount } = await api.quote({
    pricing: USD_25,
    payment_method: "mobile_money",
    to_currency: "KES",
  });
  const { charge_id } = await checkout(api, { quote_id });
  okBody(await api.put("/_sandbox/rates", { KES: "200" }));
  await api.advance({ by: "1h" });
  expect(okBody(await api.transition(charge_id, { to: "COMPLETED" }))).toMatchObject({
    payment_method: "mobile_money",
    payment_instructions: { type: "mobile_money" },
    amount,
    settlement_amount: "3225.00",
  });
});

it("a transition of a checkout skips methods with a price of zero", async ({ api }) => {
  const pricing = { base_currency: "BTC", amount: "0.00000001" };
  const made = await checkout(api, { pricing, payment_methods: ["bank_transfer", "crypto"] });
  const none = await checkout(api, { pricing, payment_methods: ["bank_transfer"] });
  expect(okBody(await api.transition(made.charge_id, { to: "COMPLETED" }))).toMatchObject({
    payment_method: "crypto",
    currency: "BTC",
  });
  const before = stateOf(api);
  expectError(await api.transition(none.charge_id, { to: "COMPLETED" }), 409, "INVALID_TRANSITION");
  expect(stateOf(api)).toBe(before);
});

it("a transition of a checkout ends its timeline", async ({ api }) => {
  const { charge_id } = await checkout(api, {}, { "sandbox-scenario": "declined" });
  okBody(await api.transition(charge_id, { to: "AWAITING_PAYMENT" }));
  const { body } = await api.get(`/_sandbox/charges/${charge_id}`);
  expect(body).toMatchObject({ sandbox: { scenario: "declined", timeline: [{}, {}, {}] } });
  await api.advance({ by: "30m" });
  expect((await api.charge(charge_id)).status).toBe("AWAITING_PAYMENT");
});

it.for(["FAILED", "CANCELLED", "EXPIRED"])(
  "a transition to %s needs no payment method",
  async (to, { api }) => {
    const { charge_id } = await checkout(api);
    expect(okBody(await api.transition(charge_id, { to }))).toMatchObject({
      status: to,
      payment_method: null,
      fees: null,
      payment_instructions: null,
    });
  },
);

it("a checkout without a method can be paid after expiry, but not after cancellation", async ({ api }) => {
  const [late, cancelled] = [await checkout(api), await checkout(api)];
  okBody(await cancel(api, cancelled.checkout_id));
  await api.advance({ by: "1h" });
  expect(okBody(await api.transition(late.charge_id, { to: "COMPLETED" }))).toMatchObject({
    payment_method: "bank_transfer",
    status_history: [{ status: "PENDING" }, { status: "EXPIRED" }, { status: "COMPLETED" }],
  });
  expectError(await api.transition(cancelled.charge_id, { to: "COMPLETED" }), 409, "INVALID_TRANSITION");
  expect(await api.charge(cancelled.charge_id)).toMatchObject({ payment_method: null, fees: null });
});

const until = (api: Api, id: string, status: string) =>
  api.post<Charge>(`/_sandbox/charges/${id}/advance`, { until: status });
const statusesOf = async (api: Api, id: string) =>
  (await api.charge(id)).status_history.map(({ status }) => status);

it("POST next selects a method before it advances to the status", async ({ api }) => {
  const { charge_id } = await checkout(api, {}, { "sandbox-scenario": "declined" });
  expect(okBody(await until(api, charge_id, "FAILED"))).toMatchObject({
    status: "FAILED",
    payment_method: "bank_transfer",
  });
  expect(await statusesOf(api, charge_id)).toEqual(["PENDING", "AWAITING_PAYMENT", "PROCESSING", "FAILED"]);
});

it("POST next can only expire a checkout whose methods have no price", async ({ api }) => {
  const { charge_id } = await checkout(api);
  const before = stateOf(api);
  expectError(await until(api, charge_id, "REFUNDED"), 409, "INVALID_TRANSITION");
  expect(stateOf(api)).toBe(before);
  expect(okBody(await until(api, charge_id, "EXPIRED"))).toMatchObject({ payment_method: null });
  expectError(await until(api, charge_id, "COMPLETED"), 409, "INVALID_TRANSITION");
});
