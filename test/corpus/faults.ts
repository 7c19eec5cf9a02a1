import { type Charge, Refused, Unanswered } from "./payments.js";
import { type News, type Order, Shop } from "./shop.js";

const TRIES = 3;

/** Pays again without checking the previous attempt. */
async function payAgain(shop: Shop, order: Order): Promise<void> {
  if (order.tries >= TRIES) return;
  order.openUntil = undefined;
  await shop.attempt(order);
}

/** Shops with one bug each; `right` and `queued` have none. */
export const SHOPS = {
  right: Shop,

  /** Responds with 202 and processes the event afterwards. */
  queued: class extends Shop {
    override readonly answersFirst = true;
  },

  /** Acts twice on a repeated status. */
  acts_twice: class extends Shop {
    override isNews({ known }: Order, { charge_id, status_history }: News): boolean {
      return status_history.length >= (known.get(charge_id) ?? 0);
    }

    override owes(): boolean {
      return true;
    }
  },

  /** Detects duplicates by event id only. */
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

  /** Checks without a lock, so that a concurrent event passes, too. */
  races: class extends Shop {
    override take(order: Order, news: News): Promise<void> {
      return this.learn(order, news);
    }
  },

  /** Takes the latest event as the current status. */
  last_wins: class extends Shop {
    override isNews(): boolean {
      return true;
    }
  },

  /** Drops events of unknown charges. */
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

  /** Pays again when the search for a charge fails. */
  looks_once: class extends Shop {
    override async lost(order: Order): Promise<void> {
      const charge = await this.look(order).catch((error) => {
        if (error instanceof Unanswered || error instanceof Refused) return undefined;
        throw error;
      });
      await (charge === undefined ? payAgain(this, order) : this.take(order, charge));
    }
  },

  /** Marks an event as handled before the work, so that failed work is lost. */
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

  /** Delivers when a customer returns from the page. */
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

  /** Reads the charge only when a customer returns from the page. */
  waits_for_return: class extends Shop {
    override orderOf(charge: Charge): Order | undefined {
      const order = super.orderOf(charge);
      return order?.onPage ? undefined : order;
    }

    override async tick(): Promise<void> {}
  },
} as const;

/** Shops whose bug shows only during a concurrent job or read. */
export const BUSY_SHOPS = {
  /** Runs its job and its webhook handlers concurrently. */
  job_races: class extends Shop {
    override async lookAfter(order: Order): Promise<void> {
      if (order.charge_id === null) return super.lookAfter(order);
      await this.learn(order, await this.payments.read(order.charge_id));
    }
  },

  /** The job pays again for an order whose payment is pending. */
  job_pays: class extends Shop {
    override async lookAfter(order: Order): Promise<void> {
      if (!order.onPage) await payAgain(this, order);
    }
  },

  /** Responds first and then uses a stale read. */
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
