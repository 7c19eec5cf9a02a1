import * as timers from "node:timers";

/**
 * The machine's own, as they were when this was loaded. A test that fakes its process's timers fakes wall time with
 * them, and a clock that runs follows; but work that only waits for its turn must go on, and so must what tells other
 * processes that this one lives.
 */
export const { setImmediate, setTimeout, setInterval, clearInterval } = timers;

/** For measuring how long something took, and nothing else. */
export const monotonicMs: () => number = performance.now.bind(performance);

/** What files are stamped by. */
export const machineNowMs: () => number = Date.now;
