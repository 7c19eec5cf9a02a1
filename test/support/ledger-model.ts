import type { ChargeStatus, WithdrawalStatus } from "../../src/core/schema/common.js";
import { CHARGE_MOVES, DECIMALS, RATES, SETTLEMENT_MS, WITHDRAWAL_MOVES } from "./contract.js";
import { decimalText } from "./fraction.js";
import { priceOf, units } from "./prices.js";

export interface ModelPrice {
  readonly rate: string;
  readonly settlement: bigint;
  readonly platformFee: bigint;
  readonly gatewayFee: bigint;
}

export interface ModelCharge {
  readonly id: string;
  /** Mode and organization: `test|org_sandbox`. */
  readonly owner: string;
  readonly currency: string;
  readonly price: ModelPrice;
  readonly expiresMs: number;
  status: ChargeStatus;
  settlesMs: number | null;
  isSettled: boolean;
  /** By the sandbox's own extensions, before any refund. */
  givenBack: bigint;
}

export interface ModelWithdrawal {
  readonly id: string;
  readonly owner: string;
  readonly currency: string;
  readonly amount: bigint;
  status: WithdrawalStatus;
  hasBounced?: boolean;
}

/** In minor units. What the customers and banks have is what the four lack to zero. */
export interface ModelAccounts {
  available: bigint;
  pending: bigint;
  in_transit: bigint;
  fees: bigint;
}

export type Verdict = "done" | "illegal" | "too little";

/** Payments, settlements, refunds and payouts on plain BigInts: what the engine's ledger is held against. */
export class LedgerModel {
  nowMs: number;
  readonly rates: Record<string, string> = { ...RATES };
  readonly accounts = new Map<string, ModelAccounts>();
  readonly charges: ModelCharge[] = [];
  readonly withdrawals: ModelWithdrawal[] = [];
  /** One a status change. */
  events = 0;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  at(owner: string, currency: string): ModelAccounts {
    const key = `${owner}|${currency}`;
    let held = this.accounts.get(key);
    if (held === undefined)
      this.accounts.set(key, (held = { available: 0n, pending: 0n, in_transit: 0n, fees: 0n }));
    return held;
  }

  price(base: string, amount: string, target: string, method: string): ModelPrice {
    const price = priceOf(this.rates, { base_currency: base, amount }, target, method);
    const { platform_fee, gateway_fee } = price.fees.fee_breakdown;
    return {
      rate: price.exchange_rate,
      settlement: units(price.settlement_amount, target),
      platformFee: units(platform_fee, target),
      gatewayFee: units(gateway_fee, target),
    };
  }

  moveCharge(charge: ModelCharge, to: ChargeStatus): Verdict {
    if (!CHARGE_MOVES[charge.status]?.includes(to)) return "illegal";
    const held = this.at(charge.owner, charge.currency);
    const { settlement, platformFee, gatewayFee } = charge.price;
    if (to === "REFUNDED") {
      const owed = settlement - charge.givenBack;
      if (this.leftOf(charge) === 0n) return "illegal";
      if (held.available + (charge.isSettled ? 0n : settlement) < owed) return "too little";
      if (!charge.isSettled) this.#settle(charge);
      held.available -= owed;
      held.fees -= platformFee + gatewayFee;
    }
    if (to === "COMPLETED") {
      held.pending += settlement;
      held.fees += platformFee + gatewayFee;
      const delayMs = SETTLEMENT_MS[charge.currency] ?? 0;
      if (delayMs === 0) this.#settle(charge);
      else charge.settlesMs = this.nowMs + delayMs;
    }
    charge.status = to;
    this.events++;
    return "done";
  }

  /** What the customer has paid and not got back. */
  leftOf({ price: { settlement, platformFee, gatewayFee }, givenBack }: ModelCharge): bigint {
    return settlement + platformFee + gatewayFee - givenBack;
  }

  /** A part goes back, or all that is left. */
  takeBack(charge: ModelCharge, amount: bigint, isAll: boolean): Verdict {
    const left = this.leftOf(charge);
    const isPart = isAll ? amount === left : amount < left;
    if (charge.status !== "COMPLETED" || !charge.isSettled || amount === 0n || !isPart) return "illegal";
    const held = this.at(charge.owner, charge.currency);
    if (held.available < amount) return "too little";
    held.available -= amount;
    charge.givenBack += amount;
    this.events++;
    return "done";
  }

  bounce(withdrawal: ModelWithdrawal): Verdict {
    if (withdrawal.status !== "COMPLETED" || withdrawal.hasBounced) return "illegal";
    this.at(withdrawal.owner, withdrawal.currency).available += withdrawal.amount;
    withdrawal.hasBounced = true;
    this.events++;
    return "done";
  }

  #settle(charge: ModelCharge): void {
    const held = this.at(charge.owner, charge.currency);
    held.pending -= charge.price.settlement;
    held.available += charge.price.settlement;
    charge.isSettled = true;
    charge.settlesMs = null;
  }

  canWithdraw(owner: string, currency: string, amount: bigint): boolean {
    return amount <= this.at(owner, currency).available;
  }

  beginWithdrawal(withdrawal: ModelWithdrawal): void {
    const held = this.at(withdrawal.owner, withdrawal.currency);
    held.available -= withdrawal.amount;
    held.in_transit += withdrawal.amount;
    this.withdrawals.push(withdrawal);
  }

  moveWithdrawal(withdrawal: ModelWithdrawal, to: WithdrawalStatus): Verdict {
    if (!WITHDRAWAL_MOVES[withdrawal.status]?.includes(to)) return "illegal";
    const held = this.at(withdrawal.owner, withdrawal.currency);
    if (to !== "PROCESSING") held.in_transit -= withdrawal.amount;
    if (to === "FAILED" || to === "CANCELLED") held.available += withdrawal.amount;
    withdrawal.status = to;
    this.events++;
    return "done";
  }

  advance(durationMs: number): void {
    const untilMs = this.nowMs + durationMs;
    for (const charge of this.charges) {
      const isOpen = charge.status === "PENDING" || charge.status === "AWAITING_PAYMENT";
      if (isOpen && charge.expiresMs <= untilMs) this.moveCharge(charge, "EXPIRED");
      if (charge.settlesMs !== null && charge.settlesMs <= untilMs) this.#settle(charge);
    }
    this.nowMs = untilMs;
  }

  /** The balances as the ledger writes them. */
  written(owner: string, currency: string): Record<string, string> {
    const { available, pending, in_transit, fees } = this.at(owner, currency);
    const text = (units: bigint) => decimalText(units, DECIMALS[currency]!);
    return {
      available: text(available),
      pending: text(pending),
      in_transit: text(in_transit),
      fees: text(fees),
      outside: text(-(available + pending + in_transit + fees)),
    };
  }
}
