/** Exact arithmetic with fractions of BigInt, to check the money code. */
export interface Fraction {
  readonly n: bigint;
  /** Positive. */
  readonly d: bigint;
}

export const ZERO: Fraction = { n: 0n, d: 1n };

export function fraction(text: string): Fraction {
  const [, sign, whole, , part = ""] = /^(-?)(\d+)(\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) throw new Error(`not a plain decimal: ${text}`);
  const n = BigInt(whole + part);
  return { n: sign === "-" ? -n : n, d: 10n ** BigInt(part.length) };
}

export function plus(a: Fraction, b: Fraction): Fraction {
  return { n: a.n * b.d + b.n * a.d, d: a.d * b.d };
}

export function times(a: Fraction, b: Fraction): Fraction {
  return { n: a.n * b.n, d: a.d * b.d };
}

export function over(a: Fraction, b: Fraction): Fraction {
  if (b.n <= 0n) throw new Error("the model divides by positive numbers only");
  return { n: a.n * b.d, d: a.d * b.n };
}

/** Rounds to the nearest integer, and halves away from zero. */
export function nearestInteger({ n, d }: Fraction): bigint {
  const magnitude = ((n < 0n ? -n : n) * 2n + d) / (2n * d);
  return n < 0n ? -magnitude : magnitude;
}

/** Formats minor units: `1234` with two decimals is `12.34`. */
export function decimalText(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
  const split = digits.length - decimals;
  const text = decimals === 0 ? digits : `${digits.slice(0, split)}.${digits.slice(split)}`;
  return units < 0n ? `-${text}` : text;
}

/** Parses `12.34` with two decimals as `1234`. */
export function minorUnits(text: string, decimals: number): bigint {
  const { n, d } = fraction(text);
  if (d !== 10n ** BigInt(decimals)) throw new Error(`${text} has not exactly ${decimals} decimals`);
  return n;
}

export function halfUp(value: Fraction, decimals: number): string {
  return decimalText(nearestInteger(times(value, { n: 10n ** BigInt(decimals), d: 1n })), decimals);
}

/** Rounds a positive number half up to the significant digits. */
export function significant(value: Fraction, digits: number): string {
  let exponent = value.n.toString().length - value.d.toString().length;
  if (isBelow(value, powerOfTen(exponent))) exponent--;
  const scale = digits - 1 - exponent;
  const units = nearestInteger(times(value, powerOfTen(scale)));
  const text = scale >= 0 ? decimalText(units, scale) : (units * 10n ** BigInt(-scale)).toString();
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function powerOfTen(exponent: number): Fraction {
  return exponent >= 0 ? { n: 10n ** BigInt(exponent), d: 1n } : { n: 1n, d: 10n ** BigInt(-exponent) };
}

function isBelow(a: Fraction, b: Fraction): boolean {
  return a.n * b.d < b.n * a.d;
}
