import { pause } from "./timers.js";
import { monotonicMs, yieldToEventLoop } from "./wall-clock.js";

/** Time for which the API counts as in use after a call; a client in a loop calls again within this time. */
const IN_USE_MS = 2;
/** Interval between work items while the API is in use. */
const SPACING_MS = 1;

/** Runs one deferred work item per tick, and further apart while the API is in use, so that calls run between. */
export class WorkQueue {
  readonly #queue: (() => void)[] = [];
  #isRunning = false;
  #lastCallMs = Number.NEGATIVE_INFINITY;
  readonly #nowMs: () => number;
  readonly #pause: (delayMs: number) => Promise<void>;

  /** Tests replace both parameters. */
  constructor(nowMs = monotonicMs, wait = pause) {
    this.#nowMs = nowMs;
    this.#pause = wait;
  }

  noteCall(): void {
    if (this.#isRunning) this.#lastCallMs = this.#nowMs();
  }

  waitForTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#queue.length > 0) {
      const isInUse = this.#nowMs() - this.#lastCallMs < IN_USE_MS;
      await (isInUse ? this.#pause(SPACING_MS) : yieldToEventLoop());
      this.#queue.shift()!();
    }
    this.#isRunning = false;
  }
}

/** One queue per process, because all sandboxes share the event loop. */
export const workQueue = new WorkQueue();
