import { createHash } from "node:crypto";

/** Pseudorandom numbers, determined by the seed. */
export class Random {
  readonly #seed: string;
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  next(): number {
    return (
      createHash("sha256")
        .update(`${this.#seed}|${this.#count++}`)
        .digest()
        .readUInt32BE(0) /
      2 ** 32
    );
  }

  /** Returns an integer in [from, to]. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.int(0, items.length - 1)]!;
  }

  /** Returns a name with a probability proportional to its weight. */
  weighed<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as Name[];
    let left = this.next() * names.reduce((sum, name) => sum + weights[name], 0);
    for (const name of names) if ((left -= weights[name]) < 0) return name;
    return names.at(-1)!;
  }
}
