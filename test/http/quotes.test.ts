import fc from "fast-check";
import { expect } from "vitest";
import { type Api, expectInvalid, later, openApi, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { DECIMALS, METHOD_CURRENCIES, RATES } from "../support/contract.js";
import { fraction, halfUp } from "../support/fraction.js";
import { priceOf } from "../support/prices.js";

const ID = /^\S+$/;

function order(base: string, amount: string, method: string, more: object = {}) {
  return { pricing: { base_currency: base, amount }, payment_method: method, ...more };
}

it("a quote has exactly the documented fields [R11.1 R25.1]", async ({ api }) => {
  expect(await api.quote(order("USD", "100", "card", { to_currency: "KES" }))).toEqual({
    quote_id: expect.stringMatching(ID),
    payment_method: "card",
    payment_rail: "card_kes",
    base_currency: "USD",
    base_amount: "100.00",
    amount: "13338.60",
    currency: "KES",
    exchange_rate: "129",
    fees: { total_fee: "438.60", fee_breakdown: { platform_fee: "129.00", gateway_fee: "309.60" } },
    settlement_amount: "12900.00",
    expires_at: later(30),
    locked_until: later(600),
    created_at: START,
  });
});

it("a crypto quote includes the wallet and its network", async ({ api }) => {
  for (const [currency, network] of [
    ["USDT_TRC20", "TRC20"],
    ["USDT_ERC20", "ERC20"],
    ["BTC", "BTC"],
    ["ETH", "ETH"],
  ]) {
    const quote = await api.quote(order("USD", "100", "crypto", { to_currency: currency }));
    expect(quote.network).toBe(network);
    expect(quote.wallet_address).toMatch(/^[A-Za-z0-9]{26,}$/);
    expect(quote.currency).toBe(currency);
  }
});

it("each quote has a new id and a new wallet", async ({ api }) => {
  const first = await api.quote(order("BTC", "1", "crypto"));
  const second = await api.quote(order("BTC", "1", "crypto"));
  expect(second.quote_id).not.toBe(first.quote_id);
  expect(second.wallet_address).not.toBe(first.wallet_address);
});

it("a quote is in the base currency by default [R25.1]", async ({ api }) => {
  const quote = await api.quote(order("GHS", "12.50", "mobile_money"));
  expect(quote).toMatchObject({ currency: "GHS", base_currency: "GHS", exchange_rate: "1" });
  expect(quote.settlement_amount).toBe("12.50");
});

it("a quote is valid for 30 s and locks its price for 10 min [R25.2 R30.4]", async ({ api }) => {
  await api.advance({ by: "1h" });
  const quote = await api.quote(order("KES", "1", "card"));
  expect(quote.created_at).toBe(later(3600));
  expect(quote.expires_at).toBe(later(3630));
  expect(quote.locked_until).toBe(later(4200));
});

it.for([
  // Rate, settlement, platform fee, gateway fee, total fee, amount.
  ["NGN 1000.00 bank_transfer NGN", "1 1000.00 10.00 5.00 15.00 1015.00"],
  ["USD 100.00 bank_transfer NGN", "1550 155000.00 1550.00 775.00 2325.00 157325.00"],
  ["USD 10.00 crypto BTC", "0.000015625 0.00015625 0.00000078 0.00000078 0.00000156 0.00015781"],
  ["KES 129.00 crypto USDT_TRC20", "0.0077519379845 1.000000 0.005000 0.005000 0.010000 1.010000"],
  ["BTC 1 bank_transfer USD", "64000 64000.00 640.00 320.00 960.00 64960.00"],
  ["BTC 0.00000001 crypto BTC", "1 0.00000001 0.00000000 0.00000000 0.00000000 0.00000001"],
  ["GHS 0.01 card GHS", "1 0.01 0.00 0.00 0.00 0.01"],
  ["GHS 0.50 card GHS", "1 0.50 0.01 0.01 0.02 0.52"],
  ["UGX 1 bank_transfer KES", "0.0353424657534 0.04 0.00 0.00 0.00 0.04"],
  // Rounds half up: 1.0 % of 0.50 and 0.5 % of 1.00 are both 0.005.
  ["NGN 0.50 bank_transfer NGN", "1 0.50 0.01 0.00 0.01 0.51"],
  ["NGN 1.00 bank_transfer NGN", "1 1.00 0.01 0.01 0.02 1.02"],
] as const)("calculates the price of %s as %s [R11.2]", async ([asked, expected], { api }) => {
  const [base = "", amount = "", method = "", to_currency] = asked.split(" ");
  const quote = await api.quote(order(base, amount, method, { to_currency }));
  const { platform_fee, gateway_fee } = quote.fees.fee_breakdown;
  const fees = [platform_fee, gateway_fee, quote.fees.total_fee];
  expect([quote.exchange_rate, quote.settlement_amount, ...fees, quote.amount].join(" ")).toBe(expected);
});

const currencies = Object.keys(DECIMALS);
const digits = (least: number, most: number) =>
  fc
    .array(fc.constantFrom(..."0123456789"), { minLength: least, maxLength: most })
    .map((all) => all.join(""));
/** Amounts from the smallest unit to 30 digits. */
const cases = fc
  .record({
    base: fc.constantFrom(...currencies),
    method: fc.constantFrom(...Object.keys(METHOD_CURRENCIES)),
    pick: fc.nat(100),
    whole: fc.oneof(fc.constant("0"), digits(0, 5), digits(0, 29)),
    part: digits(0, 8),
  })
  .map(({ base, method, pick, whole, part }) => {
    const targets = METHOD_CURRENCIES[method]!;
    const before = whole.replace(/^0+/, "") || "0";
    const after = part.slice(0, DECIMALS[base]!);
    return {
      base,
      method,
      target: targets[pick % targets.length]!,
      amount: after === "" ? before : `${before}.${after}`,
    };
  })
  .filter(({ amount }) => /[1-9]/.test(amount));

it("calculates the exact price of any amount, currency and method", async ({ api }) => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ base, method, target, amount }) => {
      const answer = await api.tryQuote(order(base, amount, method, { to_currency: target }));
      const expected = priceOf(RATES, { base_currency: base, amount }, target, method);
      if (!/[1-9]/.test(expected.settlement_amount)) expectInvalid(answer, "pricing.amount");
      else {
        expect(answer.status, answer.text).toBe(200);
        expect(answer.body).toMatchObject({
          ...expected,
          base_amount: halfUp(fraction(amount), DECIMALS[base]!),
        });
      }
    }),
    { numRuns: 500 },
  );
});

it("keeps every digit of an amount with 30 digits", async () => {
  const quote = await (await openApi()).quote(
    order("NGN", "123456789012345678901234567890.12", "bank_transfer"),
  );
  expect(quote.base_amount).toBe("123456789012345678901234567890.12");
  expect(quote.settlement_amount).toBe("123456789012345678901234567890.12");
  expect(quote.fees.fee_breakdown.platform_fee).toBe("1234567890123456789012345678.90");
  expect(quote.fees.fee_breakdown.gateway_fee).toBe("617283945061728394506172839.45");
  expect(quote.fees.total_fee).toBe("1851851835185185183518518518.35");
  expect(quote.amount).toBe("125308640847530864084753086408.47");
});

it("refuses a quote whose price in the target currency is zero", async ({ api }) => {
  const answer = await api.tryQuote(order("UGX", "0.01", "card", { to_currency: "USD" }));
  expectInvalid(answer, "pricing.amount");
  expect(answer.error.message).toBe("Invalid request parameters");
});

const local = (local_pricing: unknown, base = "USD", more: object = { to_currency: "KES" }) => ({
  pricing: { base_currency: base, amount: "10.00", local_pricing },
  payment_method: "card",
  ...more,
});

it("a local price is settled exactly in its currency [R5.5]", async () => {
  const quote = await (await openApi()).quote(local({ KES: "1234.5", NGN: "20000" }));
  expect(quote).toMatchObject(
    priceOf(
      RATES,
      { base_currency: "USD", amount: "10.00", local_pricing: { KES: "1234.5" } },
      "KES",
      "card",
    ),
  );
  expect(quote.settlement_amount).toBe("1234.50");
  expect(quote.base_amount).toBe("10.00");
});

it("a local price is ignored when the customer pays in another currency", async () => {
  const quote = await (await openApi()).quote(local({ KES: "1234.50" }, "USD", { to_currency: "GHS" }));
  expect(quote).toMatchObject(priceOf(RATES, { base_currency: "USD", amount: "10.00" }, "GHS", "card"));
});

it("local pricing can be empty [R5.3]", async () => {
  expect((await (await openApi()).tryQuote(local({}))).status).toBe(200);
});

it("local pricing is allowed only when the base currency is USD [R5.4 R30.9]", async ({ api }) => {
  expectInvalid(await api.tryQuote(local({ KES: "5.00" }, "NGN")), "pricing.local_pricing");
  expectInvalid(await api.tryQuote(local({}, "NGN")), "pricing.local_pricing");
});

it("a local price has as many decimals as its currency", async ({ api }) => {
  const quote = await api.quote({
    pricing: {
      base_currency: "USD",
      amount: "10.00",
      local_pricing: { BTC: "0.00012345", USDT_TRC20: "9.123456" },
    },
    payment_method: "crypto",
    to_currency: "BTC",
  });
  expect(quote.settlement_amount).toBe("0.00012345");
});

const at = async (api: Api, base: string, amount: unknown) =>
  api.tryQuote({
    pricing: { base_currency: base, amount },
    payment_method: base === "NGN" ? "card" : "crypto",
  });

it.each([
  ["NGN", "1", "1.00"],
  ["NGN", "0.01", "0.01"],
  ["NGN", "1.5", "1.50"],
  ["USDT_TRC20", "0.000001", "0.000001"],
  ["USDT_ERC20", "1.1", "1.100000"],
  ["BTC", "0.00000001", "0.00000001"],
  ["ETH", "3", "3.00000000"],
  ["NGN", "9".repeat(30), `${"9".repeat(30)}.00`],
  ["BTC", `${"9".repeat(30)}.99999999`, `${"9".repeat(30)}.99999999`],
])("the amount %s %s is accepted and shown as %s [R4.5 R5.2]", async (base, amount, shown) => {
  const answer = await at(await openApi(), base, amount);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.base_amount).toBe(shown);
});

const _valid = order("KES", "100.00", "mobile_money");

it("POST quotes refuses a base currency that the method does not support [R3.8]", async () => {
  expectInvalid(await (await openApi()).tryQuote(order("TZS", "100", "card")), "to_currency");
  const api = await openApi();
  expect((await api.tryQuote(order("TZS", "100", "card", { to_currency: "KES" }))).status).toBe(200);
});

it("POST quotes refuses a method that the organization has not enabled [R3.6]", async () => {
  const unverified = (await openApi()).as("sk_test_unverified");
  expectInvalid(await unverified.tryQuote(order("USD", "10", "card")), "payment_method");
  expectInvalid(await unverified.tryQuote(order("BTC", "1", "crypto")), "payment_method");
  expect((await unverified.tryQuote(order("USD", "10", "bank_transfer"))).status).toBe(200);
});

it("the default rail is the first one of the method and currency", async ({ api }) => {
  const first = await api.quote(order("GHS", "10", "mobile_money"));
  const asked = await api.quote(order("GHS", "10", "mobile_money", { payment_rail: "accra_money" }));
  expect(first.payment_rail).toBe("cedi_cash");
  expect(asked.payment_rail).toBe("accra_money");
});
