import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  computePrice,
  isSamePricing,
  type Pricing,
  type PricingTerms,
} from "../../src/core/domain/pricing.js";
import { amountArb, decimalsArb, percentArb, rateArb } from "../support/amounts.js";
import { decimalText, fraction, halfUp, minorUnits, over, significant, times } from "../support/fraction.js";

/** The arithmetic of contract section 2 over again, on fractions. */
function modelPrice(pricing: Pricing, target: string, terms: PricingTerms) {
  const { decimals } = terms;
  const rate =
    pricing.base_currency === target
      ? "1"
      : significant(over(fraction(terms.target_rate), fraction(terms.base_rate)), 12);
  const settlement =
    pricing.local_pricing?.[target] ?? halfUp(times(fraction(pricing.amount), fraction(rate)), decimals);
  const part = (percent: string) =>
    halfUp(over(times(fraction(settlement), fraction(percent)), fraction("100")), decimals);
  const platform = part(terms.platform_percent);
  const gateway = part(terms.gateway_percent);
  const total = minorUnits(platform, decimals) + minorUnits(gateway, decimals);
  return {
    exchange_rate: rate,
    settlement_amount: settlement,
    fees: {
      total_fee: decimalText(total, decimals),
      fee_breakdown: { platform_fee: platform, gateway_fee: gateway },
    },
    amount: decimalText(minorUnits(settlement, decimals) + total, decimals),
  };
}

const termsArb: fc.Arbitrary<PricingTerms> = fc.record({
  base_rate: rateArb,
  target_rate: rateArb,
  decimals: decimalsArb,
  platform_percent: percentArb,
  gateway_percent: percentArb,
});

const MOBILE_MONEY = { decimals: 2, platform_percent: "1.0", gateway_percent: "1.5" };
const CRYPTO = { decimals: 8, platform_percent: "0.5", gateway_percent: "0.5" };

describe("price", () => {
  it("follows the contract's arithmetic to the last digit", () => {
    fc.assert(
      fc.property(amountArb(2), termsArb, (amount, terms) => {
        const pricing = { base_currency: "AAA", amount };
        expect(computePrice(pricing, "BBB", terms)).toEqual(modelPrice(pricing, "BBB", terms));
      }),
      { numRuns: 1_000 },
    );
  });

  it("in the base currency is the amount itself at a rate of 1", () => {
    fc.assert(
      fc.property(
        termsArb.chain((terms) => fc.tuple(fc.constant(terms), amountArb(terms.decimals))),
        ([terms, amount]) => {
          const pricing = { base_currency: "AAA", amount };
          const priced = computePrice(pricing, "AAA", terms);
          expect(priced).toEqual(modelPrice(pricing, "AAA", terms));
          expect([priced.exchange_rate, priced.settlement_amount]).toEqual(["1", amount]);
        },
      ),
    );
  });

  it("settles exactly the local price where there is one", () => {
    fc.assert(
      fc.property(
        amountArb(2),
        termsArb.chain((terms) => fc.tuple(fc.constant(terms), amountArb(terms.decimals))),
        (amount, [terms, local]) => {
          const pricing = { base_currency: "USD", amount, local_pricing: { KES: local, NGN: "1.00" } };
          const priced = computePrice(pricing, "KES", terms);
          expect(priced).toEqual(modelPrice(pricing, "KES", terms));
          expect(priced.settlement_amount).toBe(local);
        },
      ),
    );
  });

  it("pays no heed to the local price of another currency, nor to what every object has", () => {
    const terms = { base_rate: "1", target_rate: "129", ...MOBILE_MONEY };
    const plain = computePrice({ base_currency: "USD", amount: "10.00" }, "KES", terms);
    expect(
      computePrice({ base_currency: "USD", amount: "10.00", local_pricing: { NGN: "1.00" } }, "KES", terms),
    ).toEqual(plain);
    expect(
      computePrice({ base_currency: "USD", amount: "10.00", local_pricing: {} }, "constructor", terms)
        .settlement_amount,
    ).toBe("1290.00");
  });

  it("rounds each part of the fee by itself: two halves up are two cents more", () => {
    const terms = { base_rate: "1", target_rate: "1", ...CRYPTO, decimals: 2 };
    expect(computePrice({ base_currency: "USD", amount: "1.00" }, "USD", terms)).toEqual({
      exchange_rate: "1",
      settlement_amount: "1.00",
      fees: { total_fee: "0.02", fee_breakdown: { platform_fee: "0.01", gateway_fee: "0.01" } },
      amount: "1.02",
    });
  });

  it("multiplies by the very string of the exchange rate", () => {
    const terms = { base_rate: "1550", target_rate: "1", ...MOBILE_MONEY };
    const priced = computePrice({ base_currency: "NGN", amount: "1000000000000000.00" }, "USD", terms);
    // 10¹⁵ ÷ 1550 would be 645161290322.58.
    expect([priced.exchange_rate, priced.settlement_amount]).toEqual([
      "0.000645161290323",
      "645161290323.00",
    ]);
  });

  it("of a little naira in bitcoin is 8 plain decimals", () => {
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

  it("of less than half a minor unit is nothing at all", () => {
    const terms = { base_rate: "3650", target_rate: "0.000015625", ...CRYPTO };
    expect(computePrice({ base_currency: "UGX", amount: "0.01" }, "BTC", terms).settlement_amount).toBe(
      "0.00000000",
    );
  });
});

describe("same pricing", () => {
  const base: Pricing = {
    base_currency: "USD",
    amount: "10.00",
    local_pricing: { KES: "1.00", NGN: "2.00" },
  };

  it("does not depend on the order of the local prices", () => {
    expect(isSamePricing(base, { ...base, local_pricing: { NGN: "2.00", KES: "1.00" } })).toBe(true);
  });

  it.each<[string, Pricing]>([
    ["another amount", { ...base, amount: "10.01" }],
    ["another currency", { ...base, base_currency: "EUR" }],
    ["no local prices", { base_currency: "USD", amount: "10.00" }],
    ["one local price less", { ...base, local_pricing: { KES: "1.00" } }],
    ["another local price", { ...base, local_pricing: { KES: "1.00", NGN: "2.01" } }],
    ["a local price of another currency", { ...base, local_pricing: { KES: "1.00", GHS: "2.00" } }],
  ])("is not %s", (_, other) => {
    expect(isSamePricing(base, other)).toBe(false);
    expect(isSamePricing(other, base)).toBe(false);
  });
});
