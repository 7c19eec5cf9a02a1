import * as timers from "node:timers";

/**
 * The machine's own, as they were when this was loaded. A test that fakes its process's timers fakes wall time with
 * them, and a clock that runs follows; but work that only waits for its turn must go on.
 */
export const { setImmediate, setTimeout } = timers;
