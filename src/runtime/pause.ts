import { setTimeout } from "./timers.js";

/** So much wall time passes, for what has nothing to do with the clock of a sandbox. */
export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

export function wallNowMs(): number {
  return Date.now();
}
