import { Decimal as DecimalJs } from "decimal.js";

/**
 * Number type of this file; no other file computes with amounts. Amounts are canonical decimal strings: plain notation,
 * exactly the currency's decimals. A precision of 150 digits suffices for the product of a rate and an amount with 30
 * digits before the point, and for sums of such products. The default of decimal.js is 20 digits.
 */
const Decimal = DecimalJs.clone({
  precision: 150,
  rounding: DecimalJs.ROUND_HALF_UP,
  toExpNeg: -9e15,
  toExpPos: 9e15,
});

/** Number type of `totalInUsd`: has enough digits for the product of the eleven rates in the default fixtures. */
const WideDecimal = DecimalJs.clone({ precision: 1000, rounding: DecimalJs.ROUND_HALF_UP });

const RATE_SIGNIFICANT_DIGITS = 12;

/** Rounds half-up to exactly `decimals` decimals. */
export function toCanonicalAmount(amount: string, decimals: number): string {
  if (decimalsOf(amount) === decimals && PLAIN.test(amount)) return amount;
  return new Decimal(amount).toFixed(decimals);
}

/** An amount without sign, exponent or leading zeros. */
const PLAIN = /^(0|[1-9]\d*)(\.\d+)?$/;

/** Writes a number exactly, without an exponent. */
export function decimalNotation(value: number): string {
  return new Decimal(value).toFixed();
}

export function decimalsOf(amount: string): number {
  const point = amount.indexOf(".");
  return point === -1 ? 0 : amount.length - point - 1;
}

export function isZero(amount: string): boolean {
  return !/[1-9]/.test(amount);
}

export function isNegative(amount: string): boolean {
  return amount.startsWith("-") && !isZero(amount);
}

/** Returns a negative number if a < b, 0 if equal, a positive number if a > b. */
export function compareAmounts(a: string, b: string): number {
  return new Decimal(a).comparedTo(new Decimal(b));
}

/** Exact sum, with the decimals of the more precise amount. */
export function add(a: string, b: string): string {
  const decimals = decimalsOf(a);
  if (decimals !== decimalsOf(b)) return new Decimal(a).plus(b).toFixed(Math.max(decimals, decimalsOf(b)));
  return fixed(digits(a) + digits(b), decimals);
}

export function isZeroSum(amounts: readonly string[]): boolean {
  return isZero(amounts.reduce(add));
}

export function negate(amount: string): string {
  if (isZero(amount)) return amount;
  return amount.startsWith("-") ? amount.slice(1) : `-${amount}`;
}

export function subtract(a: string, b: string): string {
  return add(a, negate(b));
}

export function zeroAmount(decimals: number): string {
  return decimals === 0 ? "0" : `0.${"0".repeat(decimals)}`;
}

/** Returns the amount in smallest units. Integer sums are exact, at a tenth of the cost of Decimal. */
function digits(amount: string): bigint {
  return BigInt(amount.replace(".", ""));
}

function fixed(units: bigint, decimals: number): string {
  if (decimals === 0) return units.toString();
  const negative = units < 0;
  const text = (negative ? -units : units).toString().padStart(decimals + 1, "0");
  const split = text.length - decimals;
  return `${negative ? "-" : ""}${text.slice(0, split)}.${text.slice(split)}`;
}

/** Units of the target currency per unit of the base, rounded half-up to 12 significant digits before use. */
export function exchangeRate(baseRate: string, targetRate: string): string {
  return new Decimal(targetRate).dividedBy(baseRate).toSignificantDigits(RATE_SIGNIFICANT_DIGITS).toFixed();
}

/** base × rate, rounded half-up to the currency's decimals. */
export function convertAmount(base: string, rate: string, decimals: number): string {
  return new Decimal(base).times(rate).toFixed(decimals);
}

/** amount × part ÷ whole, rounded half-up to the currency's decimals. */
export function prorateAmount(amount: string, part: string, whole: string, decimals: number): string {
  return new Decimal(amount).times(part).dividedBy(whole).toFixed(decimals);
}

/** `percent` hundredths of the amount, rounded half-up. */
export function percentOf(amount: string, percent: string, decimals: number): string {
  return new Decimal(amount).times(percent).dividedBy(100).toFixed(decimals);
}

/** Sums amount ÷ rate as one fraction, rounded once: the decimals of quotients such as 1/1550 never end. */
export function totalInUsd(holdings: Iterable<{ amount: string; rate: string }>, decimals: number): string {
  let numerator = new WideDecimal(0);
  let denominator = new WideDecimal(1);
  for (const { amount, rate } of holdings) {
    if (isZero(amount)) continue;
    numerator = numerator.times(rate).plus(denominator.times(amount));
    denominator = denominator.times(rate);
  }
  return numerator.dividedBy(denominator).toFixed(decimals);
}
