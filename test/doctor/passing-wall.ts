import type { WallClock } from "../../src/core/time/wall-clock.js";

/** The doctor waits no longer than this between two looks at an app; longer timers are timeouts of requests. */
const PAUSE_LIMIT_MS = 2_000;
/** A pause takes this share of its time, which is long for an app in the same process. */
const PAUSE_SHARE = 0.2;

/**
 * Time passes only by the probes' own pauses, and when a receiver says so: a busy machine makes no response late, and
 * no test waits for a receiver that hangs.
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

  /** Ends all waits at once; no time passes. */
  giveUp(): void {
    for (const callback of [...this.#timers.keys()]) callback();
  }

  pass(ms: number): void {
    this.#nowMs += ms;
    for (const [callback, dueMs] of [...this.#timers]) if (dueMs <= this.#nowMs) callback();
  }
}
