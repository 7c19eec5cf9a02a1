import type { Clock } from "../time/clock.js";
import type { Wall } from "../time/wall.js";

/** What a key has left in its window. */
interface RateVerdict {
  readonly limited: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds of sandbox time until the window is over, rounded up. */
  readonly resetSeconds: number;
}

const RATE_WINDOW_MS = 60_000;

interface Window {
  readonly startMs: number;
  count: number;
  /** Wall time at which whoever was refused has waited as long as it was told to. */
  waitedWallMs: number;
}

/**
 * A fixed window of 60 s of sandbox time from a key's first request (specification: Limits). Kept in memory only: counters are no part of the state.
 *
 * While the clock stands still, a refused caller that waits as long as it was told is let in all the same: it heeds
 * `Retry-After`, and nobody may ever move the clock. A run without a refusal knows no wall time.
 */
export class RateLimiter {
  readonly #limit: number;
  readonly #clock: Pick<Clock, "runs">;
  readonly #wall: Pick<Wall, "nowMs">;
  readonly #windows = new Map<string, Window>();

  /** @param limit requests a window */
  constructor(limit: number, clock: Pick<Clock, "runs">, wall: Pick<Wall, "nowMs">) {
    this.#limit = limit;
    this.#clock = clock;
    this.#wall = wall;
  }

  /** @param limit requests a window, where the key has a limit of its own */
  hit(key: string, nowMs: number, limit = this.#limit): RateVerdict {
    let window = this.#windows.get(key);
    if (window === undefined || this.#isOver(window, nowMs))
      this.#windows.set(key, (window = { startMs: nowMs, count: 0, waitedWallMs: Number.POSITIVE_INFINITY }));
    const limited = window.count >= limit;
    if (!limited) window.count++;
    const resetSeconds = Math.ceil((window.startMs + RATE_WINDOW_MS - nowMs) / 1000);
    if (limited)
      window.waitedWallMs = Math.min(window.waitedWallMs, this.#wall.nowMs() + resetSeconds * 1000);
    return { limited, limit, remaining: limit - window.count, resetSeconds };
  }

  #isOver({ startMs, waitedWallMs }: Window, nowMs: number): boolean {
    if (nowMs - startMs >= RATE_WINDOW_MS || nowMs < startMs) return true;
    if (waitedWallMs === Number.POSITIVE_INFINITY) return false;
    return !this.#clock.runs && this.#wall.nowMs() >= waitedWallMs;
  }

  clear(): void {
    this.#windows.clear();
  }
}
