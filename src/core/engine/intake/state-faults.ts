import type { ErrorDetails } from "../../schema/refusals.js";

/** Limit on reported faults: invalid state may have one per record. */
const REPORT_MAX_FAULTS = 20;

/** Faults of a state by path in the export. */
export class StateFaults {
  readonly #messages = new Map<string, string>();
  #isFull = false;

  add(path: string, message: string): void {
    if (this.#messages.has(path)) return;
    if (this.#messages.size < REPORT_MAX_FAULTS) this.#messages.set(path, message);
    else this.#isFull = true;
  }

  get isEmpty(): boolean {
    return this.#messages.size === 0;
  }

  /** True once a fault exceeds the limit: checks can stop. */
  get isFull(): boolean {
    return this.#isFull;
  }

  get details(): ErrorDetails {
    return Object.fromEntries(this.#messages);
  }
}

/** Path of a record in an export, whose collections are lists of [key, record]. */
export function recordPath(
  collection: string,
  index: number,
  ...fields: readonly (string | number)[]
): string {
  return ["collections", collection, index, 1, ...fields].join(".");
}
