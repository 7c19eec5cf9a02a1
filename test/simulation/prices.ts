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
} from "../support/fraction.js";

/** The money of the interface specification and the contract once more: fractions of BigInt, nothing of src. */
export const DECIMALS: Readonly<Record<string, number>> = {
  USD: 2,
  NGN: 2,
  GHS: 2,
  KES: 2,
  TZS: 2,
  UGX: 2,
  ZAR: 2,
  USDT_TRC20: 6,
  USDT_ERC20: 6,
  BTC: 8,
  ETH: 8,
};

export const START_RATES: Readonly<Record<string, string>> = {
  USD: "1",
  NGN: "1550",
  GHS: "12.4",
  KES: "129",
  TZS: "2600",
  UGX: "3650",
  ZAR: "17.8",
  USDT_TRC20: "1",
  USDT_ERC20: "1",
  BTC: "0.000015625",
  ETH: "0.00032",
};

export const CURRENCIES: Readonly<Record<string, readonly string[]>> = {
  bank_transfer: ["USD", "NGN", "GHS", "KES", "ZAR"],
  mobile_money: ["NGN", "GHS", "KES", "TZS", "UGX"],
  card: ["USD", "NGN", "GHS", "KES", "ZAR"],
  crypto: ["USDT_TRC20", "USDT_ERC20", "BTC", "ETH"],
};

/** Platform and gateway, percent of the settlement. */
const FEES: Readonly<Record<string, readonly [string, string]>> = {
  bank_transfer: ["1.0", "0.5"],
  mobile_money: ["1.0", "1.5"],
  card: ["1.0", "2.4"],
  crypto: ["0.5", "0.5"],
};

/** How long after COMPLETED the money is available. */
export const SETTLEMENT_MS: Readonly<Record<string, number>> = {
  BTC: 2 * 600_000,
  ETH: 12 * 12_000,
  USDT_ERC20: 12 * 12_000,
  USDT_TRC20: 20 * 3_000,
};

/** Least amount of a withdrawal; a currency without one is none to be paid out in. */
export const MINIMUM: Readonly<Record<string, string>> = {
  USD: "10.00",
  NGN: "5000.00",
  GHS: "50.00",
  KES: "500.00",
  USDT_TRC20: "10.000000",
  USDT_ERC20: "50.000000",
};

export interface Price {
  readonly amount: string;
  readonly currency: string;
  readonly exchange_rate: string;
  readonly settlement_amount: string;
  readonly fees: { total_fee: string; fee_breakdown: { platform_fee: string; gateway_fee: string } };
}

export interface Pricing {
  readonly base_currency: string;
  readonly amount: string;
  readonly local_pricing?: Readonly<Record<string, string>>;
}

export function priceOf(rates: Record<string, string>, pricing: Pricing, to: string, method: string): Price {
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

export function inUsd(
  holdings: readonly (readonly [currency: string, units: bigint])[],
  rates: Record<string, string>,
): string {
  const parts = holdings.map(([code, amount]) =>
    over({ n: amount, d: 10n ** BigInt(DECIMALS[code]!) }, fraction(rates[code]!)),
  );
  return halfUp(parts.reduce(plus, ZERO), 2);
}
