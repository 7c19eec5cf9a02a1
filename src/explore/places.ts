import { type Choice, type Customer, choicesOf } from "./choices.js";
import { deviationsAt, KINDS, type Words } from "./kinds.js";
import { type Deviation, keyOf } from "./schedule.js";
import type { Apart } from "./search.js";
import type { Seen, SeenCharge } from "./seen.js";

/** Where each deviation is, as it was first seen. */
export class Places {
  readonly #customer: Customer;
  readonly #places = new Map<string, Choice>();
  /** What was made out of each run: it is asked for more than once. */
  readonly #known = new WeakMap<Seen, Deviation[]>();
  /** The charges of the first run that was looked at. */
  #charges: readonly SeenCharge[] | undefined;

  constructor(customer: Customer) {
    this.#customer = customer;
  }

  /** What could have gone otherwise in a run. */
  deviationsOf(seen: Seen): Deviation[] {
    const known = this.#known.get(seen) ?? this.#allIn(seen);
    this.#known.set(seen, known);
    return known;
  }

  #allIn(seen: Seen): Deviation[] {
    this.#charges ??= seen.charges;
    return choicesOf(seen, this.#customer).flatMap((choice) => {
      const deviations = deviationsAt(choice);
      for (const deviation of deviations)
        if (!this.#places.has(keyOf(deviation))) this.#places.set(keyOf(deviation), choice);
      return deviations;
    });
  }

  /** Tells of each deviation whether such a run has what it would go wrong with. */
  metIn(seen: Seen): (deviation: Deviation) => boolean {
    const there = this.deviationsOf(seen);
    const [keys, places] = [new Set(there.map(keyOf)), new Set(there.map(({ at }) => at))];
    return (one) => {
      const { what } = this.#places.get(keyOf(one))!;
      if (what !== "call" && what !== "event") return true;
      // What is held is let go by what is planned then: elsewhere the flow would wait in vain.
      return this.wordsOf(one).meanwhile === undefined ? places.has(one.at) : keys.has(keyOf(one));
    };
  }

  wordsOf(deviation: Deviation, whose: { readonly customer_email?: string } = {}): Words {
    return KINDS[deviation.kind].words(this.#places.get(keyOf(deviation))!, whose)!;
  }

  /**
   * Two that would go wrong with the same call, or that both hold the flow, cannot stand in one run; two that concern
   * charges with nothing in common but the customer need not.
   */
  apart(one: Deviation, other: Deviation): Apart | undefined {
    const [a, b] = [this.wordsOf(one), this.wordsOf(other)];
    const isSameCall =
      a.faults !== undefined &&
      a.faults.skip === b.faults?.skip &&
      a.faults.match?.operation === b.faults?.match?.operation;
    if (isSameCall || (a.meanwhile !== undefined && b.meanwhile !== undefined)) return "impossible";
    const [mine, others] = [this.#chargeOf(one), this.#chargeOf(other)];
    return mine !== undefined && others !== undefined && areStrangers(mine, others)
      ? "independent"
      : undefined;
  }

  #chargeOf(deviation: Deviation): SeenCharge | undefined {
    const choice = this.#places.get(keyOf(deviation))!;
    const charge = "charge" in choice ? choice.charge : undefined;
    return charge && this.#charges?.find((one) => one === charge);
  }

  /** It meets nobody but the run's own customer, and the flow does not wait for it. */
  isOwn(deviation: Deviation): boolean {
    const choice = this.#places.get(keyOf(deviation))!;
    return (choice.what !== "call" || choice.isOwn) && this.wordsOf(deviation).meanwhile === undefined;
  }
}

/** Of charges without a word in their metadata nobody knows. */
function areStrangers({ charge_id, metadata }: SeenCharge, other: SeenCharge): boolean {
  const [mine, others] = [Object.values(metadata), Object.values(other.metadata)];
  return (
    charge_id !== other.charge_id &&
    mine.length > 0 &&
    others.length > 0 &&
    !mine.some((value) => others.includes(value))
  );
}
