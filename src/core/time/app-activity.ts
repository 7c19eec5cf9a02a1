import type { WallClock } from "./wall-clock.js";

/** Wall time without a call after which the work of a repeated call counts as done. */
const RETRY_QUIET_MS = 100;

/** A wait for the app's next call after one that a fault made to fail. */
export interface RetryReport {
  /** Wall time of the wait in milliseconds. */
  readonly waited_ms: number;
  /** The app made a call during the wait. */
  readonly called: boolean;
}

/** The parts of a call that tell whether a fault made it fail. */
interface EndedCall {
  readonly fault: string | null;
  readonly status: number | null;
}

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
  /** A fault made a call fail, and the app has made no call since. */
  #isRetryDue = false;
  #onCall: (() => void) | undefined;

  constructor(wall: WallClock) {
    this.#wall = wall;
  }

  noteArrival(call: object): void {
    this.#openCalls.add(call);
    this.#isRetryDue = false;
    this.#note();
  }

  noteEnd(call: EndedCall): void {
    this.#openCalls.delete(call);
    this.#isRetryDue = call.fault !== null && (call.status === null || call.status >= 400);
    this.#note();
  }

  /** Expects no retry after the app refused a webhook, because the service sends the webhook again. */
  noteRefusedWebhook(): void {
    this.#isRetryDue = false;
  }

  #note(): void {
    this.#count++;
    this.#lastMs = this.#wall.nowMs();
    this.#onCall?.();
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
    this.#isRetryDue = false;
  }

  /**
   * Waits until the app has made a call after the last one that a fault made to fail, and has done its work, but at
   * most `limitMs`. Returns undefined if the app has made such a call already.
   */
  async waitForRetry(limitMs: number, isOver: () => boolean): Promise<RetryReport | undefined> {
    if (!this.#isRetryDue) return undefined;
    const wall = this.#wall;
    const sinceMs = wall.nowMs();
    const [endMs, before] = [sinceMs + limitMs, this.#count];
    while (this.#isRetryDue && !isOver() && wall.nowMs() < endMs) {
      await this.#nextCall(endMs - wall.nowMs());
      if (!this.#isRetryDue) await this.#waitForEnd(isOver);
    }
    // The same failed call is waited for only once.
    this.#isRetryDue = false;
    return { waited_ms: wall.nowMs() - sinceMs, called: this.#count > before };
  }

  #nextCall(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancelTimer();
        this.#onCall = undefined;
        resolve();
      };
      const cancelTimer = this.#wall.after(Math.max(1, limitMs), end);
      this.#onCall = end;
    });
  }

  async #waitForEnd(isOver: () => boolean): Promise<void> {
    const none = { waits: 0, calls: 0, longest_ms: 0, restless: 0 };
    await this.waitUntilQuiet(RETRY_QUIET_MS, none, isOver);
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
