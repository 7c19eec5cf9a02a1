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
  return amount.charCodeAt(0) === MINUS && !isZero(amount);
}

/** Returns a negative number if a < b, 0 if equal, a positive number if a > b. */
export function compareAmounts(a: string, b: string): number {
  return new Decimal(a).comparedTo(new Decimal(b));
}

/** Exact sum, with the decimals of the more precise amount. */
export function add(a: string, b: string): string {
  const decimals = decimalsOf(a);
  if (decimals !== decimalsOf(b)) return new Decimal(a).plus(b).toFixed(Math.max(decimals, decimalsOf(b)));
  const sum = smallUnits(a) + smallUnits(b);
  return fixed(Number.isNaN(sum) ? digits(a) + digits(b) : sum, decimals);
}

/** Returns true if the amounts sum to zero; for at most nine amounts (see `SMALL_LENGTH`). */
export function isZeroSum(amounts: readonly string[]): boolean {
  const decimals = decimalsOf(amounts[0]!);
  let sum = 0;
  for (const amount of amounts) sum += decimalsOf(amount) === decimals ? smallUnits(amount) : Number.NaN;
  return Number.isNaN(sum) ? isZero(amounts.reduce(add)) : sum === 0;
}

export function negate(amount: string): string {
  if (isZero(amount)) return amount;
  return amount.charCodeAt(0) === MINUS ? amount.slice(1) : `-${amount}`;
}

export function subtract(a: string, b: string): string {
  return add(a, negate(b));
}

export function zeroAmount(decimals: number): string {
  return decimals === 0 ? "0" : `0.${"0".repeat(decimals)}`;
}

/** Maximum length of a small amount, in characters. Nine small amounts in smallest units sum to a safe integer. */
const SMALL_LENGTH = 15;

/** Fast path for most amounts: the amount in smallest units, or NaN if it is too long. */
function smallUnits(amount: string): number {
  const { length } = amount;
  if (length > SMALL_LENGTH) return Number.NaN;
  const isNegative = amount.charCodeAt(0) === MINUS;
  let units = 0;
  for (let i = isNegative ? 1 : 0; i < length; i++) {
    const digit = amount.charCodeAt(i) - ZERO;
    if (digit >= 0 && digit <= 9) units = units * 10 + digit;
    else if (digit !== POINT) return Number.NaN;
  }
  return isNegative ? -units : units;
}

const MINUS = 45;
const ZERO = 48;
const POINT = 46 - ZERO;

/** Returns the amount in smallest units. Integer sums are exact, at a tenth of the cost of Decimal. */
function digits(amount: string): bigint {
  const point = amount.indexOf(".");
  return BigInt(point === -1 ? amount : amount.slice(0, point) + amount.slice(point + 1));
}

function fixed(units: bigint | number, decimals: number): string {
  if (decimals === 0) return units.toString();
  const negative = units < 0;
  const text = (negative ? -units : units).toString().padStart(decimals + 1, "0");
  const split = text.length - decimals;
  return `${negative ? "-" : ""}${text.slice(0, split)}.${text.slice(split)}`;
}

/**
 * Returns the units of the target currency per unit of the base, rounded half-up to 12 significant digits. Conversion
 * uses the rounded rate.
 */
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

/**
 * Sums amount ÷ rate over currencies as one fraction, because the decimals of quotients such as 1/1550 never end.
 * Rounds once.
 */
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
