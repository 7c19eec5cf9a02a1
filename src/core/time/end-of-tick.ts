import { afterPendingIo } from "./timers.js";

const queue: (() => void)[] = [];
const nestedQueue: (() => void)[] = [];
let isEnding = false;

/**
 * Calls `run` at the end of this event-loop tick, after the callbacks that were added earlier. A callback may itself
 * add a group commit. The group commit then runs in the same tick, after all callbacks and their microtasks.
 */
export function atEndOfTick(run: () => void): void {
  if (isEnding) nestedQueue.push(run);
  else if (queue.push(run) === 1) {
    afterPendingIo(runQueue);
    afterPendingIo(runNestedQueue);
  }
}

export function hasEndOfTickWork(): boolean {
  return queue.length > 0;
}

function runQueue(): void {
  isEnding = true;
  runAll(queue);
}

function runNestedQueue(): void {
  isEnding = false;
  runAll(nestedQueue);
}

/** Rethrows errors asynchronously, so one callback cannot stop the rest. */
function runAll(runs: (() => void)[]): void {
  for (const run of runs.splice(0))
    try {
      run();
    } catch (error) {
      afterPendingIo(() => {
        throw error;
      });
    }
}
