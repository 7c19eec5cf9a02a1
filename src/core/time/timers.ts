import * as timers from "node:timers";

/**
 * The machine's own, as they were when this was loaded. A test that fakes its process's timers fakes wall time with
 * them, and a clock that runs follows; but work that only waits for its turn must go on, and so must what tells other
 * processes that this one lives.
 */
const { setImmediate, setTimeout, setInterval, clearInterval } = timers;

/** As soon as what has come in has had its turn. */
export function soon(run: () => void): void {
  setImmediate(run);
}

/** After so much wall time; does not keep the process running. */
export function later(delayMs: number, run: () => void): void {
  setTimeout(run, delayMs).unref();
}

/** So much wall time passes, for what has nothing to do with the clock of a sandbox. */
export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** Again and again; does not keep the process running. Returns how to stop. */
export function every(intervalMs: number, run: () => void): () => void {
  const timer = setInterval(run, intervalMs).unref();
  return () => clearInterval(timer);
}

const { hrtime } = process;

/** For measuring how long something took, and nothing else. `performance` would be one more module to a start. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** What files are stamped by. */
export const machineNowMs: () => number = Date.now;
