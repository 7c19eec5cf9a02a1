import type { WallClock } from "../../src/core/time/wall-clock.js";

/** Longest pause of the doctor between two reads of an app; longer timers are request timeouts. */
const PAUSE_LIMIT_MS = 2_000;
/** Real time of a pause as a share of its wall time, enough for an app in the same process. */
const PAUSE_SHARE = 0.2;

/**
 * Wall time that advances only during the probes' pauses and on request, so that a busy machine delays no response
 * and no test waits for a receiver that does not respond.
 */
export class PassingWall implements WallClock {
  #nowMs = Date.now();
  readonly #timers = new Map<() => void, number>();

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const dueMs = this.#nowMs + delayMs;
    if (delayMs < PAUSE_LIMIT_MS) {
      const timer = setTimeout(() => {
        this.#nowMs = Math.max(this.#nowMs, dueMs);
        callback();
      }, delayMs * PAUSE_SHARE);
      return () => clearTimeout(timer);
    }
    this.#timers.set(callback, dueMs);
    return () => this.#timers.delete(callback);
  }

  /** Ends all waits without advancing time. */
  giveUp(): void {
    for (const callback of [...this.#timers.keys()]) callback();
  }

  pass(ms: number): void {
    this.#nowMs += ms;
    for (const [callback, dueMs] of [...this.#timers]) if (dueMs <= this.#nowMs) callback();
  }
}
