import { soon } from "./timers.js";

const waiting: (() => void)[] = [];
const waitingWithin: (() => void)[] = [];
let isEnding = false;

/**
 * Calls back at the end of this turn of the event loop, all who wait one after another. What they do may call for the end of
 * the turn as well, as what is to be kept does: it is this one still, once all of them and what goes on at once from there
 * are through.
 */
export function atTurnsEnd(run: () => void): void {
  if (isEnding) waitingWithin.push(run);
  else if (waiting.push(run) === 1) {
    soon(end);
    soon(endWholly);
  }
}

/** Whether somebody waits for the end of this turn. */
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

/** What one throws is nobody's here, and keeps none of the others from running. */
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
