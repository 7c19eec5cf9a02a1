import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { afterPendingIo, monotonicMs, wallTimers } from "./timers.js";

export { monotonicMs } from "./timers.js";

/** Wall time and timers of the machine. Tests and embedders may replace it. */
export interface WallClock {
  nowMs(): number;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonicMs(): number;
  /** Calls back once, not before the delay; returns how to cancel. Only `isAwaited` keeps the process running. */
  after(delayMs: number, callback: () => void, isAwaited?: boolean): () => void;
}

/** Longest delay of setTimeout, which fires at once for longer delays. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemWallClock: WallClock = {
  nowMs: () => Date.now(),
  monotonicMs,
  after(delayMs, callback, isAwaited = false) {
    const { setTimeout, clearTimeout } = wallTimers();
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

/** Longest piece of a long computation between two turns of the event loop. */
const SLICE_MS = 10;

/** Makes a function that returns true once a slice of time is used up, and begins the next. */
export function createSlicer(): () => boolean {
  let sliceEndMs = monotonicMs() + SLICE_MS;
  return () => {
    if (monotonicMs() < sliceEndMs) return false;
    sliceEndMs = monotonicMs() + SLICE_MS;
    return true;
  };
}

/** Maps a list with a function that may be slow, and lets the event loop run between slices of time. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const isSliceOver = createSlicer();
  const results: Result[] = [];
  for (const item of items) {
    results.push(map(item));
    if (isSliceOver()) await yieldToEventLoop();
  }
  return results;
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

/** End of a wait: after a timeout, or earlier by a signal. */
export interface Deadline {
  /** Timeout in wall time. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Calls back once: at the timeout ("late"), or when the signal aborts ("left"). The signal must not be aborted yet.
 * Keeps the process running until then.
 *
 * @returns a function that cancels the wait
 */
export function onDeadline(
  wall: WallClock,
  { timeoutMs, signal }: Deadline,
  onEnd: (reason: "late" | "left") => void,
): () => void {
  const cancelTimer = (): void => {
    stopTimer();
    signal.removeEventListener("abort", abort);
  };
  const end = (reason: "late" | "left"): void => {
    cancelTimer();
    onEnd(reason);
  };
  const abort = (): void => end("left");
  const stopTimer = wall.after(timeoutMs, () => end("late"), true);
  signal.addEventListener("abort", abort);
  return cancelTimer;
}

/** An AbortController whose signal may have any number of listeners. */
export function createAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
