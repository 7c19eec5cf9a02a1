import { pause } from "./timers.js";
import { monotonicMs, yieldToOthers } from "./wall.js";

/** A client that calls in a loop calls again within this time. */
const IN_USE_MS = 2;
/** Interval between work items while the API is in use. */
const SPACING_MS = 1;
/** Length of the finished part of the queue that triggers its removal. */
const DROP_TAKEN_AT = 1_024;

/**
 * Runs one deferred work item per event-loop tick, so that API calls run in between. While the API is in use, items
 * are spaced further apart: a burst of deliveries does not slow it.
 */
export class Turns {
  #waiting: (() => void)[] = [];
  /** Number of finished items at the front of the queue. */
  #taken = 0;
  #goesOn = false;
  #calledMs = Number.NEGATIVE_INFINITY;
  readonly #nowMs: () => number;
  readonly #pause: (delayMs: number) => Promise<void>;

  /** @param nowMs replaced in tests, like `wait` */
  constructor(nowMs = monotonicMs, wait = pause) {
    this.#nowMs = nowMs;
    this.#pause = wait;
  }

  noteCall(): void {
    if (this.#goesOn) this.#calledMs = this.#nowMs();
  }

  /** Resolves when the work item may run. */
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

  /** Not `shift()`: it moves all entries, of which there may be ten thousand. */
  #next(): void {
    this.#waiting[this.#taken++]!();
    if (this.#taken < DROP_TAKEN_AT && this.#taken < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#taken);
    this.#taken = 0;
  }
}

/** One per process, since all sandboxes share its event loop. */
export const turns = new Turns();
