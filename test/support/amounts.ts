import fc from "fast-check";
import { decimalText } from "./fraction.js";

/** Whole numbers of minor units: mostly of the size people pay, and often of 20 to 38 digits. */
export const unitsArb: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: 0n, max: 100_000n }),
  fc
    .integer({ min: 1, max: 38 })
    .chain((digits) => fc.bigInt({ min: 10n ** BigInt(digits - 1), max: 10n ** BigInt(digits) - 1n })),
);

/** A canonical amount of a currency with so many decimals. */
export function amountArb(decimals: number): fc.Arbitrary<string> {
  return unitsArb.map((units) => decimalText(units, decimals));
}

/** The decimals currencies have: none, fiat, USDT, BTC and ETH, the most a fixtures file may ask for. */
export const decimalsArb = fc.constantFrom(0, 2, 6, 8, 18);

/** A rate as a fixtures file may have it: positive, at most 30 digits on either side of the point. */
export const rateArb: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("1", "1550", "12.4", "129", "2600", "3650", "17.8", "0.000015625", "0.00032"),
  fc
    .tuple(
      fc.integer({ min: 0, max: 30 }),
      fc.oneof(
        fc.bigInt({ min: 1n, max: 10n ** 6n }),
        fc.bigInt({ min: 1n, max: 10n ** 30n - 1n }),
        fc.bigInt({ min: 1n, max: 10n ** 60n - 1n }),
      ),
    )
    .map(([decimals, units]) => decimalText(units % 10n ** BigInt(decimals + 30) || 1n, decimals)),
);

/** A fee as a fixtures file may have it. */
export const percentArb: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("0", "0.5", "1.0", "1.5", "2.4", "12.5", "100", "999"),
  fc
    .tuple(fc.integer({ min: 0, max: 10 }), fc.bigInt({ min: 0n, max: 10n ** 13n - 1n }))
    .map(([decimals, units]) => decimalText(units % 10n ** BigInt(decimals + 3), decimals)),
);
