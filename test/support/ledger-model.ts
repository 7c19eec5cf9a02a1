import type { ChargeStatus, WithdrawalStatus } from "../../src/schema/common.js";
import { decimalText, fraction, halfUp, minorUnits, over, significant, times } from "./fraction.js";

/** What the contract says of money, written out again: nothing here is read from src or from the fixtures. */
const RATES: Record<string, string> = {
  USD: "1",
  NGN: "1550",
  GHS: "12.4",
  KES: "129",
  TZS: "2600",
  UGX: "3650",
  ZAR: "17.8",
  USDT_TRC20: "1",
  USDT_ERC20: "1",
  BTC: "0.000015625",
  ETH: "0.00032",
};
export const CURRENCIES = Object.keys(RATES);

/** Platform and gateway fee in per cent, and the currencies of the specification's table. */
export const METHODS: Record<string, { fees: [string, string]; currencies: string[] }> = {
  bank_transfer: { fees: ["1.0", "0.5"], currencies: ["USD", "NGN", "GHS", "KES", "ZAR"] },
  mobile_money: { fees: ["1.0", "1.5"], currencies: ["NGN", "GHS", "KES", "TZS", "UGX"] },
  card: { fees: ["1.0", "2.4"], currencies: ["USD", "NGN", "GHS", "KES", "ZAR"] },
  crypto: { fees: ["0.5", "0.5"], currencies: ["USDT_TRC20", "USDT_ERC20", "BTC", "ETH"] },
};

export const MINIMUM_WITHDRAWALS: Record<string, string> = {
  USD: "10.00",
  NGN: "5000.00",
  GHS: "50.00",
  KES: "500.00",
  USDT_TRC20: "10.000000",
  USDT_ERC20: "50.000000",
};

const CHARGE_MOVES: Record<ChargeStatus, readonly ChargeStatus[]> = {
  PENDING: ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"],
  AWAITING_PAYMENT: ["PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"],
  PROCESSING: ["COMPLETED", "FAILED"],
  EXPIRED: ["PROCESSING", "COMPLETED"],
  COMPLETED: ["REFUNDED"],
  FAILED: [],
  CANCELLED: [],
  REFUNDED: [],
};

const WITHDRAWAL_MOVES: Record<WithdrawalStatus, readonly WithdrawalStatus[]> = {
  PENDING: ["PROCESSING", "CANCELLED"],
  PROCESSING: ["COMPLETED", "FAILED"],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
};

export function decimalsIn(currency: string): number {
  return currency === "BTC" || currency === "ETH" ? 8 : currency.startsWith("USDT") ? 6 : 2;
}

/** Crypto is confirmed before it is settled: so many blocks, one each so many seconds. */
function confirmingMs(currency: string): number {
  switch (currency) {
    case "BTC":
      return 2 * 600_000;
    case "ETH":
    case "USDT_ERC20":
      return 12 * 12_000;
    case "USDT_TRC20":
      return 20 * 3_000;
    default:
      return 0;
  }
}

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
}

export interface ModelWithdrawal {
  readonly id: string;
  readonly owner: string;
  readonly currency: string;
  readonly amount: bigint;
  status: WithdrawalStatus;
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
  readonly rates = { ...RATES };
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
    const decimals = decimalsIn(target);
    const rate =
      base === target
        ? "1"
        : significant(over(fraction(this.rates[target]!), fraction(this.rates[base]!)), 12);
    const settlement = halfUp(times(fraction(amount), fraction(rate)), decimals);
    const [platformFee, gatewayFee] = METHODS[method]!.fees.map((percent) =>
      minorUnits(
        halfUp(over(times(fraction(settlement), fraction(percent)), fraction("100")), decimals),
        decimals,
      ),
    );
    return {
      rate,
      settlement: minorUnits(settlement, decimals),
      platformFee: platformFee!,
      gatewayFee: gatewayFee!,
    };
  }

  moveCharge(charge: ModelCharge, to: ChargeStatus): Verdict {
    if (!CHARGE_MOVES[charge.status].includes(to)) return "illegal";
    const held = this.at(charge.owner, charge.currency);
    const { settlement, platformFee, gatewayFee } = charge.price;
    if (to === "REFUNDED") {
      if (held.available + (charge.isSettled ? 0n : settlement) < settlement) return "too little";
      if (!charge.isSettled) this.#settle(charge);
      held.available -= settlement;
      held.fees -= platformFee + gatewayFee;
    }
    if (to === "COMPLETED") {
      held.pending += settlement;
      held.fees += platformFee + gatewayFee;
      const delayMs = confirmingMs(charge.currency);
      if (delayMs === 0) this.#settle(charge);
      else charge.settlesMs = this.nowMs + delayMs;
    }
    charge.status = to;
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
    if (!WITHDRAWAL_MOVES[withdrawal.status].includes(to)) return "illegal";
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
    const text = (units: bigint) => decimalText(units, decimalsIn(currency));
    return {
      available: text(available),
      pending: text(pending),
      in_transit: text(in_transit),
      fees: text(fees),
      outside: text(-(available + pending + in_transit + fees)),
    };
  }
}
