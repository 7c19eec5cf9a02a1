import { type Charge, type Page, type Payments, Refused, Unanswered } from "./payments.js";

export interface Order {
  readonly id: string;
  readonly email: string;
  readonly phone: string;
  status: string;
  charge_id: string | null;
  amount: string | null;
  currency: string | null;
  delivered: number;
  /** True if the order is paid on a hosted page. */
  readonly onPage: boolean;
  page?: Page;
  /** True after an error; the timed job then checks the order. */
  isInDoubt: boolean;
  isPaying: boolean;
  tries: number;
  /** When the first attempt began, and when the last can still take effect. */
  since?: string;
  openUntil?: string | undefined;
  /** Length of the known status history by charge. */
  readonly known: Map<string, number>;
  /** Resolves when all queued work on the order is complete. */
  turn: Promise<void>;
}

export interface News extends Charge {
  /** Event with the status; undefined when the charge was read. */
  readonly eventId?: string;
}

const STATUS: Readonly<Record<string, string>> = {
  COMPLETED: "paid",
  FAILED: "failed",
  CANCELLED: "cancelled",
  EXPIRED: "expired",
  REFUNDED: "refunded",
};

/** Maximum age of a read. */
const MARGIN_MS = 60_000;

/** A correct shop, which pays and delivers each order once. */
export class Shop {
  readonly orders = new Map<string, Order>();
  /** URL of the shop. */
  url = "";
  /** True if webhooks get their response before processing. */
  readonly answersFirst: boolean = false;
  readonly #orderOfCharge = new Map<string, string | undefined>();

  constructor(readonly payments: Payments) {}

  /** Creates an order; a repeated id returns the existing one. */
  async order(wish: Pick<Order, "id" | "email" | "phone" | "onPage">): Promise<Order> {
    const known = this.orders.get(wish.id);
    if (known !== undefined && !known.onPage) return known;
    const order: Order = known ?? {
      ...wish,
      status: "pending",
      charge_id: null,
      amount: null,
      currency: null,
      delivered: 0,
      isInDoubt: false,
      isPaying: false,
      tries: 0,
      known: new Map(),
      turn: Promise.resolve(),
    };
    // Webhooks can arrive before the response.
    this.orders.set(order.id, order);
    await (order.onPage ? this.openPage(order) : this.pay(order)).catch((error) => this.fail(order, error));
    return order;
  }

  /** Leaves the order to the timed job after an error. */
  fail(order: Order, error: unknown): void {
    if (!(error instanceof Unanswered || error instanceof Refused)) throw error;
    order.isInDoubt = true;
  }

  /** Opens a hosted page. Nobody can pay on a page whose URL was lost. */
  async openPage(order: Order): Promise<void> {
    if (order.delivered > 0 || (order.page !== undefined && order.status === "pending")) return;
    const page = await this.payments.page(order, `${this.url}/orders/${order.id}/back`);
    if (order.delivered === 0) Object.assign(order, { charge_id: page.charge_id, page, status: "pending" });
  }

  /** The return URL can be forged, so the shop reads the charge. */
  async comeBack(order: Order): Promise<void> {
    if (this.isDue(order)) await this.lookAfter(order).catch((error) => this.fail(order, error));
  }

  async pay(order: Order): Promise<void> {
    if (order.isPaying) return;
    order.isPaying = true;
    try {
      await this.attempt(order);
    } finally {
      order.isPaying = false;
    }
  }

  /** Pays with a quote. A new attempt waits until the previous quote expires. */
  async attempt(order: Order): Promise<void> {
    const quote = await this.payments.quote(order);
    const { openUntil } = order;
    if (openUntil !== undefined && Date.parse(quote.created_at) < Date.parse(openUntil) + MARGIN_MS) return;
    order.since ??= quote.created_at;
    order.openUntil = quote.expires_at;
    order.tries += 1;
    try {
      const { charge_id, amount, currency } = await this.payments.charge(order, quote);
      if (order.charge_id === null) Object.assign(order, { charge_id, amount, currency });
    } catch (error) {
      if (error instanceof Unanswered) return this.lost(order);
      order.openUntil = undefined;
      if (error instanceof Refused && error.status === 400 && error.details.quote_id === undefined)
        order.status = "failed";
      else throw error;
    }
  }

  /** Searches for the charge of a lost response before making another. */
  async lost(order: Order): Promise<void> {
    order.isInDoubt = true;
    const charge = await this.look(order);
    if (charge !== undefined) await this.take(order, charge);
  }

  /** Searches the charges since the first attempt. */
  async look({ id, since = "" }: Order): Promise<Charge | undefined> {
    for await (const charge_id of this.payments.since(since)) {
      if (this.#orderOfCharge.has(charge_id) && this.#orderOfCharge.get(charge_id) !== id) continue;
      const charge = await this.payments.read(charge_id);
      this.#orderOfCharge.set(charge_id, charge.metadata.order_id);
      if (charge.metadata.order_id === id) return charge;
    }
    return undefined;
  }

  orderOf({ metadata }: Charge): Order | undefined {
    return this.orders.get(metadata?.order_id ?? "");
  }

  /** Handles a webhook. The timed job retries after an error. */
  async hear(news: News): Promise<void> {
    const order = this.orderOf(news);
    if (order !== undefined) await this.take(order, news).catch((error) => this.fail(order, error));
  }

  /** Applies a charge's status, one at a time and in any order. */
  take(order: Order, news: News): Promise<void> {
    const turn = order.turn.then(() => this.learn(order, news));
    order.turn = turn.catch(() => {});
    return turn;
  }

  async learn(order: Order, news: News): Promise<void> {
    if (!this.isNews(order, news)) return;
    await this.act(order, news);
    this.mark(order, news);
  }

  isNews({ known }: Order, { charge_id, status_history }: News): boolean {
    return status_history.length > (known.get(charge_id) ?? 0);
  }

  mark({ known }: Order, { charge_id, status_history }: News): void {
    known.set(charge_id, status_history.length);
  }

  /** Delivers once, and records the amounts of the service. */
  async act(order: Order, { charge_id, status, amount, currency }: News): Promise<void> {
    const isOther = order.charge_id !== null && order.charge_id !== charge_id;
    // Refunds a second payment of the order.
    if (isOther && (order.delivered > 0 || status !== "COMPLETED")) return;
    if (status === "COMPLETED" && this.owes(order)) {
      const booked = await this.payments.read(charge_id);
      if (booked.status !== "COMPLETED") throw new Unanswered("the books are behind");
      order.delivered += 1;
    }
    if (status === "REFUNDED") order.delivered = 0; // the goods are returned
    Object.assign(order, { charge_id, amount, currency, status: STATUS[status] ?? "pending" });
  }

  owes({ delivered }: Order): boolean {
    return delivered === 0;
  }

  /** The timed job: checks all open orders. */
  async tick(): Promise<void> {
    for (const order of [...this.orders.values()])
      if (this.isDue(order)) await this.lookAfter(order).catch((error) => this.fail(order, error));
  }

  isDue({ status, delivered, isPaying }: Order): boolean {
    return (status === "pending" || status === "expired") && delivered === 0 && !isPaying;
  }

  async lookAfter(order: Order): Promise<void> {
    if (order.charge_id !== null) return this.take(order, await this.payments.read(order.charge_id));
    const charge = order.tries === 0 ? undefined : await this.look(order);
    if (charge !== undefined) await this.take(order, charge);
    else if (!order.onPage) await this.pay(order);
  }
}
