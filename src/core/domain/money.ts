import { Decimal as DecimalJs } from "decimal.js";

/**
 * Money is a canonical decimal string everywhere else: plain notation, exactly the currency's number of
 * decimals. Only this file computes with it. The default of decimal.js rounds at 20 significant digits;
 * amounts here may have 30 before the point, times a rate, summed over any number of payments.
 */
const Decimal = DecimalJs.clone({
  precision: 150,
  rounding: DecimalJs.ROUND_HALF_UP,
  toExpNeg: -9e15,
  toExpPos: 9e15,
});

/** Wide enough for one exact sum over eleven currencies brought to a common denominator. */
const WideDecimal = DecimalJs.clone({ precision: 1000, rounding: DecimalJs.ROUND_HALF_UP });

const RATE_SIGNIFICANT_DIGITS = 12;

/** The amount with exactly `decimals` digits after the point, rounded half-up. */
export function toCanonical(amount: string, decimals: number): string {
  if (decimalsOf(amount) === decimals && PLAIN.test(amount)) return amount;
  return new Decimal(amount).toFixed(decimals);
}

/** Without a sign, an exponent or zeros that say nothing. */
const PLAIN = /^(0|[1-9]\d*)(\.\d+)?$/;

/** A number in plain notation, exactly: JSON may hold one that JavaScript would write with an exponent. */
export function plainText(value: number): string {
  return new Decimal(value).toFixed();
}

/** How many digits stand after the point. */
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

/** Less than 0, 0 or more than 0, as `a` is smaller than, equal to or larger than `b`. */
export function compare(a: string, b: string): number {
  return new Decimal(a).comparedTo(new Decimal(b));
}

/** The exact sum, with the larger number of decimals of the two. */
export function add(a: string, b: string): string {
  const decimals = decimalsOf(a);
  if (decimals !== decimalsOf(b)) return new Decimal(a).plus(b).toFixed(Math.max(decimals, decimalsOf(b)));
  const sum = smallUnits(a) + smallUnits(b);
  return fixed(Number.isNaN(sum) ? digits(a) + digits(b) : sum, decimals);
}

/** Whether the amounts come to nothing: at most nine of them. */
export function sumToZero(amounts: readonly string[]): boolean {
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

/** Zero as the currency writes it. */
export function zero(decimals: number): string {
  return decimals === 0 ? "0" : `0.${"0".repeat(decimals)}`;
}

/** Amounts of at most so many characters, and the sum of nine of them, are whole Numbers of units, and exact. */
const SMALL_LENGTH = 15;

/** The amount in its smallest units, if it is small; else NaN. The cheapest way of all, and most amounts can go it. */
function smallUnits(amount: string): number {
  const { length } = amount;
  if (length > SMALL_LENGTH) return Number.NaN;
  const isNegative = amount.charCodeAt(0) === MINUS;
  let units = 0;
  for (let place = isNegative ? 1 : 0; place < length; place++) {
    const digit = amount.charCodeAt(place) - ZERO;
    if (digit >= 0 && digit <= 9) units = units * 10 + digit;
    else if (digit !== POINT) return Number.NaN;
  }
  return isNegative ? -units : units;
}

const MINUS = 45;
const ZERO = 48;
const POINT = 46 - ZERO;

/** Sums of equal scale are integer sums: as exact as the Decimal's, at a tenth of its cost. */
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
 * Units of the target currency for one of the base: the quotient of the two rates to 12 significant digits,
 * half-up. This very string is the multiplier.
 */
export function exchangeRate(baseRate: string, targetRate: string): string {
  return new Decimal(targetRate).dividedBy(baseRate).toSignificantDigits(RATE_SIGNIFICANT_DIGITS).toFixed();
}

/** base × rate, rounded half-up to the currency's decimals. */
export function convert(base: string, rate: string, decimals: number): string {
  return new Decimal(base).times(rate).toFixed(decimals);
}

/** `percent` hundredths of the amount, rounded half-up by itself. */
export function percentOf(amount: string, percent: string, decimals: number): string {
  return new Decimal(amount).times(percent).dividedBy(100).toFixed(decimals);
}

/**
 * The sum over currencies of amount ÷ rate, exact until the one rounding at the end. Quotients such as 1/1550 never end, so the sum is kept as one fraction.
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
