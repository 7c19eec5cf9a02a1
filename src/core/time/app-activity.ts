import type { WallClock } from "./wall-clock.js";

/** Time limit of a wait for the app's calls to end, as a multiple of `quietMs`. */
const MAX_QUIET_TIMES = 10;

/** The app's calls after its responses to webhooks, while an advance waits for these calls to end. */
export interface QuietReport {
  /** Number of waits. */
  readonly waits: number;
  /** Number of times that a call of the app began or ended during a wait. */
  readonly calls: number;
  /** The longest time from the last response to a webhook to the app's last call, in milliseconds of wall time. */
  readonly longest_ms: number;
  /** Number of waits that reached the time limit before the app's calls had ended. */
  readonly restless: number;
}

/** Tracks which calls of the app are open. `waitUntilQuiet` does not wait for calls that a fault holds. */
export class AppActivity {
  readonly #wall: WallClock;
  #lastMs = Number.NEGATIVE_INFINITY;
  readonly #openCalls = new Set<object>();
  #heldCalls = 0;
  #count = 0;

  constructor(wall: WallClock) {
    this.#wall = wall;
  }

  noteArrival(call: object): void {
    this.#openCalls.add(call);
    this.#note();
  }

  noteEnd(call: object): void {
    this.#openCalls.delete(call);
    this.#note();
  }

  #note(): void {
    this.#count++;
    this.#lastMs = this.#wall.nowMs();
  }

  /** Excludes one call from the open calls until `held` resolves. A fault holds the response of this call. */
  async excludeHeldCall(held: Promise<void>): Promise<void> {
    this.#heldCalls++;
    await held;
    this.#heldCalls--;
  }

  /** Forgets open calls when the journal is cleared, because their end is not reported any more. */
  clear(): void {
    this.#openCalls.clear();
  }

  /** Waits until the app has made no call for `quietMs`; returns the report with the wait added. */
  async waitUntilQuiet(quietMs: number, report: QuietReport, isOver: () => boolean): Promise<QuietReport> {
    const wall = this.#wall;
    const sinceMs = wall.nowMs();
    const before = this.#count;
    for (;;) {
      const nowMs = wall.nowMs();
      const leftMs = quietMs - (nowMs - Math.max(sinceMs, this.#lastMs));
      const isQuiet = leftMs <= 0 && this.#openCalls.size <= this.#heldCalls;
      const isRestless = !isQuiet && nowMs - sinceMs > quietMs * MAX_QUIET_TIMES;
      if (isQuiet || isRestless || isOver())
        return {
          waits: report.waits + 1,
          calls: report.calls + this.#count - before,
          longest_ms: Math.max(report.longest_ms, this.#lastMs - sinceMs),
          restless: report.restless + (isRestless ? 1 : 0),
        };
      await new Promise<void>((resolve) => void wall.after(Math.max(1, leftMs), resolve));
    }
  }
}
