import { expect } from "vitest";
import { type Api, expectInvalid, KES_ORDER, later, okBody, openApi, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const GONE = "Quote expired or not found. Please get a new quote.";
const BANK_ORDER = {
  pricing: { base_currency: "NGN", amount: "1000.00" },
  payment_method: "bank_transfer",
  customer_email: "ada@shop.test",
  bank_account_number: "0123456789",
  phone_number: undefined,
};
const CARD_ORDER = { ...KES_ORDER, payment_method: "card", phone_number: undefined };
const CRYPTO_ORDER = {
  pricing: { base_currency: "USDT_TRC20", amount: "25" },
  payment_method: "crypto",
  phone_number: undefined,
};

/** Sends a valid checkout with these changes. */
const tryWith = async (api: Api, changes: object) =>
  api.tryWhitelabel({ ...(await api.checkoutBody()), ...changes });

it("POST whitelabel returns exactly the documented fields [R1.4 R6.1 R18.1 R22.1]", async ({ api }) => {
  expect(await api.pay()).toEqual({
    checkout_id: expect.stringMatching(/^\S+$/),
    charge_id: expect.stringMatching(/^\S+$/),
    status: "PENDING",
    amount: "512.50",
    currency: "KES",
    payment_method: "mobile_money",
    payment_provider: null,
    provider_reference: expect.stringMatching(/^\S+$/),
    payment_instructions: expect.any(Object),
    expires_at: later(3600),
    created_at: START,
  });
});

it("POST whitelabel returns the quote's amount, with fees [R6.4]", async ({ api }) => {
  const quote = await api.quote({
    ...KES_ORDER,
    pricing: { base_currency: "USD", amount: "10" },
    to_currency: "UGX",
  });
  const paid = await api.whitelabel({
    ...KES_ORDER,
    pricing: { base_currency: "USD", amount: "10" },
    quote_id: quote.quote_id,
  });
  expect([paid.amount, paid.currency]).toEqual([quote.amount, "UGX"]);
});

it("POST whitelabel returns bank, account and reference for a bank transfer [R6.6 R7.2]", async () => {
  const paid = await (await openApi()).pay(BANK_ORDER);
  expect(paid.payment_instructions).toEqual({
    type: "bank_transfer",
    bank_name: expect.stringMatching(/./),
    account_number: expect.stringMatching(/^\d+$/),
    account_name: expect.stringMatching(/./),
    reference: paid.provider_reference,
    instructions: expect.stringContaining(paid.provider_reference),
  });
});

it("POST whitelabel returns operator, number and reference for mobile money [R7.3]", async () => {
  const paid = await (await openApi()).pay();
  expect(paid.payment_instructions).toEqual({
    type: "mobile_money",
    provider: expect.stringMatching(/./),
    phone_number: expect.stringMatching(/^\+254\d+$/),
    reference: paid.provider_reference,
    instructions: expect.stringContaining(paid.provider_reference),
  });
});

it("POST whitelabel returns the operator of the requested rail [R7.3]", async ({ api }) => {
  const pricing = { base_currency: "GHS", amount: "10" };
  const quote = await api.quote({ pricing, payment_method: "mobile_money", payment_rail: "accra_money" });
  const body = { ...KES_ORDER, pricing, quote_id: quote.quote_id };
  const paid = await api.whitelabel({ ...body, payment_rail: "accra_money" });
  expect(paid.payment_instructions.provider).toBe("Accra Money Sandbox");
  // Without a rail in the request, the quote's rail is used.
  expect((await api.whitelabel(body)).payment_instructions.provider).toBe("Accra Money Sandbox");
});

it.for([
  ["USDT_TRC20", "TRC20", "USDT", "25.250000"],
  ["USDT_ERC20", "ERC20", "USDT", "25.250000"],
  ["BTC", "BTC", "BTC", "25.25000000"],
  ["ETH", "ETH", "ETH", "25.25000000"],
] as const)(
  "POST whitelabel returns wallet, network and asset for %s [R4.2 R7.4 R22.19]",
  async ([base_currency, network, asset, amount], { api }) => {
    const pricing = { base_currency, amount: "25" };
    const quote = await api.quote({ pricing, payment_method: "crypto" });
    const paid = await api.whitelabel({
      pricing,
      payment_method: "crypto",
      customer_email: "ada@shop.test",
      quote_id: quote.quote_id,
    });
    expect(paid.payment_instructions).toEqual({
      type: "crypto",
      network,
      wallet_address: quote.wallet_address,
      amount,
      currency: asset,
      reference: paid.provider_reference,
      instructions: expect.stringContaining(quote.wallet_address ?? "?"),
    });
    expect(quote.network).toBe(network);
  },
);

it("POST whitelabel returns reference and instructions for a card", async () => {
  const paid = await (await openApi()).pay(CARD_ORDER);
  expect(paid.payment_instructions).toEqual({
    type: "card",
    reference: paid.provider_reference,
    instructions: expect.stringContaining(paid.provider_reference),
  });
});

it("POST whitelabel returns PENDING even when the charge completes at once [R6.3 R17.2]", async () => {
  const api = await openApi({ scenario: "instant" });
  const paid = await api.pay();
  expect(paid.status).toBe("PENDING");
  expect((await api.charge(paid.charge_id)).status).toBe("COMPLETED");
});

/** Operations that accept a quote. */
const CALLS = ["/api/v1/payments/whitelabel", "/api/v1/payments/checkouts"];

it("a quote is valid for less than 30 s [R22.8 R22.22 R30.3]", async ({ api }) => {
  const body = await api.checkoutBody();
  await api.advance({ by: "29.999s" });
  for (const call of CALLS) expect((await api.post(call, body)).status).toBe(200);
  await api.advance({ by: "1ms" });
  for (const call of CALLS) {
    const late = await api.post(call, body);
    expectInvalid(late, "quote_id");
    expect(late.details.quote_id).toBe(GONE);
    expect(late.error.message).toBe("Invalid request parameters");
  }
});

it("a quote can be used repeatedly until it expires", async ({ api }) => {
  const body = await api.checkoutBody();
  await api.whitelabel(body);
  await api.advance({ by: "20s" });
  expect((await api.tryWhitelabel(body)).status).toBe(200);
});

it("an unknown quote is refused as expired [R1.12 R22.22 R29.8]", async ({ api }) => {
  const body = await api.checkoutBody();
  for (const call of CALLS)
    for (const answer of [
      await api.post(call, { ...body, quote_id: "qt_unknown" }),
      await api.post(call, { ...body, quote_id: "" }),
      await api.post(call, { ...body, quote_id: "__proto__" }),
      await api.as("sk_test_other").post(call, body),
      await api.as("sk_live_sandbox").post(call, body),
    ]) {
      expectInvalid(answer, "quote_id");
      expect(answer.details.quote_id).toBe(GONE);
    }
});

it("a quote keeps its price when rates change [R1.5 R11.3]", async ({ api }) => {
  const order = { pricing: { base_currency: "USD", amount: "10" }, to_currency: "KES" };
  const quote = await api.quote({ ...KES_ORDER, ...order });
  expect((await api.put("/_sandbox/rates", { KES: "200" })).status).toBe(200);
  const { charge_id } = await api.whitelabel({ ...KES_ORDER, ...order, quote_id: quote.quote_id });
  expect(await api.charge(charge_id)).toMatchObject({
    amount: quote.amount,
    exchange_rate: "129",
    settlement_amount: "1290.00",
    fees: quote.fees,
  });
  expect((await api.quote({ ...KES_ORDER, ...order })).settlement_amount).toBe("2000.00");
});

it.for([
  ["payment_method", { payment_method: "card" }],
  ["payment_method", { payment_method: "bank_transfer", bank_account_number: "1" }],
  ["payment_rail", { payment_rail: "nairobi_money" }],
  ["payment_rail", { payment_rail: "nowhere" }],
  ["pricing", { pricing: { base_currency: "KES", amount: "500.01" } }],
  ["pricing", { pricing: { base_currency: "NGN", amount: "500.00" } }],
  ["pricing", { pricing: { base_currency: "USD", amount: "500.00", local_pricing: { KES: "500.00" } } }],
] as const)(
  "refuses a %s that differs from the quote: %j [R11.4 R22.10 R22.23 R29.9]",
  async ([field, change], { api }) => {
    const answer = await tryWith(api, { ...change });
    expectInvalid(answer, field);
    expect(answer.error.message).toBe("Invalid request parameters");
  },
);

it("reports all differences from the quote together", async ({ api }) => {
  const answer = await api.tryWhitelabel({
    ...(await api.checkoutBody()),
    payment_method: "card",
    payment_rail: "card_kes",
    pricing: { base_currency: "KES", amount: "1.00" },
  });
  expectInvalid(answer, "payment_method", "payment_rail", "pricing");
});

it("a price that differs from the quote is refused with the price of the quote", async ({ api }) => {
  const body = await api.checkoutBody();
  const answer = await api.tryWhitelabel({ ...body, pricing: { base_currency: "KES", amount: "1.00" } });
  expectInvalid(answer, "pricing");
  expect(answer.error.details?.pricing).toBe("does not match the quote, which is for 500.00 KES");
});

it("500 and 500.00 are not a difference from the quote", async ({ api }) => {
  const body = await api.checkoutBody();
  for (const amount of ["500", "500.0"])
    expect((await api.tryWhitelabel({ ...body, pricing: { base_currency: "KES", amount } })).status).toBe(
      200,
    );
});

it("the order of local_pricing is not a difference from the quote", async ({ api }) => {
  const pricing = { base_currency: "USD", amount: "10", local_pricing: { KES: "1300", NGN: "16000.00" } };
  const body = await api.checkoutBody({ pricing, to_currency: "KES" });
  const again = { base_currency: "USD", amount: "10.00", local_pricing: { NGN: "16000", KES: "1300.00" } };
  expect((await api.tryWhitelabel({ ...body, pricing: again })).status).toBe(200);
  for (const local_pricing of [undefined, {}, { KES: "1300" }, { KES: "1301", NGN: "16000" }])
    expectInvalid(await api.tryWhitelabel({ ...body, pricing: { ...pricing, local_pricing } }), "pricing");
});

it("compares the quote only when the fields are valid", async ({ api }) => {
  const body = { ...(await api.checkoutBody()), payment_method: "card" };
  expectInvalid(
    await api.tryWhitelabel({ ...body, quote_id: "qt_unknown", customer_email: "x" }),
    "customer_email",
  );
  const pricing = { base_currency: "kes", amount: "500.00" };
  expectInvalid(await api.tryWhitelabel({ ...body, pricing }), "pricing.base_currency");
  expectInvalid(await api.tryWhitelabel({ ...body, quote_id: "qt_unknown" }), "quote_id");
  expectInvalid(await api.tryWhitelabel(body), "payment_method");
});

it.for([
  [["pricing", "customer_email", "quote_id", "payment_method"], {}],
  [["pricing.amount", "pricing.base_currency"], { ...KES_ORDER, quote_id: "q", pricing: {} }],
] as const)(
  "POST whitelabel requires the fields %j [R1.4 R5.1 R22.4 R22.5 R22.7 R22.9 R22.20]",
  async ([fields, body], { api }) => {
    const answer = await api.tryWhitelabel(body);
    expectInvalid(answer, ...fields);
    for (const field of fields) expect(answer.details[field]).toBe("is required");
  },
);

it.for(["+254712345678", "254712345678", "+447911123456", "2348012345678", "27821234567", "12025550123"])(
  "phone_number %s has a country code, with or without a plus [R22.12]",
  async (phone_number, { api }) => {
    const { payment_instructions } = await api.pay({ phone_number });
    const international = phone_number.startsWith("+") ? phone_number : `+${phone_number}`;
    expect(payment_instructions.instructions).toContain(`from ${international} with`);
  },
);

it("phone_number is required only for mobile money [R22.11 R22.19]", async ({ api }) => {
  const { phone_number: _, ...body } = await api.checkoutBody();
  expectInvalid(await api.tryWhitelabel(body), "phone_number");
  expect((await api.tryWhitelabel(await api.checkoutBody(CARD_ORDER))).status).toBe(200);
  expect((await api.tryWhitelabel(await api.checkoutBody(BANK_ORDER))).status).toBe(200);
  expect((await api.tryWhitelabel(await api.checkoutBody(CRYPTO_ORDER))).status).toBe(200);
});

it("bank_account_number is required only for bank transfers [R22.13]", async ({ api }) => {
  const { bank_account_number: _, ...body } = await api.checkoutBody(BANK_ORDER);
  expectInvalid(await api.tryWhitelabel(body), "bank_account_number");
  expectInvalid(await api.tryWhitelabel({ ...body, bank_account_number: "" }), "bank_account_number");
  expectInvalid(await api.tryWhitelabel({ ...body, bank_account_number: 123 }), "bank_account_number");
});

it("reports missing fields of the method with all other errors [R22.20]", async ({ api }) => {
  expectInvalid(
    await api.tryWhitelabel({ payment_method: "mobile_money", expires_in_minutes: 0, quote_id: "q" }),
    "customer_email",
    "expires_in_minutes",
    "phone_number",
    "pricing",
  );
});

it("refuses a method that the organization has not enabled", async () => {
  const api = (await openApi()).as("sk_test_unverified");
  expectInvalid(await tryWith(api, { payment_method: "card" }), "payment_method");
});

it.each([1, 60, 1440])(
  "expires_in_minutes can be %d, and the charge expires then [R6.7 R18.4 R22.17]",
  async (minutes) => {
    const api = await openApi({ scenario: "expired" });
    const paid = await api.pay({ expires_in_minutes: minutes });
    expect(paid.expires_at).toBe(later(minutes * 60));
    await api.advance({ to: later(minutes * 60 - 0.001) });
    expect((await api.charge(paid.charge_id)).status).not.toBe("EXPIRED");
    await api.advance({ by: "1ms" });
    expect((await api.charge(paid.charge_id)).status).toBe("EXPIRED");
  },
);

it("customer_name is optional [R22.6]", async ({ api }) => {
  const named = await api.pay({ customer_name: "Ada Ọbi 李" });
  const nameless = await api.pay();
  expect((await api.charge(named.charge_id)).customer_name).toBe("Ada Ọbi 李");
  expect((await api.charge(nameless.charge_id)).customer_name).toBeNull();
});

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, "v"]));

it("metadata is returned as sent [R22.16 R26.4]", async ({ api }) => {
  const metadata = { order: "A-17", "": "empty key", unicode: "ẹ 李 👩🏽‍💻", quote: '"\\\n\u0000' };
  const { charge_id } = await api.pay({ metadata });
  expect((await api.charge(charge_id)).metadata).toEqual(metadata);
});

it("metadata is an empty object by default [R22.16]", async ({ api }) => {
  expect((await api.charge((await api.pay()).charge_id)).metadata).toEqual({});
});

it("metadata has at most 10,240 bytes of UTF-8 [R13.3 R30.6]", async ({ api }) => {
  const body = await api.checkoutBody();
  const full = { abcd: "x".repeat(5_000), efgh: "é".repeat(2_616) };
  expect((await api.tryWhitelabel({ ...body, metadata: full })).status).toBe(200);
  expectInvalid(
    await api.tryWhitelabel({ ...body, metadata: { ...full, abcd: "x".repeat(5_001) } }),
    "metadata",
  );
  expectInvalid(await api.tryWhitelabel({ ...body, metadata: { ...full, y: "" } }), "metadata");
});

it("metadata can have the key __proto__ [R13.1 R22.16]", async ({ api }) => {
  const metadata = '{"__proto__":"x","order":"A-17"}';
  const withMetadata = async (text: string) =>
    JSON.stringify(await api.checkoutBody()).replace(/}$/, `,"metadata":${text}}`);
  const { charge_id } = okBody(await api.tryWhitelabel(await withMetadata(metadata)));
  const read = async (sandbox: Api) =>
    (await sandbox.get(`/api/v1/payments/charges/${charge_id}`)).text.match(/"metadata":({.*?})/)?.[1];
  expect(await read(api)).toBe(metadata);
  await api.advance({ by: "1h" });
  const events = api.sandbox.snapshot().collections.events.map(([, { body }]) => body);
  expect(events.length).toBeGreaterThan(0);
  for (const body of events) expect(body).toContain(`"metadata":${metadata}`);
  const found = await api.get<{ total: number }>("/_sandbox/charges?metadata.__proto__=x");
  expect(okBody(found).total).toBe(1);
  const state = (await api.get("/_sandbox/state")).text;
  expect(state).toContain(metadata);
  const imported = await openApi();
  expect((await imported.send("PUT", "/_sandbox/state", state)).status).toBe(200);
  expect(await read(imported)).toBe(metadata);
  const many = JSON.stringify({ ...keys(20) }).replace("{", '{"__proto__":"x",');
  expectInvalid(await api.tryWhitelabel(await withMetadata(many)), "metadata");
});

it.each([
  ["0s", "AWAITING_PAYMENT"],
  ["1s", "PENDING"],
])("a timeline that reaches AWAITING_PAYMENT after %s returns the status %s", async (after, status) => {
  const api = await openApi({ clock: "manual" });
  const charges = [{ timeline: [{ after, to: "AWAITING_PAYMENT" }] }];
  await api.send("PUT", "/_sandbox/scenarios/first", JSON.stringify({ charges }));
  await api.send("POST", "/_sandbox/scenarios/first/activate");
  const made = await api.pay();
  expect([made.status, (await api.charge(made.charge_id)).status]).toEqual([status, status]);
});
