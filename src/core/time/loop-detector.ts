import type { Change, Delivery, Task } from "../engine/records.js";

/**
 * What leads to what in an advance: a webhook to a call, the call to something planned, that to the next webhook.
 * Everything the engine plans by itself ends some time; what goes through somebody else's hands need not.
 *
 * Nobody says which webhook a call answers. It is taken for the one that has come furthest of those begun last, so
 * many things that go on side by side make no loop longer, however many they are.
 */
export class LoopDetector {
  /** How many calls in a row led to what is planned for a charge, a withdrawal or a lone delivery. */
  readonly #lengths = new Map<string, number>();
  #longest = 0;
  #instantMs = Number.NEGATIVE_INFINITY;
  #current = 0;

  get longest(): number {
    return this.#longest;
  }

  /** An attempt begins: calls from now on may come of it. */
  noteAttempt(delivery: Delivery | undefined, atMs: number): void {
    if (atMs !== this.#instantMs) {
      this.#instantMs = atMs;
      this.#current = 0;
    }
    const length = delivery === undefined ? 0 : (this.#lengths.get(subjectOf(delivery)) ?? 0);
    this.#current = Math.max(this.#current, length);
  }

  /** Somebody's call has planned this: work on something, or a delivery that may still wait for its turn. */
  notePlanned(change: Change): void {
    for (const [name, , record] of change.puts) {
      if (record === null) continue;
      if (name === "deliveries") this.#lengthen(subjectOf(record as Delivery));
      else if (name === "tasks" && (record as Task).kind !== "attempt") this.#lengthen((record as Task).ref);
    }
  }

  #lengthen(subject: string): void {
    const length = Math.max(this.#lengths.get(subject) ?? 0, this.#current + 1);
    this.#lengths.set(subject, length);
    this.#longest = Math.max(this.#longest, length);
  }
}

function subjectOf(delivery: Delivery): string {
  return delivery.object_id ?? delivery.delivery_id;
}
