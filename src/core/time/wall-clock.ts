import { randomBytes } from "node:crypto";
import { afterPendingIo, monotonicMs } from "./timers.js";

export { monotonicMs } from "./timers.js";

/** Wall time and timers of the machine. Tests and embedders may replace it. */
export interface WallClock {
  nowMs(): number;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonicMs(): number;
  /**
   * Calls back once, not before the delay. Only with `isAwaited` does the timer keep the process running.
   *
   * @returns a function that cancels the timer
   */
  after(delayMs: number, callback: () => void, isAwaited?: boolean): () => void;
}

/** Longest delay of setTimeout, which fires at once for longer delays. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemWallClock: WallClock = {
  nowMs: () => Date.now(),
  monotonicMs,
  after(delayMs, callback, isAwaited = false) {
    const timer = setTimeout(callback, Math.min(Math.max(0, Math.ceil(delayMs)), MAX_TIMER_MS));
    if (!isAwaited) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Lets pending I/O of the event loop run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise(afterPendingIo);
}

const BUSY_MS = 4;
let yieldedMs = Number.NEGATIVE_INFINITY;

/** Yields if `BUSY_MS` or more have passed since the last yield: for in-process work that never waits for a socket. */
export async function yieldIfDue(): Promise<void> {
  if (monotonicMs() - yieldedMs < BUSY_MS) return;
  await yieldToEventLoop();
  yieldedMs = monotonicMs();
}

/** Yields each item, and lets the event loop run after each. */
export async function* withYields<Item>(items: Iterable<Item>): AsyncGenerator<Item, void> {
  for (const item of items) {
    yield item;
    await yieldToEventLoop();
  }
}

export async function joinPieces(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

/** A different seed at each start. Cheap; not a secret. */
export function generateSeed(): string {
  const nanoseconds = process.hrtime.bigint();
  return ((BigInt(Date.now()) << 24n) ^ (nanoseconds * 2654435761n) ^ BigInt(process.pid))
    .toString(36)
    .slice(-10);
}

/** Keeps the process running without an active socket or timer, until the returned function is called. */
export function keepProcessRunning(): () => void {
  const timer = setInterval(() => {}, MAX_TIMER_MS);
  return () => clearInterval(timer);
}

export function generateInstanceId(): string {
  return randomBytes(8).toString("hex");
}

/** An unguessable token. */
export function generateToken(): string {
  return randomBytes(24).toString("base64url");
}
