import { pause } from "./timers.js";
import { monotonicMs, yieldToOthers } from "./wall.js";

/** How long after a call the API is taken to be in use: whoever calls in a loop is back within it. */
const IN_USE_MS = 2;
/** While the API is in use, one piece of work is let through in so long. */
const SPACING_MS = 1;
/** How many that have had their turn are kept before they are dropped. */
const DROP_TAKEN_AT = 1_024;

/**
 * Work that may wait a moment, one piece in each turn of the event loop: between two of them calls of the API get
 * theirs. While the API is being called the pieces are further apart, so that a storm of deliveries does not slow it.
 */
export class Turns {
  #waiting: (() => void)[] = [];
  /** How many of those have had their turn. */
  #taken = 0;
  #goesOn = false;
  #calledMs = Number.NEGATIVE_INFINITY;
  readonly #nowMs: () => number;
  readonly #pause: (delayMs: number) => Promise<void>;

  /** A test hands in its own time and pause. */
  constructor(nowMs = monotonicMs, wait = pause) {
    this.#nowMs = nowMs;
    this.#pause = wait;
  }

  /** Somebody calls the API at this moment. */
  noteCall(): void {
    if (this.#goesOn) this.#calledMs = this.#nowMs();
  }

  /** Resolves when it is one's turn. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#goesOn) void this.#go();
    });
  }

  async #go(): Promise<void> {
    this.#goesOn = true;
    while (this.#waiting.length > 0) {
      const isInUse = this.#nowMs() - this.#calledMs < IN_USE_MS;
      await (isInUse ? this.#pause(SPACING_MS) : yieldToOthers());
      this.#next();
    }
    this.#goesOn = false;
  }

  /** Not by shift(): that moves all who wait, and there may be ten thousand. */
  #next(): void {
    this.#waiting[this.#taken++]!();
    if (this.#taken < DROP_TAKEN_AT && this.#taken < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#taken);
    this.#taken = 0;
  }
}

/** There is one event loop in a process, whatever number of sandboxes share it. */
export const turns = new Turns();
