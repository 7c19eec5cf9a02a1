import { setImmediate } from "./timers.js";
import type { Wall } from "./wall.js";

/** Those who wait for something to be so. They look again once after each burst of changes, not at each one. */
export class Watchers {
  readonly #wall: Wall;
  readonly #waiting = new Set<() => void>();
  #isPlanned = false;

  constructor(wall: Wall) {
    this.#wall = wall;
  }

  /** Something changed. */
  notify(): void {
    if (this.#waiting.size === 0 || this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      for (const look of [...this.#waiting]) look();
    });
  }

  /** Resolves with true as soon as the condition holds, with false after so much wall time. */
  until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
    if (condition()) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        this.#waiting.delete(look);
        callOff();
        settle();
      };
      const look = (): void => {
        try {
          if (condition()) done(() => resolve(true));
        } catch (error) {
          done(() => reject(error));
        }
      };
      const callOff = this.#wall.after(timeoutMs, () => done(() => resolve(false)), true);
      this.#waiting.add(look);
    });
  }
}
