import type { WallClock } from "../../src/core/time/wall-clock.js";

/** Longest pause between two reads of an app, in milliseconds. */
const PAUSE_LIMIT_MS = 2_000;
/** Fraction of each pause that really passes. */
const PAUSE_SHARE = 0.2;

/** A wall clock that advances only during pauses of the probes, so that a busy machine changes no result. */
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
