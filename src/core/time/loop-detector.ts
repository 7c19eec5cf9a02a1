import type { Change, Delivery, Task } from "../engine/records.js";

/**
 * Finds endless chains in an advance: webhook → call → planned task → next webhook. Chains inside the engine always
 * end; chains through the app may not.
 *
 * A call does not say which webhook caused it. It is attributed to the longest chain among the latest attempts, so
 * parallel chains do not add up.
 */
export class LoopDetector {
  /** Chain length by charge, withdrawal or object-less delivery. */
  readonly #lengths = new Map<string, number>();
  #longest = 0;
  #instantMs = Number.NEGATIVE_INFINITY;
  #current = 0;

  get longest(): number {
    return this.#longest;
  }

  /** Notes an attempt that later calls of the same instant may be attributed to. */
  noteAttempt(delivery: Delivery | undefined, atMs: number): void {
    if (atMs !== this.#instantMs) {
      this.#instantMs = atMs;
      this.#current = 0;
    }
    const length = delivery === undefined ? 0 : (this.#lengths.get(subjectOf(delivery)) ?? 0);
    this.#current = Math.max(this.#current, length);
  }

  /** Extends the chain by the tasks and deliveries that an external call planned. */
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
