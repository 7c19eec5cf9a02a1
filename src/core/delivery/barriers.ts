import type { WallClock } from "../time/wall-clock.js";

/** Wall time after which a barrier opens without its missing members. */
const TIMEOUT_MS = 5_000;

export interface BarrierMember {
  /** Resolves when every member has arrived or left, or at the timeout. */
  arrive(): Promise<void>;
  leave(): void;
}

interface Barrier {
  missing: number;
  readonly waiting: (() => void)[];
  readonly cancelTimer: () => void;
}

/** Barriers that hold attempts back until all attempts of a group can be sent at once. */
export class Barriers {
  readonly #wall: WallClock;
  readonly #barriers = new Map<string, Barrier>();

  constructor(wall: WallClock) {
    this.#wall = wall;
  }

  join(name: string, size: number): BarrierMember {
    let hasEntered = false;
    const enter = (waiting?: () => void): void => {
      if (hasEntered) {
        waiting?.();
        return;
      }
      hasEntered = true;
      const barrier = this.#barriers.get(name) ?? this.#begin(name, size);
      if (waiting !== undefined) barrier.waiting.push(waiting);
      if (--barrier.missing === 0) this.#end(name, barrier);
    };
    return { arrive: () => new Promise(enter), leave: () => enter() };
  }

  #begin(name: string, missing: number): Barrier {
    const cancelTimer = this.#wall.after(TIMEOUT_MS, () => this.#end(name, barrier), true);
    const barrier: Barrier = { missing, waiting: [], cancelTimer };
    this.#barriers.set(name, barrier);
    return barrier;
  }

  #end(name: string, { waiting, cancelTimer }: Barrier): void {
    this.#barriers.delete(name);
    cancelTimer();
    for (const resume of waiting) resume();
  }
}
