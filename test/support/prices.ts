import { DECIMALS, FEES, RATES } from "./contract.js";
import {
  decimalText,
  fraction,
  halfUp,
  minorUnits,
  over,
  plus,
  significant,
  times,
  ZERO,
} from "./fraction.js";

/** Price arithmetic with exact fractions, independent of src. */
export interface Price {
  readonly amount: string;
  readonly currency: string;
  readonly exchange_rate: string;
  readonly settlement_amount: string;
  readonly fees: { total_fee: string; fee_breakdown: { platform_fee: string; gateway_fee: string } };
}

type Rates = Readonly<Record<string, string>>;

export interface Pricing {
  readonly base_currency: string;
  readonly amount: string;
  readonly local_pricing?: Readonly<Record<string, string>>;
}

export function priceOf(rates: Rates, pricing: Pricing, to: string, method: string): Price {
  const decimals = DECIMALS[to]!;
  const from = pricing.base_currency;
  const rate = from === to ? "1" : significant(over(fraction(rates[to]!), fraction(rates[from]!)), 12);
  const local = pricing.local_pricing?.[to];
  const settled = halfUp(
    local === undefined ? times(fraction(pricing.amount), fraction(rate)) : fraction(local),
    decimals,
  );
  const part = (percent: string) =>
    halfUp(times(fraction(settled), times(fraction(percent), fraction("0.01"))), decimals);
  const [platform_fee, gateway_fee] = [part(FEES[method]![0]), part(FEES[method]![1])];
  const total = minorUnits(platform_fee, decimals) + minorUnits(gateway_fee, decimals);
  return {
    amount: decimalText(minorUnits(settled, decimals) + total, decimals),
    currency: to,
    exchange_rate: rate,
    settlement_amount: settled,
    fees: { total_fee: decimalText(total, decimals), fee_breakdown: { platform_fee, gateway_fee } },
  };
}

export function units(amount: string, currency: string): bigint {
  return minorUnits(amount, DECIMALS[currency]!);
}

/** Sum of all amounts in dollars, rounded once. */
export function inUsd(
  holdings: readonly (readonly [currency: string, units: bigint])[],
  rates: Rates = RATES,
): string {
  const parts = holdings.map(([code, amount]) =>
    over({ n: amount, d: 10n ** BigInt(DECIMALS[code]!) }, fraction(rates[code]!)),
  );
  return halfUp(parts.reduce(plus, ZERO), 2);
}
