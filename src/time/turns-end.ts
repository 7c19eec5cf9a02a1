import { soon } from "./timers.js";

let waiting: (() => void)[] = [];
let waitingWithin: (() => void)[] = [];
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
  const runs = waiting;
  waiting = [];
  isEnding = true;
  for (const run of runs) runAlone(run);
}

function endWholly(): void {
  const runs = waitingWithin;
  waitingWithin = [];
  isEnding = false;
  for (const run of runs) runAlone(run);
}

/** What it throws is nobody's here, and keeps none of the others from running. */
function runAlone(run: () => void): void {
  try {
    run();
  } catch (error) {
    soon(() => {
      throw error;
    });
  }
}
