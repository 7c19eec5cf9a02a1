import { CHARGE_MOVES, SETTLEMENT_MS, WITHDRAWAL_MOVES } from "../support/contract.js";
import { type Price, type Pricing, units } from "../support/prices.js";
import type { Json } from "./client.js";
import { firstRule, type Scenario, type Subject } from "./matching.js";

/** The expected state, computed from the calls alone without code of src. */
export type Mode = "test" | "live";

/** All documented transitions. */
const OPEN = ["PENDING", "AWAITING_PAYMENT"];

export interface Entry {
  readonly after?: string;
  readonly after_expiry?: string;
  readonly to: string;
  readonly reason?: string;
}

interface Planned {
  readonly atMs: number;
  /** Order of tasks with the same time: expiry first, then the oldest. */
  readonly order: number;
  readonly step: number;
}

interface Moving {
  id: string;
  mode: Mode;
  org: string;
  status: string;
  updatedMs: number;
  failure: string | null;
  timeline: readonly Entry[];
  entry: Planned | undefined;
  asked: string | null;
  scenario: string | null;
  /** True after a manual transition, which cancels the timeline. */
  overruled?: boolean;
  subject: Subject;
}

export interface Charge extends Moving {
  checkoutId: string;
  kind: "whitelabel" | "hosted";
  createdMs: number;
  expiresMs: number;
  expiry: Planned | undefined;
  settlement: Planned | undefined;
  settledMs: number | null;
  /** Amounts returned to the customer before a refund, in order. */
  reversals: { kind: string; amount: string }[];
  history: { status: string; atMs: number; reason?: string }[];
  pricing: Pricing;
  offered: readonly string[];
  quoteId: string | null;
  /** Null until the customer selects a method on the hosted page. */
  method: string | null;
  price: Price | null;
  /** Fields that never change after the first read. */
  fixed: Readonly<Record<string, unknown>>;
}

export interface Withdrawal extends Moving {
  hasBounced?: boolean;
  amount: string;
  currency: string;
  fixed: Readonly<Record<string, unknown>>;
}

export interface ExpectedEvent {
  readonly type: string;
  readonly objectId: string;
  readonly atMs: number;
  readonly mode: Mode;
  readonly org: string;
  /** The exact JSON of `data`. */
  readonly data: string;
  /** The fields and scenarios that rules were matched with. */
  readonly subject: Subject;
  readonly asked: string | null;
}

interface Holding {
  available: bigint;
  pending: bigint;
}

export interface Quote {
  id: string;
  mode: Mode;
  org: string;
  method: string;
  pricing: Pricing;
  price: Price;
  madeMs: number;
}

export interface Endpoint {
  id: string;
  kind: "url" | "mailbox";
  url: string | null;
  mailbox: string | null;
  mode: Mode;
  org: string | null;
  events: readonly string[];
  enabled: boolean;
  /** True if it was ever disabled, which drops its pending deliveries. */
  wasOff: boolean;
  onSinceMs: number;
  offSinceMs: number;
  /** Index of the first event after it was disabled. */
  offBeforeEvent: number;
  secret: string;
}

export interface ExpectedDelivery {
  /** Index of its event in `events`. */
  readonly event: number;
  readonly endpoint: string;
  /** The scenario's rule; empty when none matches. */
  readonly rule: Json;
}

export interface State {
  nowMs: number;
  order: number;
  rates: Record<string, string>;
  charges: Map<string, Charge>;
  withdrawals: Map<string, Withdrawal>;
  quotes: Map<string, Quote>;
  holdings: Map<string, Holding>;
  events: ExpectedEvent[];
  endpoints: Map<string, Endpoint>;
  deliveries: ExpectedDelivery[];
  /** Number of events whose deliveries are computed. */
  told: number;
  scenarios: Map<string, { scenario: Scenario; activated: number }>;
  activations: number;
  replies: Map<string, { body: string; text: string; atMs: number }>;
}

export const iso = (ms: number): string => new Date(ms).toISOString();

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function durationMs(text: string): number {
  return [...text.matchAll(/(\d+)(ms|[smhd])/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * UNIT_MS[unit!]!,
    0,
  );
}

/** Returns the JSON of a charge, with fields in the service's order. */
export function chargeJson(charge: Charge): string {
  const { price, fixed } = charge;
  return JSON.stringify({
    charge_id: charge.id,
    checkout_id: charge.checkoutId,
    organization_id: charge.org,
    amount: price?.amount ?? charge.pricing.amount,
    currency: price?.currency ?? charge.pricing.base_currency,
    status: charge.status,
    payment_provider: null,
    provider_reference: fixed.provider_reference,
    created_at: iso(charge.createdMs),
    updated_at: iso(charge.updatedMs),
    payment_method: fixed.payment_method,
    payment_rail: fixed.payment_rail,
    customer_email: fixed.customer_email,
    customer_name: fixed.customer_name,
    metadata: charge.subject.metadata,
    fees: price?.fees ?? null,
    exchange_rate: price?.exchange_rate ?? null,
    settlement_amount: price?.settlement_amount ?? null,
    settled_at: charge.settledMs === null ? null : iso(charge.settledMs),
    failure_reason: charge.failure,
    payment_instructions: fixed.payment_instructions,
    expires_at: iso(charge.expiresMs),
    status_history: charge.history.map(({ status, atMs, reason }) =>
      reason === undefined ? { status, at: iso(atMs) } : { status, at: iso(atMs), reason },
    ),
  });
}

export function withdrawalJson(one: Withdrawal): string {
  const { fixed } = one;
  return JSON.stringify({
    withdrawal_id: one.id,
    destination_id: fixed.destination_id,
    organization_id: one.org,
    amount: one.amount,
    fee: fixed.fee,
    currency: one.currency,
    status: one.status,
    failure_reason: one.failure,
    reference: fixed.reference,
    metadata: one.subject.metadata,
    created_at: fixed.created_at,
    updated_at: iso(one.updatedMs),
  });
}

/** Adds the fields of a partial refund or chargeback. */
function extended(json: string, answer: object): string {
  return `${json.slice(0, -1)},"sandbox_extension":${JSON.stringify(answer)}}`;
}

export class Model {
  state: State;

  constructor(startMs: number, rates: Readonly<Record<string, string>>, scenarios: State["scenarios"]) {
    this.state = {
      nowMs: startMs,
      order: 0,
      rates: { ...rates },
      charges: new Map(),
      withdrawals: new Map(),
      quotes: new Map(),
      holdings: new Map(),
      events: [],
      endpoints: new Map(),
      deliveries: [],
      told: 0,
      scenarios,
      activations: [...scenarios.values()].filter((one) => one.activated > 0).length,
      replies: new Map(),
    };
  }

  /** The named scenario, then the active ones, then `default`. */
  asked(name: string | null): Scenario[] {
    const all = [...this.state.scenarios.values()];
    const active = all.filter((one) => one.activated > 0).sort((a, b) => b.activated - a.activated);
    const named = name === null ? undefined : this.state.scenarios.get(name);
    const fallback = this.state.scenarios.get("default");
    return [named, ...active, fallback].flatMap((one) => (one === undefined ? [] : [one.scenario]));
  }

  holding(mode: Mode, org: string, currency: string): Holding {
    const key = `${mode}|${org}|${currency}`;
    let found = this.state.holdings.get(key);
    if (found === undefined) this.state.holdings.set(key, (found = { available: 0n, pending: 0n }));
    return found;
  }

  planExpiry(charge: Charge): void {
    charge.expiry = { atMs: charge.expiresMs, order: ++this.state.order, step: 0 };
  }

  match(kind: "charges" | "withdrawals", one: Moving): void {
    const found = firstRule(kind, this.asked(one.asked), one.subject);
    one.scenario = found?.scenario ?? null;
    one.timeline = found?.rule.timeline ?? [];
  }

  /** Finds the rule and starts its timeline. */
  begin(kind: "charges" | "withdrawals", one: Moving): void {
    this.match(kind, one);
    one.entry = this.#plan(one, 0, this.state.nowMs);
  }

  #plan(one: Moving, step: number, fromMs: number): Planned | undefined {
    const entry = one.timeline[step];
    if (entry === undefined) return undefined;
    if (entry.after !== undefined)
      return { atMs: fromMs + durationMs(entry.after), order: ++this.state.order, step };
    const expired = (one as Charge).history.find((change) => change.status === "EXPIRED");
    return expired === undefined ? undefined : this.#planLate(one, step, expired.atMs);
  }

  #planLate(one: Moving, from: number, expiredMs: number): Planned | undefined {
    const step = one.timeline.findIndex((entry, index) => index >= from && entry.after_expiry !== undefined);
    const entry = one.timeline[step];
    if (entry === undefined) return undefined;
    const atMs = Math.max(this.state.nowMs, expiredMs + durationMs(entry.after_expiry!));
    return { atMs, order: ++this.state.order, step };
  }

  /** Returns the error of a transition, or undefined when it is legal. */
  chargeFault(charge: Charge, to: string): "INVALID_TRANSITION" | "INSUFFICIENT_BALANCE" | undefined {
    if (!(CHARGE_MOVES[charge.status] ?? []).includes(to)) return "INVALID_TRANSITION";
    if (to !== "REFUNDED") return undefined;
    if (this.leftOf(charge) === 0n) return "INVALID_TRANSITION";
    const { currency, settlement_amount } = charge.price!;
    const { available } = this.holding(charge.mode, charge.org, currency);
    const settled = units(settlement_amount, currency);
    const owed = this.sharesOf(charge, this.leftOf(charge)).merchant;
    return available + (charge.settledMs === null ? settled : 0n) < owed ? "INSUFFICIENT_BALANCE" : undefined;
  }

  #givenBack({ reversals, price }: Charge): bigint {
    return reversals.reduce((sum, { amount }) => sum + units(amount, price!.currency), 0n);
  }

  /** The merchant's share of a payment after a refund, rounded half up. */
  #keeps({ price }: Charge, returned: bigint): bigint {
    const [paid, settled] = [price!.amount, price!.settlement_amount].map((text) =>
      units(text, price!.currency),
    );
    return settled! - (2n * settled! * returned + paid!) / (2n * paid!);
  }

  /** Splits a refund into the merchant's and the fees' part. */
  sharesOf(charge: Charge, amount: bigint): { merchant: bigint; fees: bigint } {
    const before = this.#givenBack(charge);
    const merchant = this.#keeps(charge, before) - this.#keeps(charge, before + amount);
    return { merchant, fees: amount - merchant };
  }

  /** Amount paid minus the amount returned. */
  leftOf(charge: Charge): bigint {
    return units(charge.price!.amount, charge.price!.currency) - this.#givenBack(charge);
  }

  /** Records a partial refund or chargeback with its event. */
  takeBack(charge: Charge, type: string, answer: { kind: string; amount: string }): void {
    const { currency } = charge.price!;
    const { merchant } = this.sharesOf(charge, units(answer.amount, currency));
    this.holding(charge.mode, charge.org, currency).available -= merchant;
    charge.reversals.push(answer);
    this.#tell(charge, type, extended(chargeJson(charge), answer));
  }

  bounce(one: Withdrawal, answer: object): void {
    this.holding(one.mode, one.org, one.currency).available += units(one.amount, one.currency);
    one.hasBounced = true;
    this.#tell(one, "sandbox.withdrawal.bounced", extended(withdrawalJson(one), answer));
  }

  moveCharge(charge: Charge, to: string, by: "timeline" | "clock" | "person" | "api", reason?: string): void {
    const { nowMs } = this.state;
    const wasOpen = OPEN.includes(charge.status);
    charge.status = to;
    charge.updatedMs = nowMs;
    charge.history.push(
      reason === undefined ? { status: to, atMs: nowMs } : { status: to, atMs: nowMs, reason },
    );
    if (to === "FAILED") charge.failure = reason ?? "declined";
    if (wasOpen && !OPEN.includes(to)) charge.expiry = undefined;
    if (by === "person" || to === "EXPIRED" || CHARGE_MOVES[to] === undefined) charge.entry = undefined;
    if (by === "person") charge.overruled = true;
    if (to === "EXPIRED" && charge.overruled !== true) charge.entry = this.#planLate(charge, 0, nowMs);
    if (to === "COMPLETED") this.#pay(charge);
    if (to === "REFUNDED") {
      if (charge.settledMs === null) this.settle(charge);
      this.holding(charge.mode, charge.org, charge.price!.currency).available -= this.sharesOf(
        charge,
        this.leftOf(charge),
      ).merchant;
    }
    this.#tell(charge, `charge.${to.toLowerCase()}`, chargeJson(charge));
  }

  #pay(charge: Charge): void {
    const { currency, settlement_amount } = charge.price!;
    this.holding(charge.mode, charge.org, currency).pending += units(settlement_amount, currency);
    const delayMs = SETTLEMENT_MS[currency] ?? 0;
    if (delayMs === 0) this.settle(charge);
    else charge.settlement = { atMs: this.state.nowMs + delayMs, order: ++this.state.order, step: 0 };
  }

  settle(charge: Charge): void {
    const { currency, settlement_amount } = charge.price!;
    const holding = this.holding(charge.mode, charge.org, currency);
    holding.pending -= units(settlement_amount, currency);
    holding.available += units(settlement_amount, currency);
    charge.settlement = undefined;
    charge.settledMs = this.state.nowMs;
    charge.updatedMs = this.state.nowMs;
  }

  moveWithdrawal(one: Withdrawal, to: string, by: "timeline" | "person", reason?: string): void {
    one.status = to;
    one.updatedMs = this.state.nowMs;
    if (to === "FAILED") one.failure = reason ?? "rejected";
    if (to === "FAILED" || to === "CANCELLED")
      this.holding(one.mode, one.org, one.currency).available += units(one.amount, one.currency);
    if (by === "person" || WITHDRAWAL_MOVES[to] === undefined) one.entry = undefined;
    this.#tell(one, `withdrawal.${to.toLowerCase()}`, withdrawalJson(one));
  }

  #tell(one: Moving, type: string, data: string): void {
    const { id, mode, org, subject, asked } = one;
    this.state.events.push({ type, objectId: id, atMs: this.state.nowMs, mode, org, data, subject, asked });
  }

  /** Returns the earliest task of all objects, or of `only`. */
  next(only?: Moving): { atMs: number; run: () => void } | undefined {
    let best: { atMs: number; rank: number; order: number; run: () => void } | undefined;
    const consider = (planned: Planned | undefined, rank: number, run: () => void) => {
      if (planned === undefined) return;
      const { atMs, order } = planned;
      if (
        best === undefined ||
        atMs < best.atMs ||
        (atMs === best.atMs && (rank - best.rank || order - best.order) < 0)
      )
        best = { atMs, rank, order, run };
    };
    for (const charge of this.state.charges.values()) {
      if (only !== undefined && charge !== only) continue;
      consider(charge.expiry, 0, () => this.#expire(charge));
      consider(charge.entry, 1, () => this.#runEntry(charge));
      consider(charge.settlement, 1, () => this.settle(charge));
    }
    for (const one of this.state.withdrawals.values())
      if (only === undefined || one === only) consider(one.entry, 1, () => this.#runWithdrawalEntry(one));
    return best;
  }

  #expire(charge: Charge): void {
    charge.expiry = undefined;
    if (OPEN.includes(charge.status)) this.moveCharge(charge, "EXPIRED", "clock");
  }

  #runEntry(charge: Charge): void {
    const { step } = charge.entry!;
    const { to, reason } = charge.timeline[step]!;
    charge.entry = undefined;
    const isMoved = charge.status !== to && this.chargeFault(charge, to) === undefined;
    if (isMoved) this.moveCharge(charge, to, "timeline", reason);
    if (isMoved && to === "EXPIRED") return;
    charge.entry = this.#plan(charge, step + 1, this.state.nowMs) ?? charge.entry;
  }

  #runWithdrawalEntry(one: Withdrawal): void {
    const { step } = one.entry!;
    const { to, reason } = one.timeline[step]!;
    one.entry = undefined;
    if ((WITHDRAWAL_MOVES[one.status] ?? []).includes(to)) this.moveWithdrawal(one, to, "timeline", reason);
    one.entry = this.#plan(one, step + 1, this.state.nowMs);
  }

  /** Advances to the instant and runs all tasks that are due. */
  passTo(toMs: number): void {
    for (let next = this.next(); next !== undefined && next.atMs <= toMs; next = this.next()) {
      this.state.nowMs = Math.max(this.state.nowMs, next.atMs);
      next.run();
    }
    this.state.nowMs = Math.max(this.state.nowMs, toMs);
  }

  /** Runs the charge's own tasks until it has the status. */
  runAhead(charge: Charge, until: string): boolean {
    while (charge.status !== until) {
      const next = this.next(charge);
      if (next === undefined) return false;
      next.run();
    }
    return true;
  }

  /** True if the charge's own tasks reach the status. */
  leadsTo(
    chargeId: string,
    until: string,
    first: (model: Model, charge: Charge) => void = () => {},
  ): boolean {
    const alone = new Model(this.state.nowMs, {}, this.state.scenarios);
    const charge = structuredClone(this.state.charges.get(chargeId)!);
    alone.state.charges.set(charge.id, charge);
    first(alone, charge);
    if (charge.price !== null) {
      const { mode, org, price } = charge;
      alone.holding(mode, org, price.currency).available = available(this, mode, org, price.currency);
    }
    return alone.runAhead(charge, until);
  }

  copy(): State {
    return structuredClone(this.state);
  }
}

export function available(model: Model, mode: Mode, org: string, currency: string): bigint {
  return model.state.holdings.get(`${mode}|${org}|${currency}`)?.available ?? 0n;
}
