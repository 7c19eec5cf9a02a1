/** What a key has left in its window. */
export interface RateVerdict {
  readonly limited: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds of sandbox time until the window is over, rounded up. */
  readonly resetSeconds: number;
}

export const RATE_WINDOW_MS = 60_000;

/**
 * A fixed window of 60 s of sandbox time from a key's first request (specification: Limits; contract: rate
 * limit). Kept in memory only: counters are no part of the state.
 */
export class RateLimiter {
  readonly #limit: number;
  readonly #windows = new Map<string, { startMs: number; count: number }>();

  /** @param limit requests a window */
  constructor(limit: number) {
    this.#limit = limit;
  }

  hit(key: string, nowMs: number): RateVerdict {
    let window = this.#windows.get(key);
    if (window === undefined || nowMs - window.startMs >= RATE_WINDOW_MS || nowMs < window.startMs)
      this.#windows.set(key, (window = { startMs: nowMs, count: 0 }));
    const limited = window.count >= this.#limit;
    if (!limited) window.count++;
    return {
      limited,
      limit: this.#limit,
      remaining: this.#limit - window.count,
      resetSeconds: Math.ceil((window.startMs + RATE_WINDOW_MS - nowMs) / 1000),
    };
  }

  clear(): void {
    this.#windows.clear();
  }
}
