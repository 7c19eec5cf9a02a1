import * as timers from "node:timers";

/** Node's own timers: fake timers in a test must stop neither event-loop yields nor heartbeats of locks. */
const { setImmediate, setTimeout, setInterval, clearInterval, clearTimeout } = timers;

let isAppExplored = false;
/** Replacements that call Node's timers: fake timers that were installed over them have put them back. */
const released = new WeakSet<object>();

/** Tells that the global timers are on sandbox time. */
export function takeTimers(): void {
  isAppExplored = true;
}

/** Tells that the global timers are Node's again, or a replacement that calls them. */
export function releaseTimers(replacement: object): void {
  isAppExplored = false;
  released.add(replacement);
}

/** Node's own timers by name. */
export const NODE_TIMERS = { setTimeout, setInterval, clearTimeout, clearInterval };

/** The timers of wall time. A test may fake them; those of an explored app are on sandbox time. */
export function wallTimers() {
  return isAppExplored ? NODE_TIMERS : globalThis;
}

/** Returns false while other timers are in the place of Node's, such as fake ones. */
export function hasNodeTimers(): boolean {
  return Object.is(globalThis.setTimeout, setTimeout) || released.has(globalThis.setTimeout);
}

export function afterPendingIo(run: () => void): void {
  setImmediate(run);
}

/** Calls back once after a wall-time delay; does not keep the process running. */
export function afterDelay(delayMs: number, run: () => void): void {
  setTimeout(run, delayMs).unref();
}

/** Wall-time delay, independent of any sandbox clock. */
export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** Holds the whole thread: only for synchronous work at a start that has to wait for another process. */
export function pauseThread(delayMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs);
}

/** Calls back repeatedly, without keeping the process running, until the returned function is called. */
export function repeatEvery(intervalMs: number, run: () => void): () => void {
  const timer = setInterval(run, intervalMs).unref();
  return () => clearInterval(timer);
}

const { hrtime } = process;

/** Monotonic time, for durations. `performance` would load another module at start. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** `Date.now`, captured at load: a test may fake `Date` later. */
export const machineNowMs: () => number = Date.now;
