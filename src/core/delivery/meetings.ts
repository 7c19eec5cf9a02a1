import type { Wall } from "../time/wall.js";

/** Wall time that the present members wait for a missing one. */
const PATIENCE_MS = 5_000;

/** A member's access to its barrier. */
export interface Meeting {
  /** Resolves when all members have arrived, for all at once. */
  arrive(): Promise<void>;
  miss(): void;
}

interface Open {
  missing: number;
  readonly waiting: (() => void)[];
  readonly callOff: () => void;
}

/** Barriers that put several attempts on the wire before any response arrives. */
export class Meetings {
  readonly #wall: Wall;
  readonly #open = new Map<string, Open>();

  constructor(wall: Wall) {
    this.#wall = wall;
  }

  /** Joins the named barrier of `size` members. */
  join(name: string, size: number): Meeting {
    let isOver = false;
    const take = (waiting?: () => void): void => {
      if (isOver) {
        waiting?.();
        return;
      }
      isOver = true;
      const open = this.#open.get(name) ?? this.#begin(name, size);
      if (waiting !== undefined) open.waiting.push(waiting);
      if (--open.missing === 0) this.#end(name, open);
    };
    return { arrive: () => new Promise(take), miss: () => take() };
  }

  #begin(name: string, missing: number): Open {
    const callOff = this.#wall.after(PATIENCE_MS, () => this.#end(name, open), true);
    const open: Open = { missing, waiting: [], callOff };
    this.#open.set(name, open);
    return open;
  }

  #end(name: string, { waiting, callOff }: Open): void {
    this.#open.delete(name);
    callOff();
    for (const go of waiting) go();
  }
}
