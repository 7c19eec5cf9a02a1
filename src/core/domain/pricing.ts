import type { Pricing, Quote } from "../schema/records/payment-records.js";
import { add, convertAmount, exchangeRate, percentOf, toCanonicalAmount } from "./money.js";

export type { Pricing } from "../schema/records/payment-records.js";

/** A price in the customer's currency. The customer pays `amount`: the sum of `settlement_amount` and `total_fee`. */
export type Price = Pick<Quote, "exchange_rate" | "settlement_amount" | "fees" | "amount">;

interface PricingTerms {
  readonly base_rate: string;
  readonly target_rate: string;
  readonly decimals: number;
  readonly platform_percent: string;
  readonly gateway_percent: string;
}

/**
 * Prices a base amount in the target currency (specification: Charge detail, Quote). The merchant's local price, if
 * there is one, is the settlement amount.
 */
export function computePrice(pricing: Pricing, targetCurrency: string, terms: PricingTerms): Price {
  const { decimals } = terms;
  const rate =
    pricing.base_currency === targetCurrency ? "1" : exchangeRate(terms.base_rate, terms.target_rate);
  const local = pricing.local_pricing;
  const settlement =
    local !== undefined && Object.hasOwn(local, targetCurrency)
      ? toCanonicalAmount(local[targetCurrency]!, decimals)
      : convertAmount(pricing.amount, rate, decimals);
  const platformFee = percentOf(settlement, terms.platform_percent, decimals);
  const gatewayFee = percentOf(settlement, terms.gateway_percent, decimals);
  const totalFee = add(platformFee, gatewayFee);
  return {
    exchange_rate: rate,
    settlement_amount: settlement,
    fees: { total_fee: totalFee, fee_breakdown: { platform_fee: platformFee, gateway_fee: gatewayFee } },
    amount: add(settlement, totalFee),
  };
}

export function isSamePricing(a: Pricing, b: Pricing): boolean {
  if (a.base_currency !== b.base_currency || a.amount !== b.amount) return false;
  const left = a.local_pricing ?? {};
  const right = b.local_pricing ?? {};
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}

/** Why a request's pricing is refused beside the quote that it names. */
export function pricingMismatchMessage({ base_currency, amount, local_pricing = {} }: Pricing): string {
  const local = Object.entries(local_pricing).map(([currency, price]) => `${price} ${currency}`);
  const prices = [
    `${amount} ${base_currency}`,
    ...(local.length === 0 ? [] : [`locally ${local.join(", ")}`]),
  ];
  return `does not match the quote, which is for ${prices.join(", ")}`;
}
