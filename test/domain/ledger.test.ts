import fc from "fast-check";
import { expect, it } from "vitest";
import type { Charge } from "../../src/core/domain/charge-transition.js";
import {
  applyPostings,
  assertBalanced,
  type BookedPayment,
  bookedPayment,
  emptyBalances,
  type Holdings,
  openingBalancePostings,
  type Posting,
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

function paymentOf(net: bigint, fee: bigint, decimals: number): BookedPayment {
  const [amount, settlement_amount, total_fee] = [net + fee, net, fee].map((units) =>
    decimalText(units, decimals),
  );
  const fees = { total_fee: total_fee!, fee_breakdown: { platform_fee: total_fee!, gateway_fee: "0" } };
  return { amount: amount!, currency: "USD", settlement_amount: settlement_amount!, fees };
}

const positiveArb = unitsArb.filter((units) => units > 0n);

it("postings sum to zero for every kind and amount", () => {
  fc.assert(
    fc.property(decimalsArb, unitsArb, unitsArb, (decimals, net, fee) => {
      const [gross, settlement, total] = [net + fee, net, fee].map((units) => decimalText(units, decimals));
      const orders = [
        paymentPostings(paymentOf(net, fee, decimals)),
        settlementPostings(settlement!),
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

it("partial refunds add up to the whole payment", () => {
  fc.assert(
    fc.property(positiveArb, unitsArb, fc.array(fc.nat(1_000), { maxLength: 5 }), (net, fee, cuts) => {
      const amount = net + fee;
      const payment = paymentOf(net, fee, 2);
      const text = (units: bigint) => decimalText(units, 2);
      let holdings = accountsWith({});
      holdings = applied(holdings, paymentPostings(payment));
      expect(holdings.balances).toMatchObject({ pending: text(net), available: "0.00", fees: text(fee) });
      holdings = applied(holdings, settlementPostings(text(net)));
      expect(holdings.balances).toMatchObject({ pending: "0.00", available: text(net), fees: text(fee) });
      const parts = cuts.sort((a, b) => a - b).map((cut) => (amount * BigInt(cut)) / 1_000n);
      let before = 0n;
      for (const after of [...parts, amount]) {
        holdings = applied(holdings, refundPostings(payment, text(before), text(after)));
        // The merchant's share of all refunds, rounded half up.
        const share = (2n * net * after + amount) / (2n * amount);
        const left = { available: text(net - share), fees: text(fee - (after - share)) };
        expect(holdings.balances).toMatchObject({ ...left, outside: text(after - amount) });
        before = after;
      }
      expect(holdings.balances).toEqual(emptyBalances(2));
    }),
  );
});

it("postings are proportional when the customer pays a different amount", () => {
  fc.assert(
    fc.property(positiveArb, unitsArb, unitsArb, decimalsArb, (net, fee, paid, decimals) => {
      const amount = net + fee;
      const text = (units: bigint) => decimalText(units, decimals);
      const [platform_fee, gateway_fee] = [fee / 3n, fee - fee / 3n].map((units) => decimalText(units, 2));
      const booked = bookedPayment({
        amount: decimalText(amount, 2),
        currency: "KES",
        settlement_amount: decimalText(net, 2),
        fees: { total_fee: decimalText(fee, 2), fee_breakdown: { platform_fee, gateway_fee } },
        amount_paid: text(paid),
        currency_paid: "UGX",
      } as Charge)!;
      const settled = (2n * paid * net + amount) / (2n * amount);
      expect(booked).toMatchObject({ amount: text(paid), currency: "UGX", settlement_amount: text(settled) });
      const { total_fee, fee_breakdown } = booked.fees;
      expect(total_fee).toBe(text(paid - settled));
      const parts = Object.values(fee_breakdown).map((part) => minorUnits(part, decimals));
      expect(parts.reduce((sum, part) => sum + part)).toBe(paid - settled);
      expect(parts.every((part) => part >= 0n)).toBe(true);
      const refund = refundPostings(booked, text(0n), text(paid));
      expect(refund[0]!.amount.replace("-", "")).toBe(text(settled));
    }),
  );
});

it("a withdrawal changes no balance until it completes or returns", () => {
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

const postingsArb = fc
  .array(fc.tuple(fc.constantFrom(...LEDGER_ACCOUNTS), fc.bigInt({ min: -(10n ** 36n), max: 10n ** 36n })), {
    maxLength: 6,
  })
  .map((parts) => {
    const rest = parts.reduce((sum, [, units]) => sum + units, 0n);
    return [...parts, ["outside", -rest] as const];
  });
const balancesArb = fc.tuple(unitsArb, unitsArb, unitsArb, unitsArb);

it("adds postings exactly, or names the account that lacks funds", () => {
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

it("throws when postings do not balance", () => {
  const order: Posting[] = [
    { account: "available", amount: "1.00" },
    { account: "outside", amount: "-0.99" },
  ];
  expect(() => applyPostings(accountsWith({}), order)).toThrow(/do not balance/);
  expect(() => applyPostings(accountsWith({}), [{ account: "outside", amount: "-0.01" }])).toThrow(
    /do not balance/,
  );
});

it("checks only the final balance of a settlement followed by a refund", () => {
  const paid = accountsWith({ pending: "100.00", fees: "2.50", outside: "-102.50" });
  const refund = refundPostings({ amount: "102.50", settlement_amount: "100.00" }, "0.00", "102.50");
  const both = [...refund, ...settlementPostings("100.00")];
  expect(applied(paid, both).balances).toEqual(emptyBalances(2));
});

it("allows spending an account down to zero, but not below", () => {
  const held = accountsWith({ available: "10.00", outside: "-10.00" });
  expect(applied(held, withdrawalPostings("10.00")).balances.available).toBe("0.00");
  expect(applyPostings(held, withdrawalPostings("10.01"))).toEqual({ overdrawn: "available" });
});

it("refuses a ledger whose accounts do not sum to zero", () => {
  expect(() => assertBalanced(accountsWith({ available: "0.01" }))).toThrow(/out of balance by 0.01/);
  expect(() => assertBalanced(accountsWith({ available: "0.01", outside: "-0.01" }))).not.toThrow();
});
