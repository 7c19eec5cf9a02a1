import { referred, rootOf } from "../scope.js";
import type { Resolve } from "../variables.js";

/** The variables a step sees. */
export interface Variables {
  readonly resolve: Resolve;
  save(name: string, value: unknown): void;
}

/** Variables that only a part of a run knows, over those around it. */
export class Locals implements Variables {
  readonly #outer: Variables;
  readonly #own: Map<string, unknown>;
  readonly #isApart: boolean;

  /** @param isApart what is saved stays here until it is handed on: what runs beside does not see it */
  constructor(outer: Variables, own: Readonly<Record<string, unknown>>, isApart: boolean) {
    this.#outer = outer;
    this.#own = new Map(Object.entries(own));
    this.#isApart = isApart;
  }

  readonly resolve: Resolve = (reference) => {
    const root = rootOf(reference.name);
    return this.#own.has(root)
      ? referred(reference.name, this.#own.get(root))
      : this.#outer.resolve(reference);
  };

  save(name: string, value: unknown): void {
    if (this.#isApart || this.#own.has(name)) this.#own.set(name, value);
    else this.#outer.save(name, value);
  }

  handOn(): void {
    for (const [name, value] of this.#own) this.#outer.save(name, value);
  }
}
