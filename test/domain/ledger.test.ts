import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyPostings,
  assertBalanced,
  emptyBalances,
  type Holdings,
  openingBalancePostings,
  type Posting,
  partialRefundPostings,
  paymentPostings,
  refundPostings,
  settlementPostings,
  withdrawalCompletedPostings,
  withdrawalPostings,
  withdrawalReturnedPostings,
  withdrawalReversalPostings,
} from "../../src/core/domain/ledger-postings.js";
import { LEDGER_ACCOUNTS } from "../../src/core/schema/common.js";
import { decimalsArb, unitsArb } from "../support/amounts.js";
import { decimalText, minorUnits } from "../support/fraction.js";

function accountsWith(balances: Partial<Holdings["balances"]>, decimals = 2): Holdings {
  return {
    key: "test|org|USD",
    mode: "test",
    organization_id: "org",
    currency: "USD",
    seq: 1,
    decimals,
    balances: { ...emptyBalances(decimals), ...balances },
  };
}

function applied(holdings: Holdings, postings: readonly Posting[]): Holdings {
  const result = applyPostings(holdings, postings);
  if ("overdrawn" in result) throw new Error(`${result.overdrawn} would be overdrawn`);
  return result.holdings;
}

describe("what is posted", () => {
  it("sums to zero for every kind and any amount", () => {
    fc.assert(
      fc.property(decimalsArb, unitsArb, unitsArb, (decimals, net, fee) => {
        const [gross, settlement, total] = [net + fee, net, fee].map((units) => decimalText(units, decimals));
        const orders = [
          paymentPostings(gross!, settlement!, total!),
          settlementPostings(settlement!),
          refundPostings(gross!, settlement!, total!),
          refundPostings(gross!, settlement!, total!, total!),
          partialRefundPostings(gross!),
          withdrawalReversalPostings(gross!),
          withdrawalPostings(gross!),
          withdrawalCompletedPostings(settlement!, total!),
          withdrawalReturnedPostings(gross!),
          openingBalancePostings(gross!),
        ];
        for (const postings of orders)
          expect(postings.reduce((sum, { amount }) => sum + minorUnits(amount, decimals), 0n)).toBe(0n);
      }),
    );
  });

  it("by payment, settlement and refund leaves every account as it was", () => {
    fc.assert(
      fc.property(unitsArb, unitsArb, (net, fee) => {
        const [amount, settlement, total] = [net + fee, net, fee].map((units) => decimalText(units, 2));
        let holdings = accountsWith({});
        holdings = applied(holdings, paymentPostings(amount!, settlement!, total!));
        expect(holdings.balances).toMatchObject({ pending: settlement, available: "0.00", fees: total });
        holdings = applied(holdings, settlementPostings(settlement!));
        expect(holdings.balances).toMatchObject({ pending: "0.00", available: settlement, fees: total });
        holdings = applied(holdings, refundPostings(amount!, settlement!, total!));
        expect(holdings.balances).toEqual(emptyBalances(2));
      }),
    );
  });

  it("by a withdrawal is in no balance until it has arrived or come back", () => {
    const start = accountsWith({ available: "100.00", outside: "-100.00" });
    const begun = applied(start, withdrawalPostings("41.00"));
    expect(begun.balances).toMatchObject({ available: "59.00", pending: "0.00", in_transit: "41.00" });
    expect(applied(begun, withdrawalReturnedPostings("41.00")).balances).toEqual(start.balances);
    expect(applied(begun, withdrawalCompletedPostings("40.00", "1.00")).balances).toEqual({
      available: "59.00",
      pending: "0.00",
      in_transit: "0.00",
      fees: "1.00",
      outside: "-60.00",
    });
  });
});

describe("applying postings", () => {
  const postingsArb = fc
    .array(
      fc.tuple(fc.constantFrom(...LEDGER_ACCOUNTS), fc.bigInt({ min: -(10n ** 36n), max: 10n ** 36n })),
      {
        maxLength: 6,
      },
    )
    .map((parts) => {
      const rest = parts.reduce((sum, [, units]) => sum + units, 0n);
      return [...parts, ["outside", -rest] as const];
    });
  const balancesArb = fc.tuple(unitsArb, unitsArb, unitsArb, unitsArb);

  it("adds them up exactly, or names an account they would overdraw, and never changes the old record", () => {
    fc.assert(
      fc.property(balancesArb, postingsArb, ([available, pending, in_transit, fees], parts) => {
        const model = {
          available,
          pending,
          in_transit,
          fees,
          outside: -(available + pending + in_transit + fees),
        };
        const start = accountsWith(
          Object.fromEntries(LEDGER_ACCOUNTS.map((account) => [account, decimalText(model[account], 2)])),
        );
        const before = structuredClone(start);
        for (const [account, units] of parts) model[account] += units;
        const result = applyPostings(
          start,
          parts.map(([account, units]) => ({ account, amount: decimalText(units, 2) })),
        );
        const overdrawn = LEDGER_ACCOUNTS.filter((account) => account !== "outside" && model[account] < 0n);
        if ("overdrawn" in result) expect(overdrawn).toContain(result.overdrawn);
        else {
          expect(overdrawn).toEqual([]);
          for (const account of LEDGER_ACCOUNTS)
            expect(result.holdings.balances[account]).toBe(decimalText(model[account], 2));
          assertBalanced(result.holdings);
        }
        expect(start).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  it("throws when they do not balance, however little is missing", () => {
    const order: Posting[] = [
      { account: "available", amount: "1.00" },
      { account: "outside", amount: "-0.99" },
    ];
    expect(() => applyPostings(accountsWith({}), order)).toThrow(/do not balance/);
    expect(() => applyPostings(accountsWith({}), [{ account: "outside", amount: "-0.01" }])).toThrow(
      /do not balance/,
    );
  });

  it("judges the balance after all of them: settlement and refund may come in one order", () => {
    const paid = accountsWith({ pending: "100.00", fees: "2.50", outside: "-102.50" });
    const both = [...refundPostings("102.50", "100.00", "2.50"), ...settlementPostings("100.00")];
    expect(applied(paid, both).balances).toEqual(emptyBalances(2));
  });

  it("lets the last minor unit go and not one more", () => {
    const held = accountsWith({ available: "10.00", outside: "-10.00" });
    expect(applied(held, withdrawalPostings("10.00")).balances.available).toBe("0.00");
    expect(applyPostings(held, withdrawalPostings("10.01"))).toEqual({ overdrawn: "available" });
  });
});

describe("the check of a whole record", () => {
  it("throws when the five accounts do not sum to zero", () => {
    expect(() => assertBalanced(accountsWith({ available: "0.01" }))).toThrow(/out of balance by 0.01/);
    expect(() => assertBalanced(accountsWith({ available: "0.01", outside: "-0.01" }))).not.toThrow();
  });
});
