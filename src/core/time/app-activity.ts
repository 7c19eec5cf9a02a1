import type { AdvanceReport } from "../schema/control-insight-responses.js";
import type { WallClock } from "./wall-clock.js";

/** Wall time without a call after which the work of a repeated call counts as done. */
const RETRY_QUIET_MS = 100;

/** The app's calls after ones that a fault made to fail, since the last advance that waited for them. */
export type RetryReport = NonNullable<AdvanceReport["retry"]>;

const NO_RETRIES = { calls: 0, longest_ms: 0 };

/** The parts of a call that tell whether a fault made it fail. */
interface EndedCall {
  readonly fault: string | null;
  readonly status: number | null;
}

/** Time limit of a wait for the app's calls to end, as a multiple of `quietMs`. */
const MAX_QUIET_TIMES = 10;
/** Parts of a quiet period. A longer one counts as two: calls that came in a pause of this process are not read yet. */
const QUIET_PARTS = 10;

/** The app's calls after its responses to webhooks, while an advance waits for these calls to end. */
export type QuietReport = NonNullable<AdvanceReport["quiet"]>;

/** Tracks which calls of the app are open. `waitUntilQuiet` does not wait for calls that a fault holds. */
export class AppActivity {
  readonly #wall: WallClock;
  #lastMs = Number.NEGATIVE_INFINITY;
  readonly #openCalls = new Set<object>();
  #heldCalls = 0;
  #count = 0;
  /** When a fault made a call fail; undefined if the app has made a call since. */
  #failedMs: number | undefined;
  #retries = NO_RETRIES;
  #onCall: (() => void) | undefined;

  constructor(wall: WallClock) {
    this.#wall = wall;
  }

  noteArrival(call: object): void {
    this.#openCalls.add(call);
    this.#noteRetry();
    this.#note();
  }

  noteEnd(call: EndedCall): void {
    this.#openCalls.delete(call);
    this.#noteRetry();
    const hasFailed = call.fault !== null && (call.status === null || call.status >= 400);
    if (hasFailed) this.#failedMs = this.#wall.nowMs();
    this.#note();
  }

  #noteRetry(): void {
    if (this.#failedMs === undefined) return;
    const { calls, longest_ms } = this.#retries;
    const pauseMs = this.#wall.nowMs() - this.#failedMs;
    this.#retries = { calls: calls + 1, longest_ms: Math.max(longest_ms, pauseMs) };
    this.#failedMs = undefined;
  }

  /** Expects no retry after the app refused a webhook, because the service sends the webhook again. */
  noteRefusedWebhook(): void {
    this.#failedMs = undefined;
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
    this.#failedMs = undefined;
    this.#retries = NO_RETRIES;
  }

  /**
   * Waits until the app has made a call after the last one that a fault made to fail, and has done its work, but at
   * most `limitMs` from the failure. Returns the report with the calls since the last such wait added.
   */
  async waitForRetry(limitMs: number, report: RetryReport, isOver: () => boolean): Promise<RetryReport> {
    const wall = this.#wall;
    const endMs = (this.#failedMs ?? 0) + limitMs;
    while (this.#failedMs !== undefined && !isOver() && wall.nowMs() < endMs) {
      await this.#nextCall(endMs - wall.nowMs());
      if (this.#failedMs === undefined) await this.#waitForEnd(isOver);
    }
    const { calls, longest_ms } = this.#retries;
    const isInVain = this.#failedMs !== undefined;
    // The same failed call is waited for only once.
    this.#failedMs = undefined;
    this.#retries = NO_RETRIES;
    return {
      calls: report.calls + calls,
      longest_ms: Math.max(report.longest_ms, longest_ms),
      in_vain: report.in_vain + (isInVain ? 1 : 0),
    };
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
    const [sinceMs, before] = [wall.nowMs(), this.#count];
    const partMs = Math.max(1, quietMs / QUIET_PARTS);
    let [quietForMs, waitedMs] = [0, 0];
    for (;;) {
      const isQuiet = quietForMs >= quietMs && this.#openCalls.size <= this.#heldCalls;
      const isRestless = !isQuiet && waitedMs > quietMs * MAX_QUIET_TIMES;
      if (isQuiet || isRestless || isOver())
        return {
          waits: report.waits + 1,
          calls: report.calls + this.#count - before,
          longest_ms: Math.max(report.longest_ms, this.#lastMs - sinceMs),
          restless: report.restless + (isRestless ? 1 : 0),
        };
      const [beginMs, count] = [wall.nowMs(), this.#count];
      await new Promise<void>((resolve) => void wall.after(partMs, resolve));
      const passedMs = Math.min(wall.nowMs() - beginMs, 2 * partMs);
      waitedMs += passedMs;
      quietForMs =
        this.#count === count ? quietForMs + passedMs : Math.min(passedMs, wall.nowMs() - this.#lastMs);
    }
  }
}
