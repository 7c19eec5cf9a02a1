import type { ErrorDetails } from "../../schema/errors.js";

/** How many are told: what is no state at all may have one a record. */
const MOST_FAULTS = 20;

/** What is wrong with a state, by its place in the export. */
export class Faults {
  readonly #messages = new Map<string, string>();
  #more = false;

  add(path: string, message: string): void {
    if (this.#messages.has(path)) return;
    if (this.#messages.size < MOST_FAULTS) this.#messages.set(path, message);
    else this.#more = true;
  }

  get none(): boolean {
    return this.#messages.size === 0;
  }

  /** There are more than are told: nobody need look for others. */
  get isFull(): boolean {
    return this.#more;
  }

  get details(): ErrorDetails {
    return Object.fromEntries(this.#messages);
  }
}

/** Where a record stands in an export, which is a list of keys and records. */
export function placeOf(collection: string, index: number, ...fields: readonly (string | number)[]): string {
  return ["collections", collection, index, 1, ...fields].join(".");
}
