import { setMaxListeners } from "node:events";
import type { WallClock } from "./wall-clock.js";

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
