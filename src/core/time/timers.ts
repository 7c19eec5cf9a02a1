import * as timers from "node:timers";

/** Node's own timers: fake timers in a test must stop neither event-loop yields nor heartbeats of locks. */
const { setImmediate, setTimeout, setInterval, clearInterval } = timers;

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
