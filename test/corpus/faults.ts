import { type Charge, Refused, Unanswered } from "./payments.js";
import { type News, type Order, Shop } from "./shop.js";

const TRIES = 3;

/** Pays once more for an order, whatever has become of the try before. */
async function payAgain(shop: Shop, order: Order): Promise<void> {
  if (order.tries >= TRIES) return;
  order.openUntil = undefined;
  await shop.attempt(order);
}

/** The shops, each with one fault; `right` and `queued` have none. */
export const SHOPS = {
  right: Shop,

  /** Responds with 202 and works afterwards. */
  queued: class extends Shop {
    override readonly answersFirst = true;
  },

  /** Acts on the same news twice. */
  acts_twice: class extends Shop {
    override isNews({ known }: Order, { charge_id, status_history }: News): boolean {
      return status_history.length >= (known.get(charge_id) ?? 0);
    }

    override owes(): boolean {
      return true;
    }
  },

  /** Knows news by the id of its event alone. */
  trusts_ids: class extends Shop {
    readonly #heard = new Set<string>();

    override isNews(order: Order, news: News): boolean {
      return news.eventId === undefined ? super.isNews(order, news) : !this.#heard.has(news.eventId);
    }

    override mark(order: Order, news: News): void {
      if (news.eventId !== undefined) this.#heard.add(news.eventId);
      super.mark(order, news);
    }

    override owes(): boolean {
      return true;
    }
  },

  /** Checks, then acts: a concurrent event passes the same check. */
  races: class extends Shop {
    override take(order: Order, news: News): Promise<void> {
      return this.learn(order, news);
    }
  },

  /** Takes what comes last for what is so now. */
  last_wins: class extends Shop {
    override isNews(): boolean {
      return true;
    }
  },

  /** Drops events of charges unknown to it, and reads only after an error. */
  drops_unknown: class extends Shop {
    override orderOf({ charge_id }: Charge): Order | undefined {
      return [...this.orders.values()].find((order) => order.charge_id === charge_id);
    }

    override isDue(order: Order): boolean {
      return super.isDue(order) && order.isInDoubt;
    }
  },

  /** Pays again when a response is lost. */
  pays_again: class extends Shop {
    override lost(order: Order): Promise<void> {
      return payAgain(this, order);
    }
  },

  /** Looks when a response is lost, and pays again when it sees nothing because the look fails. */
  looks_once: class extends Shop {
    override async lost(order: Order): Promise<void> {
      const charge = await this.look(order).catch((error) => {
        if (error instanceof Unanswered || error instanceof Refused) return undefined;
        throw error;
      });
      await (charge === undefined ? payAgain(this, order) : this.take(order, charge));
    }
  },

  /** Marks events as handled before the work is done: if that fails, it is never done. */
  marks_first: class extends Shop {
    override async learn(order: Order, news: News): Promise<void> {
      if (!this.isNews(order, news)) return;
      this.mark(order, news);
      await this.act(order, news);
    }
  },

  /** Forgets an order whose response is lost, and has no timed job. */
  never_looks: class extends Shop {
    override async lost({ id }: Order): Promise<void> {
      this.orders.delete(id);
      throw new Error("the payment has failed");
    }

    override async tick(): Promise<void> {}
  },

  /** Delivers whenever a customer comes back from the page, and heeds no news after that. */
  believes_return: class extends Shop {
    override async learn(order: Order, news: News): Promise<void> {
      if (!order.onPage || order.delivered === 0) await super.learn(order, news);
    }

    override owes(order: Order): boolean {
      return !order.onPage && super.owes(order);
    }

    override async comeBack(order: Order): Promise<void> {
      order.delivered += 1;
      order.status = "paid";
    }
  },

  /** Looks when a customer comes back from the page, and never else. */
  waits_for_return: class extends Shop {
    override orderOf(charge: Charge): Order | undefined {
      const order = super.orderOf(charge);
      return order?.onPage ? undefined : order;
    }

    override async tick(): Promise<void> {}
  },
} as const;

/** Shops whose fault shows only while a job or a read is under way at the same time; `explore` finds them. */
export const BUSY_SHOPS = {
  /** Its timed job and its webhooks do not wait for each other. */
  job_races: class extends Shop {
    override async lookAfter(order: Order): Promise<void> {
      if (order.charge_id === null) return super.lookAfter(order);
      await this.learn(order, await this.payments.read(order.charge_id));
    }
  },

  /** Its timed job takes an order that is not paid yet for one that was never paid for. */
  job_pays: class extends Shop {
    override async lookAfter(order: Order): Promise<void> {
      if (!order.onPage) await payAgain(this, order);
    }
  },

  /** Responds first, and then trusts its read, however stale. */
  reads_late: class extends Shop {
    override readonly answersFirst = true;

    override async learn(order: Order, { charge_id }: News): Promise<void> {
      const { status } = await this.payments.read(charge_id);
      if (status === "COMPLETED") order.delivered = 1;
      order.status = status === "COMPLETED" ? "paid" : "pending";
    }

    override take(order: Order, news: News): Promise<void> {
      return this.learn(order, news);
    }
  },
} as const;

export type ShopKind = keyof typeof SHOPS | keyof typeof BUSY_SHOPS;
