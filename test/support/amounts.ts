import fc from "fast-check";
import { decimalText } from "./fraction.js";

/** Amounts in minor units, some with 20 to 38 digits. */
export const unitsArb: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: 0n, max: 100_000n }),
  fc
    .integer({ min: 1, max: 38 })
    .chain((digits) => fc.bigInt({ min: 10n ** BigInt(digits - 1), max: 10n ** BigInt(digits) - 1n })),
);

export function amountArb(decimals: number): fc.Arbitrary<string> {
  return unitsArb.map((units) => decimalText(units, decimals));
}

/** Decimals of the supported currencies. */
export const decimalsArb = fc.constantFrom(0, 2, 6, 8, 18);

/** A valid exchange rate. */
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

/** A valid fee in percent. */
export const percentArb: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("0", "0.5", "1.0", "1.5", "2.4", "12.5", "100", "999"),
  fc
    .tuple(fc.integer({ min: 0, max: 10 }), fc.bigInt({ min: 0n, max: 10n ** 13n - 1n }))
    .map(([decimals, units]) => decimalText(units % 10n ** BigInt(decimals + 3), decimals)),
);
