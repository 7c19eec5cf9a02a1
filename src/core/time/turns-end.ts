import { soon } from "./timers.js";

const waiting: (() => void)[] = [];
const waitingWithin: (() => void)[] = [];
let isEnding = false;

/**
 * Calls back at the end of this event-loop tick, in order. Callbacks added while these run, such as group commits,
 * run in the same tick after them and after the microtasks they start.
 */
export function atTurnsEnd(run: () => void): void {
  if (isEnding) waitingWithin.push(run);
  else if (waiting.push(run) === 1) {
    soon(end);
    soon(endWholly);
  }
}

export function isTurnsEndAwaited(): boolean {
  return waiting.length > 0;
}

function end(): void {
  isEnding = true;
  runAll(waiting);
}

function endWholly(): void {
  isEnding = false;
  runAll(waitingWithin);
}

/** Rethrows errors asynchronously, so one callback cannot stop the rest. */
function runAll(runs: (() => void)[]): void {
  for (const run of runs.splice(0))
    try {
      run();
    } catch (error) {
      soon(() => {
        throw error;
      });
    }
}
