import type { Bug } from "./bugs.js";
import { type Attempt, amountOf, minorOf, type Order, priceOf, waitingAndPaidWords } from "./order.js";
import type { Body } from "./payments.js";
import type { Traits } from "./traits.js";

const ENDED: Readonly<Record<string, string>> = {
  FAILED: "declined",
  CANCELLED: "cancelled",
  EXPIRED: "expired",
};
const ONE_WORD = "not_paid";
export const PARTLY_REFUNDED = "sandbox.charge.partially_refunded";

/** Where a shop has its news of a charge from. */
export type Source = "event" | "read";

/** The orders of a shop. Each method is one transaction: it awaits nothing. */
export class Books {
  readonly #traits: Traits;
  readonly #bug: Bug | undefined;
  readonly #nowMs: () => number;
  readonly #orders = new Map<string, Order>();
  readonly #byCart = new Map<string, Order>();

  constructor(traits: Traits, bug: Bug | undefined, nowMs: () => number) {
    this.#traits = traits;
    this.#bug = bug;
    this.#nowMs = nowMs;
  }

  get all(): Order[] {
    return [...this.#orders.values()];
  }

  find(id: string): Order | undefined {
    return this.#orders.get(id);
  }

  /** Finds the customer's order, or stores a new one. */
  place(cart: string, email: string): Order {
    const known = this.#byCart.get(cart);
    if (known !== undefined) return known;
    const number = this.#orders.size + 1;
    const ids = { "customer's id": cart, "text id": `ord_${cart}_${number}`, "number id": String(number) };
    const { amount, currency } = priceOf(this.#traits);
    const order: Order = {
      id: ids[this.#traits.orders],
      number,
      cart,
      email,
      priceMinor: minorOf(amount),
      currency,
      createdMs: Date.now(),
      status: "",
      attempts: [],
      returns: [],
      delivered: 0,
      creditMinor: 0,
      refunds: [],
      history: [],
      version: 0,
      changedMs: 0,
    };
    this.#setStatus(order, waitingAndPaidWords(this.#traits)[0]);
    this.#orders.set(order.id, order);
    this.#byCart.set(cart, order);
    return order;
  }

  /** Returns true if the order has no charge that is open or paid. */
  needsPayment(order: Order): boolean {
    const isOpen = order.attempts.some(({ status }) => ENDED[status] === undefined);
    return !isOpen && this.#isUnpaid(order);
  }

  /** Begins an attempt to pay, of which no charge is known yet. */
  begin(order: Order, { created_at, amount }: { created_at: string; amount: string }): void {
    order.since ??= created_at;
    order.quoted = amount;
  }

  addAttempt(order: Order, charge_id: string, checkout_id?: string): Attempt {
    const known = order.attempts.find((one) => one.charge_id === charge_id);
    if (known !== undefined) return known;
    const attempt: Attempt = { charge_id, amount: order.quoted, status: "PENDING", known: 1 };
    order.attempts.push(attempt);
    order.since = undefined;
    if (checkout_id !== undefined) order.checkout_id = checkout_id;
    if (order.attempts.length > 1) this.#setStatus(order, waitingAndPaidWords(this.#traits)[0]);
    this.#change(order);
    return attempt;
  }

  /** Learns the state of a charge. Older news change nothing. */
  learn(charge: Body, source: Source): void {
    const order = this.#orders.get(charge.metadata?.order);
    if (order === undefined) return;
    const attempt =
      order.attempts.find((one) => one.charge_id === charge.charge_id) ?? this.#adopt(order, charge);
    if (attempt === undefined || !this.#isNews(attempt, charge, source)) return;
    attempt.known = charge.status_history.length;
    attempt.status = charge.status;
    if (charge.status === "COMPLETED") this.#receive(order, attempt, charge);
    else if (charge.status === "REFUNDED") this.#takeBack(order, attempt);
    else if (ENDED[charge.status] !== undefined) this.#end(order, attempt, charge.status);
    else if (this.#bug === "last_event_wins") this.#setStatus(order, waitingAndPaidWords(this.#traits)[0]);
    else this.#note(order, charge.status.toLowerCase());
    this.#change(order);
  }

  /** Learns that a part of a charge was refunded. */
  learnPart(charge: Body): void {
    this.learn(charge, "read");
    const order = this.#orders.get(charge.metadata?.order);
    if (this.#traits.halves === "ignored" || order?.paidBy !== charge.charge_id) return;
    const { entry_id, amount } = charge.sandbox_extension;
    if (order!.refunds.some(({ id }) => id === entry_id)) return;
    if (this.#bug === "half_is_whole") this.#takeBack(order!, { charge_id: charge.charge_id });
    else order!.refunds.push({ id: entry_id, minor: minorOf(amount) });
    this.#change(order!);
  }

  /** Learns how a withdrawal ended that returns late money. */
  learnReturn({ reference, status }: Body): void {
    for (const order of this.#orders.values()) {
      const found = order.returns.find(({ charge_id }) => referenceOf(charge_id) === reference);
      if (found === undefined || found.status !== "open" || !/COMPLETED|FAILED|CANCELLED/.test(status))
        continue;
      found.status = status === "COMPLETED" ? "done" : "failed";
      if (this.#isUnpaid(order))
        this.#setStatus(order, found.status === "done" ? "returned" : "return_failed");
      this.#change(order);
    }
  }

  markReturned(order: Order): void {
    if (this.#bug === "return_is_proof" && this.#isUnpaid(order)) this.#deliver(order, "");
  }

  #adopt(order: Order, charge: Body): Attempt | undefined {
    const isExpected = order.since !== undefined && charge.created_at >= order.since;
    const adopts = this.#traits.early === "adopts" && this.#traits.checkout === "whitelabel";
    if (!adopts || !isExpected || this.#bug === "early_webhook_dropped") return undefined;
    return charge.amount === order.quoted ? this.addAttempt(order, charge.charge_id) : undefined;
  }

  /** A charge's history only grows, so the longer one is the newer. */
  #isNews(attempt: Attempt, { status, status_history }: Body, source: Source): boolean {
    if (source === "event" && this.#bug === "delivers_copies") return status_history.length >= attempt.known;
    if (source === "event" && this.#bug === "last_event_wins") return status !== attempt.status;
    return status_history.length > attempt.known;
  }

  #receive(order: Order, attempt: Attempt, charge: Body): void {
    if (!this.#isRightMoney(order, attempt, charge)) {
      if (this.#isUnpaid(order)) this.#setStatus(order, "review");
      return;
    }
    const isLate = charge.status_history.some(({ status }: Body) => status === "EXPIRED");
    const isWanted = !isLate || this.#traits.late === "kept";
    if (isLate && this.#bug === "late_money_forgotten") return;
    if (isWanted && (this.#isUnpaid(order) || this.#bug === "delivers_copies")) {
      this.#deliver(order, charge.charge_id);
      return;
    }
    // A shop that reads may learn at once that the charge expired and was paid.
    if (isLate && order.status === waitingAndPaidWords(this.#traits)[0]) this.#end(order, attempt, "EXPIRED");
    if (this.#traits.late === "paid back") {
      order.returns.push({ charge_id: charge.charge_id, amount: charge.amount, status: "open" });
      return;
    }
    attempt.isCredited = true;
    order.creditMinor += order.priceMinor;
  }

  #isRightMoney(order: Order, { amount }: Attempt, charge: Body): boolean {
    if (this.#bug === "any_money") return true;
    const paid = charge.amount_paid ?? charge.amount;
    return (
      (charge.currency_paid ?? charge.currency) === order.currency &&
      charge.settlement_amount === amountOf(order.priceMinor) &&
      (amount === undefined || paid === amount)
    );
  }

  #deliver(order: Order, charge_id: string): void {
    order.paidBy = charge_id;
    order.paidMs = Date.now();
    order.delivered += 1;
    this.#setStatus(order, waitingAndPaidWords(this.#traits)[1]);
  }

  #end(order: Order, attempt: Attempt, status: string): void {
    if (this.#bug === "delivers_unpaid") this.#deliver(order, attempt.charge_id);
    else if (order.attempts.at(-1) === attempt && this.#isUnpaid(order))
      this.#setStatus(order, this.#traits.ends === "apart" ? ENDED[status]! : ONE_WORD);
  }

  #takeBack(order: Order, { charge_id, isCredited }: Pick<Attempt, "charge_id" | "isCredited">): void {
    if (order.paidBy === charge_id) {
      const left = order.priceMinor - order.refunds.reduce((sum, { minor }) => sum + minor, 0);
      order.refunds.push({ id: `whole of ${charge_id}`, minor: left });
      this.#setStatus(order, "refunded");
    } else if (isCredited) order.creditMinor -= order.priceMinor;
    else if (this.#isUnpaid(order)) this.#setStatus(order, "refunded");
  }

  #isUnpaid({ paidBy, status }: Order): boolean {
    return paidBy === undefined && !["refunded", "review"].includes(status);
  }

  #setStatus(order: Order, status: string): void {
    order.status = status;
    this.#note(order, status);
  }

  #note(order: Order, status: string): void {
    order.history.push({ status, atMs: Date.now() });
  }

  #change(order: Order): void {
    order.version += 1;
    order.changedMs = this.#nowMs();
  }
}

/** The reference and the Idempotency-Key of the withdrawal that returns a charge. */
export function referenceOf(charge_id: string): string {
  return `return-${charge_id}`;
}
