import { setMaxListeners } from "node:events";
import type { Wall } from "./wall.js";

/** How long somebody waits. */
export interface Patience {
  /** Wall time. */
  readonly timeoutMs: number;
  /** Ends the wait before that: whoever waits has gone, or what is waited for. */
  readonly signal: AbortSignal;
}

/**
 * Calls back once, when the time is up or the signal, which has not been given yet, ends the wait. Until then the
 * process is kept running.
 *
 * @returns how to call it off
 */
export function whenOver(
  wall: Wall,
  { timeoutMs, signal }: Patience,
  over: (how: "late" | "left") => void,
): () => void {
  const callOff = (): void => {
    stopTimer();
    signal.removeEventListener("abort", leave);
  };
  const end = (how: "late" | "left"): void => {
    callOff();
    over(how);
  };
  const leave = (): void => end("left");
  const stopTimer = wall.after(timeoutMs, () => end("late"), true);
  signal.addEventListener("abort", leave);
  return callOff;
}

/** For what many listen to: attempts under way, calls that are delayed. */
export function aborter(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
