import fc from "fast-check";
import { expect, it } from "vitest";
import {
  add,
  compareAmounts,
  convertAmount,
  decimalsOf,
  exchangeRate,
  isNegative,
  isZero,
  negate,
  percentOf,
  subtract,
  toCanonicalAmount,
  totalInUsd,
  zeroAmount,
} from "../../src/core/domain/money.js";
import { amountArb, decimalsArb, percentArb, rateArb, unitsArb } from "../support/amounts.js";
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

const PLAIN = /^-?(0|[1-9]\d*)(\.\d+)?$/;

const moneyArb = decimalsArb.chain((decimals) => amountArb(decimals).map((amount) => ({ amount, decimals })));
const signedUnitsArb = fc
  .tuple(fc.boolean(), unitsArb)
  .map(([negative, units]) => (negative ? -units : units));

it("rounds an amount half up to its currency's decimals", () => {
  fc.assert(
    fc.property(amountArb(10), decimalsArb, (amount, decimals) => {
      const canonical = toCanonicalAmount(amount, decimals);
      expect(canonical).toBe(halfUp(fraction(amount), decimals));
      expect(decimalsOf(canonical)).toBe(decimals);
    }),
  );
});

it("formatting a canonical amount again does not change it", () => {
  fc.assert(
    fc.property(moneyArb, ({ amount, decimals }) => {
      expect(toCanonicalAmount(amount, decimals)).toBe(amount);
    }),
  );
});

it.each([
  ["0.00000001", 8, "0.00000001"],
  ["0.0000001", 8, "0.00000010"],
  ["0", 8, "0.00000000"],
  ["123456789012345678901234567890.12345678", 8, "123456789012345678901234567890.12345678"],
  ["999999999999999999999999999999.99", 2, "999999999999999999999999999999.99"],
  ["5", 0, "5"],
])("formats %s with %i decimals without an exponent", (amount, decimals, canonical) => {
  expect(toCanonicalAmount(amount, decimals)).toBe(canonical);
});

it("formats zero with the currency's decimals", () => {
  expect([0, 2, 6, 8].map(zeroAmount)).toEqual(["0", "0.00", "0.000000", "0.00000000"]);
});

it("adds amounts of any length and sign exactly", () => {
  fc.assert(
    fc.property(decimalsArb, signedUnitsArb, signedUnitsArb, (decimals, a, b) => {
      const [left, right] = [decimalText(a, decimals), decimalText(b, decimals)];
      expect(add(left, right)).toBe(decimalText(a + b, decimals));
      expect(subtract(left, right)).toBe(decimalText(a - b, decimals));
    }),
  );
});

it("a sum has as many decimals as its longest term", () => {
  fc.assert(
    fc.property(signedUnitsArb, signedUnitsArb, (a, b) => {
      const [left, right] = [decimalText(a, 2), decimalText(b, 8)];
      expect(add(left, right)).toBe(decimalText(a * 10n ** 6n + b, 8));
      expect(add(right, left)).toBe(add(left, right));
    }),
  );
});

it("a sum is never negative zero", () => {
  expect(add("1.00", "-1.00")).toBe("0.00");
  expect(add("-1.00", "1.000000")).toBe("0.000000");
  expect(negate("0.00")).toBe("0.00");
  expect(subtract("0", "0")).toBe("0");
});

it("compares values with different decimals", () => {
  fc.assert(
    fc.property(signedUnitsArb, signedUnitsArb, (a, b) => {
      const difference = a * 10n ** 6n - b;
      const sign = difference === 0n ? 0 : difference < 0n ? -1 : 1;
      expect(compareAmounts(decimalText(a, 2), decimalText(b, 8))).toBe(sign);
    }),
  );
});

it("tells zero, negative and positive amounts apart", () => {
  fc.assert(
    fc.property(decimalsArb, signedUnitsArb, (decimals, units) => {
      const amount = decimalText(units, decimals);
      expect(isZero(amount)).toBe(units === 0n);
      expect(isNegative(amount)).toBe(units < 0n);
      expect(minorUnits(negate(amount), decimals)).toBe(-units);
    }),
  );
});

it("an exchange rate is rounded half up to 12 significant digits", () => {
  fc.assert(
    fc.property(rateArb, rateArb, (base, target) => {
      const rate = exchangeRate(base, target);
      expect(rate).toBe(significant(over(fraction(target), fraction(base)), 12));
      expect(rate).toMatch(PLAIN);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ["1", "1550", "1550"],
  ["1550", "1", "0.000645161290323"],
  ["3", "1", "0.333333333333"],
  ["3", "2", "0.666666666667"],
  ["1550", "0.000015625", "0.0000000100806451613"],
  ["0.000015625", "3650", "233600000"],
  ["1", "1.00000000000500", "1.00000000001"],
  ["1", "1.00000000000499", "1"],
  ["1", "999999999999.5", "1000000000000"],
  ["1", "123456789012345678", "123456789012000000"],
])("the exchange rate from %s to %s is %s", (base, target, rate) => {
  expect(exchangeRate(base, target)).toBe(rate);
});

it("a conversion is rounded half up once", () => {
  fc.assert(
    fc.property(moneyArb, rateArb, rateArb, decimalsArb, ({ amount }, from, to, decimals) => {
      const rate = exchangeRate(from, to);
      expect(convertAmount(amount, rate, decimals)).toBe(
        halfUp(times(fraction(amount), fraction(rate)), decimals),
      );
    }),
    { numRuns: 500 },
  );
});

it("a percentage is rounded half up to the currency's decimals", () => {
  fc.assert(
    fc.property(moneyArb, percentArb, ({ amount, decimals }, percent) => {
      const exact = over(times(fraction(amount), fraction(percent)), fraction("100"));
      expect(percentOf(amount, percent, decimals)).toBe(halfUp(exact, decimals));
    }),
    { numRuns: 500 },
  );
});

it.each([
  ["1.00", "0.5", 2, "0.01"],
  ["0.99", "0.5", 2, "0.00"],
  ["3.00", "0.5", 2, "0.02"],
  ["5.00", "0.5", 2, "0.03"],
  ["0.00000100", "0.5", 8, "0.00000001"],
  ["100000000000000000000000000001.00", "0.5", 2, "500000000000000000000000000.01"],
])("rounds a half up: %s × %s %% with %i decimals", (amount, percent, decimals, part) => {
  expect(percentOf(amount, percent, decimals)).toBe(part);
});

const holdingsArb = fc.array(
  fc.record({ amount: fc.oneof(amountArb(2), amountArb(6), amountArb(8)), rate: rateArb }),
  { maxLength: 11 },
);

it("a total in US dollars is rounded once, after the sum", () => {
  fc.assert(
    fc.property(holdingsArb, (holdings) => {
      let sum = ZERO;
      for (const { amount, rate } of holdings) sum = plus(sum, over(fraction(amount), fraction(rate)));
      expect(totalInUsd(holdings, 2)).toBe(halfUp(sum, 2));
    }),
    { numRuns: 300 },
  );
});

it("the total of no balances is zero", () => {
  expect(totalInUsd([], 2)).toBe("0.00");
  expect(totalInUsd([{ amount: "0.00", rate: "1550" }], 2)).toBe("0.00");
});

it("a total rounds ties correctly at hundreds of digits", () => {
  // Generates amounts whose converted sum is a tie, or nearly one.
  const ratesArb = fc
    .array(fc.bigInt({ min: 10n ** 20n, max: 10n ** 29n }), { minLength: 1, maxLength: 11 })
    .map((rates) =>
      rates.filter((rate, index) => rates.slice(0, index).every((other) => gcd(rate, other) === 1n)),
    );
  fc.assert(
    fc.property(ratesArb, fc.constantFrom(-1n, 0n, 1n), fc.bigInt(0n, 10n ** 6n), (rates, part, cents) => {
      const product = rates.reduce((all, rate) => all * rate, 1n);
      const units = rates.map((rate) => modulo(part * inverse(product / rate, rate), rate));
      const sum = rates.reduce((all, rate, index) => all + units[index]! * (product / rate), -part) / product;
      const tie = 10n ** 6n * (cents + 11n) + 500_000n;
      const amounts = units.map((one, index) => (index === 0 ? one + (tie - sum) * rates[0]! : one));
      const holdings = rates.map((rate, index) => ({
        amount: decimalText(amounts[index]!, 8),
        rate: rate.toString(),
      }));
      const exact = holdings.reduce(
        (all, { amount, rate }) => plus(all, over(fraction(amount), fraction(rate))),
        ZERO,
      );
      expect(exact.n * 10n ** 8n * product).toBe((tie * product + part) * exact.d);
      expect(totalInUsd(holdings, 2)).toBe(halfUp(exact, 2));
    }),
    { numRuns: 300 },
  );
});

function modulo(a: bigint, m: bigint): bigint {
  return ((a % m) + m) % m;
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}

/** Modular inverse of `a` by the extended Euclidean algorithm. */
function inverse(a: bigint, m: bigint): bigint {
  let [r, nextR, t, nextT] = [m, modulo(a, m), 0n, 1n];
  while (nextR !== 0n) {
    const q = r / nextR;
    [r, nextR, t, nextT] = [nextR, r - q * nextR, nextT, t - q * nextT];
  }
  return modulo(t, m);
}
