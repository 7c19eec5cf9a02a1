import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Books, PARTLY_REFUNDED, referenceOf } from "./books.js";
import type { Bug } from "./bugs.js";
import type { Order, Return } from "./order.js";
import { priceOf } from "./order.js";
import { type Account, type Body, Locks, Payments, persist, Refused, Unanswered } from "./payments.js";
import type { Traits } from "./traits.js";
import { accountOf, viewOf } from "./view.js";

type Answer = readonly [status: number, body?: unknown, headers?: Record<string, string>];

const ATTEMPTS = 3;
/** Tries of an event in the queue. */
const QUEUE_TRIES = 5;
/** For this long the shop asks for news of an order: late payments and refunds. */
const WATCHED_MS = 8 * 86_400_000;

/** A shop as its traits have it, which is right unless it has a bug. */
export class Shop {
  readonly books: Books;
  readonly #traits: Traits;
  readonly #bug: Bug | undefined;
  readonly #payments: Payments;
  readonly #locks = new Locks();
  readonly #seen = new Set<string>();
  readonly #inbox = new Map<string, Body>();
  #url = "";

  constructor(traits: Traits, bug: Bug | undefined, account: Account) {
    this.#traits = traits;
    this.#bug = bug;
    this.#payments = new Payments(account);
    this.books = new Books(traits, bug, () => this.#payments.nowMs);
  }

  /** Serves the shop and returns its server and URL. */
  async listen(): Promise<{ server: Server; url: string }> {
    const server = createServer(async (request, response) => {
      const text = Buffer.concat(await request.toArray()).toString();
      const headers = request.headers as Record<string, string>;
      const [status, body = {}, more = {}] = await this.#answer(
        `${request.method} ${request.url}`,
        text,
        headers,
      ).catch((error): Answer => {
        if (error instanceof Unanswered || error instanceof Refused) return [503, { error: error.message }];
        console.error(error);
        return [500];
      });
      response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { server, url: this.#url };
  }

  async #answer(call: string, text: string, headers: Record<string, string>): Promise<Answer> {
    const [, page = "", id = ""] = /^GET \/(\w+)[/?](?:order=)?([^/]+)$/.exec(call) ?? [];
    if (call === "POST /orders") return this.#place(JSON.parse(text));
    if (call === "POST /webhooks") return this.#hear(this.#payments.verify(text, headers));
    if (call === "POST /tick") return this.#work();
    if (page === "customers") return [200, accountOf(decodeURIComponent(id), this.books.all)];
    const order = this.books.find(decodeURIComponent(id));
    if (order === undefined) return [404];
    if (page === "thanks") this.books.markReturned(order);
    const asks = page === "orders" ? this.#traits.polls === "look" : this.#traits.returns === "reads";
    if (asks) await this.#ask(order).catch(() => {});
    return [200, viewOf(order, this.#traits, this.books.all)];
  }

  async #place({ cart, email }: Body): Promise<Answer> {
    const order = this.books.place(cart, email);
    const paying = this.#payAlone(order);
    if (this.#traits.takes === "202") paying.catch(() => {});
    else await paying;
    const { checkout_id } = order;
    const status = Number(this.#traits.takes);
    const order_id = this.#traits.orders === "number id" ? order.number : order.id;
    return [status, { order_id, ...(checkout_id === undefined ? {} : { checkout_id }) }];
  }

  #payAlone(order: Order): Promise<void> {
    return this.#locks.run(order.id, () => this.#pay(order));
  }

  async #pay(order: Order): Promise<void> {
    if (order.since !== undefined && this.#bug !== "pays_again") await this.#findCharge(order);
    for (let attempt = 1; this.books.needsPayment(order); attempt++) {
      try {
        await (this.#traits.checkout === "hosted" ? this.#openPage(order) : this.#createCharge(order));
      } catch (error) {
        if (error instanceof Unanswered && this.#bug !== "pays_again") await this.#findCharge(order);
        if (attempt === ATTEMPTS && this.books.needsPayment(order)) throw error;
      }
    }
  }

  /** Opens a page. Nobody can pay on a page whose response was lost. */
  async #openPage(order: Order): Promise<void> {
    const { amount, currency } = priceOf(this.#traits);
    const { checkout_id, charge_id } = await this.#payments.call("POST", "payments/checkouts", {
      pricing: { base_currency: currency, amount },
      customer_email: order.email,
      metadata: { order: order.id, cart: order.cart },
      success_url: `${this.#url}/thanks?order=${order.id}`,
      cancel_url: `${this.#url}/back?order=${order.id}`,
    });
    this.books.addAttempt(order, charge_id, checkout_id);
  }

  /** Creates a charge. An unanswered attempt may have created it, so `#findCharge` precedes a repeat. */
  async #createCharge(order: Order): Promise<void> {
    const { amount, currency } = priceOf(this.#traits);
    const terms = {
      pricing: { base_currency: currency, amount },
      payment_method: "mobile_money",
      customer_email: order.email,
    };
    const quote = await persist(() => this.#payments.call("POST", "payments/quotes", terms));
    this.books.begin(order, quote);
    const { charge_id } = await this.#payments.call("POST", "payments/whitelabel", {
      ...terms,
      quote_id: quote.quote_id,
      phone_number: "+254700000001",
      metadata: { order: order.id, cart: order.cart },
    });
    this.books.addAttempt(order, charge_id);
    // A webhook that came before the response found no charge.
    if (this.#traits.early === "rereads")
      this.books.learn(await this.#payments.readCharge(charge_id), "read");
  }

  /** Searches for the charge of an attempt whose response was lost. */
  async #findCharge(order: Order): Promise<void> {
    if (order.since === undefined) return;
    const isNew = (id: string) => order.attempts.every(({ charge_id }) => charge_id !== id);
    const charge = await this.#payments.findCharge(
      order.since,
      ({ charge_id, metadata }) => metadata.order === order.id && isNew(charge_id),
    );
    if (charge === undefined || !this.books.needsPayment(order)) return;
    this.books.addAttempt(order, charge.charge_id);
    this.books.learn(charge, "read");
  }

  async #hear(event: Body | undefined): Promise<Answer> {
    if (event === undefined) return [400];
    if (event.mode !== "test") return [200];
    const { handles, copies } = this.#traits;
    if (copies === "by id" && this.#seen.has(event.id)) return [200];
    if (handles === "inbox") {
      if (!this.#seen.has(event.id)) this.#inbox.set(event.id, event);
      return [200];
    }
    if (handles === "queue") {
      setImmediate(() => persist(() => this.#handle(event), QUEUE_TRIES).catch(() => {}));
      return [202];
    }
    if (this.#bug === "marked_before_done") this.#seen.add(event.id);
    await this.#handle(event);
    return [200];
  }

  /** Does the work of an event, then stores its id. */
  async #handle(event: Body): Promise<void> {
    const { id, type, data } = event;
    if (type.startsWith("withdrawal.")) this.books.learnReturn(data);
    else if (type === PARTLY_REFUNDED) this.books.learnPart(data);
    else if (type.startsWith("charge.")) {
      this.books.learn(await this.#newest(data), "event");
      const order = this.books.find(data.metadata?.order);
      // The scheduled work repeats a payout that fails.
      if (order !== undefined) await this.#payBack(order).catch(() => {});
    }
    this.#seen.add(id);
  }

  /** Returns the charge of an event, read again if the shop trusts only reads. A read must be as new as its event. */
  async #newest(data: Body): Promise<Body> {
    if (this.#traits.trusts === "event") return data;
    return persist(async () => {
      const charge = await this.#payments.readCharge(data.charge_id, 1);
      if (charge.status_history.length < data.status_history.length)
        throw new Unanswered("the read is behind");
      return charge;
    }, this.#readTries);
  }

  get #readTries(): number {
    return this.#traits.reads === "once" ? 1 : 3;
  }

  /** The scheduled work. An order that fails waits for the next time. */
  async #work(): Promise<Answer> {
    for (const [id, event] of this.#inbox)
      await this.#handle(event).then(
        () => this.#inbox.delete(id),
        () => {},
      );
    for (const order of this.books.all) {
      const isWatched = this.#payments.nowMs - order.changedMs < WATCHED_MS;
      if (isWatched || this.#isPromised(order)) await this.#lookAfter(order).catch(() => {});
    }
    return [200];
  }

  /** Returns true if the customer has a response, and the service no charge yet. */
  #isPromised(order: Order): boolean {
    return this.#traits.takes === "202" && order.attempts.length === 0;
  }

  async #lookAfter(order: Order): Promise<void> {
    if (this.#isPromised(order) || order.since !== undefined) await this.#payAlone(order);
    if (this.#traits.learns !== "webhooks") await this.#ask(order);
    await this.#payBack(order);
  }

  /** Reads the order's charges. */
  async #ask(order: Order): Promise<void> {
    for (const { charge_id } of order.attempts)
      this.books.learn(await this.#payments.readCharge(charge_id, this.#readTries), "read");
  }

  /** Returns late money, once for each charge. */
  #payBack(order: Order): Promise<void> {
    return this.#locks.run(`returns of ${order.id}`, async () => {
      for (const one of order.returns) if (one.status === "open") await this.#withdraw(one, order);
    });
  }

  async #withdraw(one: Return, { currency }: Order): Promise<void> {
    const wallet = { type: "mobile_money", currency, provider: "simba_pesa", phone_number: "+254700000009" };
    const reference = referenceOf(one.charge_id);
    one.destination_id ??= (
      await persist(() => this.#payments.call("POST", "payouts/destinations", wallet))
    ).destination_id;
    // A key is kept for a day only, so an earlier attempt is searched for.
    if (one.isAsked) one.withdrawal_id ??= (await this.#payments.findWithdrawal(reference))?.withdrawal_id;
    if (one.withdrawal_id === undefined) {
      one.isAsked = true;
      const terms = { destination_id: one.destination_id, amount: one.amount, currency, reference };
      const asked = await persist(() => this.#payments.call("POST", "payouts/withdrawals", terms, reference));
      one.withdrawal_id = asked.withdrawal_id;
    }
    const path = `payouts/withdrawals/${one.withdrawal_id}`;
    this.books.learnReturn(await persist(() => this.#payments.call("GET", path)));
  }
}
