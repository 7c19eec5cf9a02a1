import type { Clock } from "../time/clock.js";
import type { WallClock } from "../time/wall-clock.js";

const RATE_WINDOW_MS = 60_000;

interface Window {
  readonly startMs: number;
  count: number;
  /** Earliest wall time at which a refused client has waited as long as `Retry-After` says. */
  waitedWallMs: number;
}

/**
 * Limits the requests of each key in a window (specification: Limits). The window begins with the first request and
 * lasts 60 s of sandbox time.
 *
 * While the clock stands still, the window also ends when a refused client has waited for `Retry-After` in wall time.
 */
export class RateLimiter {
  readonly #limit: number;
  readonly #clock: Pick<Clock, "isTimeRunning">;
  readonly #wall: Pick<WallClock, "nowMs">;
  readonly #windows = new Map<string, Window>();

  /** @param limit requests per window */
  constructor(limit: number, clock: Pick<Clock, "isTimeRunning">, wall: Pick<WallClock, "nowMs">) {
    this.#limit = limit;
    this.#clock = clock;
    this.#wall = wall;
  }

  /** @param limit requests per window of a key with its own limit */
  hit(key: string, nowMs: number, limit = this.#limit) {
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
    return !this.#clock.isTimeRunning && this.#wall.nowMs() >= waitedWallMs;
  }

  clear(): void {
    this.#windows.clear();
  }
}
