import fc from "fast-check";
import { expect, it } from "vitest";
import { readBalances } from "../../src/core/engine/commands/account-commands.js";
import { createWhitelabel, transitionCharge } from "../../src/core/engine/commands/charge-commands.js";
import {
  bounceWithdrawal,
  chargeBack,
  refundPart,
} from "../../src/core/engine/commands/reversal-commands.js";
import {
  createDestination,
  createWithdrawal,
  transitionWithdrawalById,
} from "../../src/core/engine/commands/withdrawal-commands.js";
import type { Engine } from "../../src/core/engine/engine.js";
import { chargeListName } from "../../src/core/engine/indexes.js";
import { setRates } from "../../src/core/engine/market.js";
import type { Quote } from "../../src/core/engine/records.js";
import { CHARGE_STATUSES, WITHDRAWAL_STATUSES } from "../../src/core/schema/common.js";
import { isRefusal, type Refusal } from "../../src/core/schema/refusals.js";
import { DECIMALS, METHOD_CURRENCIES, MINIMUM, RATES } from "../support/contract.js";
import {
  askQuote,
  callerOf,
  must,
  newEngine,
  type Order,
  runUntil,
  START_MS,
  whitelabelBody,
} from "../support/engine.js";
import { decimalText, fraction, halfUp, minorUnits, over, plus, ZERO } from "../support/fraction.js";
import { LedgerModel, type ModelCharge, type ModelPrice, type Verdict } from "../support/ledger-model.js";

const CALLERS = ["sk_test_sandbox", "sk_live_sandbox", "sk_test_other"].map(callerOf);
const CURRENCIES = Object.keys(RATES);
const PAYOUT_CURRENCIES = Object.keys(MINIMUM);

const callerArb = fc.nat(CALLERS.length - 1);
const whichArb = fc.nat(1_000);
const unitsArb = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: 1n, max: 10n ** 8n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 1n, max: 99n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 10n ** 20n, max: 10n ** 28n }) },
);
const payableArb = fc
  .constantFrom(...Object.keys(METHOD_CURRENCIES))
  .chain((method) => fc.tuple(fc.constant(method), fc.constantFrom(...METHOD_CURRENCIES[method]!)));

const stepArb = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("order" as const),
      caller: callerArb,
      payable: payableArb,
      base: fc.option(fc.constantFrom(...CURRENCIES), { freq: 2 }),
      units: unitsArb,
      isInstant: fc.boolean(),
      minutes: fc.constantFrom(1, 5, 60),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("order_again" as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("move" as const),
      which: whichArb,
      to: fc.constantFrom(...CHARGE_STATUSES),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("refund" as const), which: whichArb }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("take_back" as const),
      which: whichArb,
      share: fc.constantFrom("all", "half", "one", "too much"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("bounce" as const), which: whichArb }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("withdraw" as const),
      which: whichArb,
      share: fc.constantFrom("all", "half", "one more", "one"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("move_withdrawal" as const),
      which: whichArb,
      isOpen: fc.boolean(),
      to: fc.constantFrom(...WITHDRAWAL_STATUSES),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("advance" as const),
      durationMs: fc.constantFrom(0, 1, 1_000, 29_999, 30_000, 60_000, 144_000, 300_000, 1_200_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("set_rate" as const),
      currency: fc.constantFrom(...CURRENCIES.slice(1)),
      units: fc.bigInt({ min: 1n, max: 10n ** 10n }),
    }),
  },
);
type Step = typeof stepArb extends fc.Arbitrary<infer T> ? T : never;

/** How often each thing happened over all runs: a model test that never met a case proves nothing about it. */
const met: Record<string, number> = {};

class Run {
  readonly engine: Engine = newEngine();
  readonly model = new LedgerModel(START_MS);
  #last: { quote: Quote; order: Order; price: ModelPrice; owner: string } | undefined;

  perform(step: Step): void {
    switch (step.do) {
      case "order":
        this.#order(step);
        break;
      case "order_again":
        this.#charge("order_again");
        break;
      case "move": {
        const charge = pick(this.model.charges, step.which);
        if (charge !== undefined) this.#move(charge.id, step.to);
        break;
      }
      case "refund": {
        const completed = this.model.charges.filter((charge) => charge.status === "COMPLETED");
        const charge = pick(completed, step.which);
        if (charge !== undefined) this.#move(charge.id, "REFUNDED");
        break;
      }
      case "take_back": {
        const completed = this.model.charges.filter((charge) => charge.status === "COMPLETED");
        const charge = pick(completed.length > 0 ? completed : this.model.charges, step.which);
        if (charge !== undefined) this.#takeBack(charge, step.share);
        break;
      }
      case "bounce": {
        const arrived = this.model.withdrawals.filter((one) => one.status === "COMPLETED");
        const withdrawal = pick(arrived.length > 0 ? arrived : this.model.withdrawals, step.which);
        if (withdrawal === undefined) return;
        const verdict = this.model.bounce(withdrawal);
        const command = bounceWithdrawal(withdrawal.id);
        this.#judged("bounce", verdict, () => this.engine.execute(command, this.model.nowMs));
        break;
      }
      case "withdraw":
        this.#withdraw(step);
        break;
      case "move_withdrawal": {
        const open = this.model.withdrawals.filter((one) => /^P/.test(one.status));
        const withdrawal = pick(open.length > 0 && step.isOpen ? open : this.model.withdrawals, step.which);
        if (withdrawal === undefined) return;
        const verdict = this.model.moveWithdrawal(withdrawal, step.to);
        const command = transitionWithdrawalById(withdrawal.id, step.to);
        this.#judged(`withdrawal ${step.to}`, verdict, () => this.engine.execute(command, this.model.nowMs));
        break;
      }
      case "advance":
        this.model.advance(step.durationMs);
        break;
      case "set_rate": {
        const rate = decimalText(step.units, 6);
        this.model.rates[step.currency] = rate;
        must(this.engine.execute(setRates({ [step.currency]: rate }), this.model.nowMs));
      }
    }
  }

  #order(step: Extract<Step, { do: "order" }>): void {
    const [method, to] = step.payable;
    const base = step.base ?? to;
    const order: Order = {
      caller: CALLERS[step.caller]!,
      base,
      amount: decimalText(step.units, DECIMALS[base]!),
      to,
      method,
      scenario: step.isInstant ? "instant" : "quiet",
      expiresInMinutes: step.minutes,
    };
    const price = this.model.price(base, order.amount!, to, method);
    const quote = this.#judged("quote", price.settlement === 0n ? "illegal" : "done", () =>
      askQuote(this.engine, this.model.nowMs, order),
    );
    if (quote === undefined) return;
    const text = (units: bigint) => decimalText(units, DECIMALS[to]!);
    expect(quote).toMatchObject({
      exchange_rate: price.rate,
      settlement_amount: text(price.settlement),
      fees: {
        total_fee: text(price.platformFee + price.gatewayFee),
        fee_breakdown: { platform_fee: text(price.platformFee), gateway_fee: text(price.gatewayFee) },
      },
      amount: text(price.settlement + price.platformFee + price.gatewayFee),
      currency: to,
    });
    this.#last = { quote, order, price, owner: ownerOf(step.caller) };
    this.#charge("order");
  }

  /** A charge with the last quote, which holds for 30 seconds and may be used again until then. */
  #charge(name: string): void {
    if (this.#last === undefined) return;
    const { quote, order, price, owner } = this.#last;
    const { nowMs } = this.model;
    const verdict = nowMs < quote.created_at_ms + 30_000 ? "done" : "illegal";
    const body = whitelabelBody(order, quote.quote_id);
    const charge = this.#judged(name, verdict, () =>
      this.engine.execute(createWhitelabel(order.caller!, body, order.scenario!), nowMs),
    );
    if (charge === undefined) return;
    const { length } = this.model.charges;
    this.model.charges.push({
      id: charge.charge_id,
      owner,
      currency: charge.currency,
      price,
      expiresMs: nowMs + order.expiresInMinutes! * 60_000,
      status: "PENDING",
      settlesMs: null,
      isSettled: false,
      givenBack: 0n,
    });
    if (order.scenario === "instant") this.model.moveCharge(this.model.charges[length]!, "COMPLETED");
  }

  #move(chargeId: string, to: (typeof CHARGE_STATUSES)[number]): void {
    const charge = this.model.charges.find((one) => one.id === chargeId)!;
    const wasSettled = charge.isSettled;
    const verdict = this.model.moveCharge(charge, to);
    const name = to === "REFUNDED" && verdict === "done" && !wasSettled ? "REFUNDED before settlement" : to;
    this.#judged(name, verdict, () =>
      this.engine.execute(transitionCharge(chargeId, to, "control"), this.model.nowMs),
    );
  }

  #takeBack(charge: ModelCharge, share: string): void {
    const left = this.model.leftOf(charge);
    const amount = { all: left, half: left / 2n, one: 1n }[share] ?? left + 1n;
    const isAll = share === "all";
    const text = decimalText(amount, DECIMALS[charge.currency]!);
    const command = isAll ? chargeBack(charge.id) : refundPart(charge.id, text);
    const verdict = this.model.takeBack(charge, amount, isAll);
    this.#judged(isAll ? "chargeback" : "partial refund", verdict, () =>
      this.engine.execute(command, this.model.nowMs),
    );
  }

  #withdraw(step: Extract<Step, { do: "withdraw" }>): void {
    const funded = [...this.model.accounts].flatMap(([key, { available }]) =>
      available > 0n && PAYOUT_CURRENCIES.includes(key.split("|")[2]!) ? [key] : [],
    );
    const key = pick(funded, step.which) ?? `${ownerOf(0)}|${pick(PAYOUT_CURRENCIES, step.which)}`;
    const currency = key.split("|")[2]!;
    const owner = key.slice(0, -currency.length - 1);
    const caller = CALLERS.find((_, index) => ownerOf(index) === owner)!;
    const decimals = DECIMALS[currency]!;
    const crypto = { type: "crypto_wallet", wallet_address: "an address of the shop" };
    const bank = {
      type: "bank_account",
      bank_code: "001",
      account_number: "0123456789",
      account_name: "Shop",
    };
    const destination = must(
      this.engine.execute(
        createDestination(caller, { currency, ...(decimals === 2 ? bank : crypto) }),
        this.model.nowMs,
      ),
    );
    const { available } = this.model.at(owner, currency);
    const amounts: Record<string, bigint> = {
      all: available,
      half: available / 2n,
      "one more": available + 1n,
      one: minorUnits(MINIMUM[currency]!, decimals),
    };
    const amount = amounts[step.share]!;
    // An amount has at most 30 digits before the point; a balance may grow beyond that.
    const isOutOfBounds = amount < amounts.one! || amount >= 10n ** BigInt(30 + decimals);
    const verdict = isOutOfBounds
      ? "illegal"
      : this.model.canWithdraw(owner, currency, amount)
        ? "done"
        : "too little";
    const body = {
      destination_id: destination.destination_id,
      amount: decimalText(amount, decimals),
      currency,
    };
    const withdrawal = this.#judged("withdrawal", verdict, () =>
      this.engine.execute(createWithdrawal(caller, body, "quiet"), this.model.nowMs),
    );
    if (withdrawal !== undefined)
      this.model.beginWithdrawal({
        id: withdrawal.withdrawal_id,
        owner,
        currency,
        amount,
        status: "PENDING",
      });
  }

  /** The engine must come to the model's verdict; a refusal must leave no trace. */
  #judged<Result>(name: string, verdict: Verdict, work: () => Result | Refusal): Result | undefined {
    const key = `${name}: ${verdict}`;
    met[key] = (met[key] ?? 0) + 1;
    const before = verdict === "done" ? [] : this.#everything();
    const result = work();
    expect(isRefusal(result), key).toBe(verdict !== "done");
    if (!isRefusal(result)) return result;
    expect(result.code === "INSUFFICIENT_BALANCE", key).toBe(verdict === "too little");
    const after = this.#everything();
    expect(after.length === before.length && after.every((part, index) => part === before[index])).toBe(true);
    return undefined;
  }

  /** All that a refusal could have changed. Records never change in place, so that looking at which they are will do. */
  #everything(): unknown[] {
    const { seq, at, counters, tables } = this.engine.state;
    const records = Object.values(tables).flatMap((table: Map<unknown, unknown>) => [...table.values()]);
    return [seq, at, JSON.stringify(counters), ...records];
  }

  /** Every account is what the model says, sums to zero, and is not overdrawn. */
  compare(): void {
    for (const held of this.engine.state.tables.holdings.values()) {
      const owner = `${held.mode}|${held.organization_id}`;
      expect(held.balances).toEqual(this.model.written(owner, held.currency));
      const { outside, ...owned } = held.balances;
      let sum = minorUnits(outside, held.decimals);
      for (const balance of Object.values(owned)) {
        const units = minorUnits(balance, held.decimals);
        expect(units >= 0n).toBe(true);
        sum += units;
      }
      expect(sum).toBe(0n);
    }
  }

  /** What only costs too much to look at after every step. */
  audit(): void {
    const { state } = this.engine;
    const totals = new Map<string, bigint>();
    for (const entry of state.tables.entries.values()) {
      const decimals = DECIMALS[entry.currency]!;
      let sum = 0n;
      for (const { account, amount } of entry.postings) {
        const key = `${entry.mode}|${entry.organization_id}|${entry.currency}|${account}`;
        totals.set(key, (totals.get(key) ?? 0n) + minorUnits(amount, decimals));
        sum += minorUnits(amount, decimals);
      }
      expect(sum).toBe(0n);
    }
    for (const held of state.tables.holdings.values())
      for (const [account, balance] of Object.entries(held.balances))
        expect(minorUnits(balance, held.decimals)).toBe(totals.get(`${held.key}|${account}`) ?? 0n);
    for (const key of this.model.accounts.keys()) {
      const [mode, organization, currency] = key.split("|");
      if (state.get("holdings", key) === undefined)
        expect(Object.values(this.model.written(`${mode}|${organization}`, currency!)).join()).toMatch(
          /^[0.,]+$/,
        );
    }
    for (const charge of this.model.charges)
      expect(state.get("charges", charge.id)?.status).toBe(charge.status);
    for (const one of this.model.withdrawals)
      expect(state.get("withdrawals", one.id)?.status).toBe(one.status);
    expect(state.count("events")).toBe(this.model.events);
    for (const [index, caller] of CALLERS.entries()) {
      const owner = ownerOf(index);
      const answer = this.engine.execute(readBalances(caller), this.model.nowMs);
      let total = ZERO;
      for (const { currency, available_balance, pending_balance } of answer.balances) {
        const { available, pending } = this.model.written(owner, currency);
        expect([available_balance, pending_balance]).toEqual([available, pending]);
        const sum = plus(fraction(available!), fraction(pending!));
        total = plus(total, over(sum, fraction(this.model.rates[currency]!)));
      }
      expect(answer.total_balance_usd).toBe(halfUp(total, 2));
      for (const status of CHARGE_STATUSES) {
        const counted = this.model.charges.filter((one) => one.owner === owner && one.status === status);
        const place = chargeListName(caller.mode, caller.organization.organization_id, status);
        expect(state.count("charges", place)).toBe(counted.length);
      }
    }
  }
}

function ownerOf(caller: number): string {
  const { mode, organization } = CALLERS[caller]!;
  return `${mode}|${organization.organization_id}`;
}

function pick<Item>(items: readonly Item[], which: number): Item | undefined {
  return items[which % Math.max(1, items.length)];
}

it("the ledger follows an independent model through thousands of random operations [R19.5]", () => {
  fc.assert(
    fc.property(fc.array(stepArb, { minLength: 20, maxLength: 300, size: "max" }), (steps) => {
      const run = new Run();
      for (const step of steps) {
        run.perform(step);
        runUntil(run.engine, run.model.nowMs);
        run.compare();
      }
      run.audit();
    }),
    // What fails is told within this time, shrunk as far as it goes; what passes takes seconds.
    { numRuns: 30, interruptAfterTimeLimit: 180_000 },
  );

  expect(Object.values(met).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1_000);
  for (const needed of [
    "COMPLETED: done",
    "REFUNDED: done",
    "REFUNDED before settlement: done",
    "REFUNDED: too little",
    "REFUNDED: illegal",
    "partial refund: done",
    "partial refund: illegal",
    "partial refund: too little",
    "chargeback: done",
    "chargeback: too little",
    "bounce: done",
    "bounce: illegal",
    "EXPIRED: illegal",
    "order_again: done",
    "order_again: illegal",
    "withdrawal: done",
    "withdrawal: too little",
    "withdrawal COMPLETED: done",
    "withdrawal FAILED: done",
    "withdrawal CANCELLED: done",
  ])
    expect(met, needed).toHaveProperty([needed]);
});
