import fc from "fast-check";
import { expect, it } from "vitest";
import { computePrice, isSamePricing, type Pricing } from "../../src/core/domain/pricing.js";
import { amountArb, rateArb } from "../support/amounts.js";
import { DECIMALS, FEES } from "../support/contract.js";
import { priceOf } from "../support/prices.js";

const MOBILE_MONEY = { decimals: 2, platform_percent: "1.0", gateway_percent: "1.5" };
const CRYPTO = { decimals: 8, platform_percent: "0.5", gateway_percent: "0.5" };

it("calculates the documented price for any rates and local prices", () => {
  const currency = fc.constantFrom(...Object.keys(DECIMALS));
  const ordered = fc
    .tuple(currency, currency, fc.constantFrom(...Object.keys(FEES)), rateArb, rateArb)
    .chain(([base, target, method, base_rate, target_rate]) =>
      fc.tuple(amountArb(DECIMALS[base]!), fc.option(amountArb(DECIMALS[target]!))).map(([amount, local]) => {
        const local_pricing = { XXX: "1.00", ...(local === null ? {} : { [target]: local }) };
        const pricing = { base_currency: base, amount, local_pricing };
        return { pricing, target, method, rates: { [target]: target_rate, [base]: base_rate } };
      }),
    );
  fc.assert(
    fc.property(ordered, ({ pricing, target, method, rates }) => {
      const [platform_percent, gateway_percent] = FEES[method]!;
      const priced = computePrice(pricing, target, {
        base_rate: rates[pricing.base_currency]!,
        target_rate: rates[target]!,
        decimals: DECIMALS[target]!,
        platform_percent,
        gateway_percent,
      });
      expect({ ...priced, currency: target }).toEqual(priceOf(rates, pricing, target, method));
    }),
    { numRuns: 1_000 },
  );
});

it("ignores names of Object.prototype in local prices", () => {
  const terms = { base_rate: "1", target_rate: "129", ...MOBILE_MONEY };
  const pricing = { base_currency: "USD", amount: "10.00", local_pricing: {} };
  expect(computePrice(pricing, "constructor", terms).settlement_amount).toBe("1290.00");
});

it("rounds each part of the fee separately", () => {
  const terms = { base_rate: "1", target_rate: "1", ...CRYPTO, decimals: 2 };
  expect(computePrice({ base_currency: "USD", amount: "1.00" }, "USD", terms)).toEqual({
    exchange_rate: "1",
    settlement_amount: "1.00",
    fees: { total_fee: "0.02", fee_breakdown: { platform_fee: "0.01", gateway_fee: "0.01" } },
    amount: "1.02",
  });
});

it("a price uses the rounded exchange rate of its quote", () => {
  const terms = { base_rate: "1550", target_rate: "1", ...MOBILE_MONEY };
  const priced = computePrice({ base_currency: "NGN", amount: "1000000000000000.00" }, "USD", terms);
  // 10¹⁵ ÷ 1550 would be 645161290322.58.
  expect([priced.exchange_rate, priced.settlement_amount]).toEqual(["0.000645161290323", "645161290323.00"]);
});

it("a small naira amount in bitcoin has 8 decimals and no exponent", () => {
  const terms = { base_rate: "1550", target_rate: "0.000015625", ...CRYPTO };
  expect(computePrice({ base_currency: "NGN", amount: "100.00" }, "BTC", terms)).toEqual({
    exchange_rate: "0.0000000100806451613",
    settlement_amount: "0.00000101",
    fees: {
      total_fee: "0.00000002",
      fee_breakdown: { platform_fee: "0.00000001", gateway_fee: "0.00000001" },
    },
    amount: "0.00000103",
  });
});

it("a price below half a minor unit is zero", () => {
  const terms = { base_rate: "3650", target_rate: "0.000015625", ...CRYPTO };
  expect(computePrice({ base_currency: "UGX", amount: "0.01" }, "BTC", terms).settlement_amount).toBe(
    "0.00000000",
  );
});

const base: Pricing = { base_currency: "USD", amount: "10.00", local_pricing: { KES: "1.00", NGN: "2.00" } };

it("prices are equal when only the order of local prices differs", () => {
  expect(isSamePricing(base, { ...base, local_pricing: { NGN: "2.00", KES: "1.00" } })).toBe(true);
});

it.each<[string, Pricing]>([
  ["another amount", { ...base, amount: "10.01" }],
  ["another currency", { ...base, base_currency: "EUR" }],
  ["no local prices", { base_currency: "USD", amount: "10.00" }],
  ["one local price fewer", { ...base, local_pricing: { KES: "1.00" } }],
  ["a different local price", { ...base, local_pricing: { KES: "1.00", NGN: "2.01" } }],
  ["a local price in another currency", { ...base, local_pricing: { KES: "1.00", GHS: "2.00" } }],
])("prices are not equal with %s", (_, other) => {
  expect(isSamePricing(base, other)).toBe(false);
  expect(isSamePricing(other, base)).toBe(false);
});
