import type { WallClock } from "./wall-clock.js";

/** Longest wait for the app to become still, as a multiple of the quiet time. */
const MAX_QUIET_TIMES = 10;

/** How long the app kept working after its responses to webhooks, as measured by the waits of an advance. */
export interface QuietReport {
  /** Number of waits. */
  readonly waits: number;
  /** Calls that arrived or ended during the waits. */
  readonly calls: number;
  /** The longest time from the last response to a webhook to the app's last call, in milliseconds of wall time. */
  readonly longest_ms: number;
  /** Waits that ended before the app was still. */
  readonly restless: number;
}

/** Tracks the app's calls under way, except calls held by a fault, and when the last call began or ended. */
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

  /** Does not count a call as under way while a fault holds its response for a webhook. */
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
