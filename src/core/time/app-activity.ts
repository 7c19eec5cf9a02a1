import type { WallClock } from "./wall-clock.js";

/** Wall time after which an app that does not become still is no longer waited for, as a multiple of the quiet time. */
const MAX_QUIET_TIMES = 10;

/** How long the app went on after its responses, as the waits of an advance showed it. */
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

/** The app's calls under way and its last sign of work. A response that a fault holds for a webhook is no work. */
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

  /** Leaves a call out while its response is held for a webhook. */
  async holding(held: Promise<void>): Promise<void> {
    this.#heldCalls++;
    await held;
    this.#heldCalls--;
  }

  /** Called when the journal is cleared: its open calls are not reported any more. */
  clear(): void {
    this.#openCalls.clear();
  }

  /** Waits until no call is under way and none came for so long; adds the wait to the report. */
  async untilQuiet(quietMs: number, report: QuietReport, isOver: () => boolean): Promise<QuietReport> {
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
