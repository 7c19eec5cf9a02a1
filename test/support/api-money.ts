/**
 * The contract's arithmetic a second time, in whole numbers and fractions only, to hold the service against:
 * no code of src, and no decimal library.
 */
interface Fraction {
  readonly above: bigint;
  readonly below: bigint;
}

export const RATES: Readonly<Record<string, string>> = {
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

/** Platform and gateway, in tenths of a percent. */
const FEES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  bank_transfer: [10n, 5n],
  mobile_money: [10n, 15n],
  card: [10n, 24n],
  crypto: [5n, 5n],
};

export const METHOD_CURRENCIES: Readonly<Record<string, readonly string[]>> = {
  bank_transfer: ["USD", "NGN", "GHS", "KES", "ZAR"],
  mobile_money: ["NGN", "GHS", "KES", "TZS", "UGX"],
  card: ["USD", "NGN", "GHS", "KES", "ZAR"],
  crypto: ["USDT_TRC20", "USDT_ERC20", "BTC", "ETH"],
};

function fraction(text: string): Fraction {
  const [whole, part = ""] = text.split(".");
  return { above: BigInt(whole + part), below: 10n ** BigInt(part.length) };
}

function times(a: Fraction, b: Fraction): Fraction {
  return { above: a.above * b.above, below: a.below * b.below };
}

function over(a: Fraction, b: Fraction): Fraction {
  return { above: a.above * b.below, below: a.below * b.above };
}

/** To the nearest whole number; halves go up. */
function rounded({ above, below }: Fraction): bigint {
  return (2n * above + below) / (2n * below);
}

function text(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, "0");
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function units(value: Fraction, decimals: number): bigint {
  return rounded(times(value, { above: 10n ** BigInt(decimals), below: 1n }));
}

/** The amount with that many decimals, rounded half-up. */
export function fixed(amount: string, decimals: number): string {
  return text(units(fraction(amount), decimals), decimals);
}

/** The quotient of two rates to 12 significant digits, half-up, without zeros at the end. */
export function exchangeRate(from: string, to: string): string {
  if (from === to) return "1";
  const quotient = over(fraction(RATES[to]!), fraction(RATES[from]!));
  for (let decimals = 0; ; decimals++) {
    const digits = units(quotient, decimals);
    if (digits >= 10n ** 11n || decimals === 40) {
      // One too many digits before the point do not occur with these rates.
      const plain = text(digits, decimals);
      return plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain;
    }
  }
}

export interface ExpectedPrice {
  exchange_rate: string;
  settlement_amount: string;
  fees: { total_fee: string; fee_breakdown: { platform_fee: string; gateway_fee: string } };
  amount: string;
}

export function expectedPrice(
  amount: string,
  from: string,
  to: string,
  method: string,
  local?: string,
): ExpectedPrice {
  const decimals = DECIMALS[to]!;
  const exchange_rate = exchangeRate(from, to);
  const settled = units(
    local === undefined ? times(fraction(amount), fraction(exchange_rate)) : fraction(local),
    decimals,
  );
  const [platformPart, gatewayPart] = FEES[method]!;
  const platform = rounded({ above: settled * platformPart, below: 1000n });
  const gateway = rounded({ above: settled * gatewayPart, below: 1000n });
  return {
    exchange_rate,
    settlement_amount: text(settled, decimals),
    fees: {
      total_fee: text(platform + gateway, decimals),
      fee_breakdown: { platform_fee: text(platform, decimals), gateway_fee: text(gateway, decimals) },
    },
    amount: text(settled + platform + gateway, decimals),
  };
}

export function sum(amounts: readonly string[], decimals: number): string {
  return text(
    amounts.reduce((total, amount) => total + units(fraction(amount), decimals), 0n),
    decimals,
  );
}

/** Σ amount ÷ rate as one fraction, rounded once, in US dollars. */
export function totalUsd(holdings: readonly (readonly [currency: string, amount: string])[]): string {
  let total: Fraction = { above: 0n, below: 1n };
  for (const [currency, amount] of holdings) {
    const part = over(fraction(amount), fraction(RATES[currency]!));
    total = {
      above: total.above * part.below + part.above * total.below,
      below: total.below * part.below,
    };
  }
  return text(units(total, 2), 2);
}
