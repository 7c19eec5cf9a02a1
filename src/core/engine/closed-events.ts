import type { Delivery, EventRecord } from "./records.js";
import { SortedList } from "./sorted-list.js";

/** The events without an open delivery: those that the log may let go. */
export class ClosedEvents {
  readonly #seqs = new SortedList();
  /** By event: how many of its deliveries are open. */
  readonly #openOf = new Map<string, number>();

  /** The numbers of the oldest, up to that one. */
  oldest(limit: number, highestSeq: number): number[] {
    return this.#seqs.pageFromStart(limit, highestSeq);
  }

  noteEvent({ event_id, seq }: EventRecord, present: boolean): void {
    if (!present) this.#seqs.remove(seq);
    else if (!this.#openOf.has(event_id)) this.#seqs.add(seq);
  }

  /** `event` is the delivery's, if there is one still, or yet. */
  noteDelivery(
    before: Delivery | undefined,
    after: Delivery | undefined,
    event: EventRecord | undefined,
  ): void {
    const change = openness(after) - openness(before);
    if (change === 0) return;
    const { event_id } = (after ?? before)!;
    const open = (this.#openOf.get(event_id) ?? 0) + change;
    if (open === 0) this.#openOf.delete(event_id);
    else this.#openOf.set(event_id, open);
    if (event === undefined) return;
    if (open === 0) this.#seqs.add(event.seq);
    else if (open === change) this.#seqs.remove(event.seq);
  }
}

function openness(delivery: Delivery | undefined): number {
  return delivery?.status === "pending" ? 1 : 0;
}
