import type { Wall } from "../time/wall.js";

/** How long those who are there wait for one that does not come, in wall time. */
const PATIENCE_MS = 5_000;

/** What one of those who set out together does: it comes, or it is known not to. */
export interface Meeting {
  /** Resolves for all of them in one go, when the last is there. */
  arrive(): Promise<void>;
  miss(): void;
}

interface Open {
  missing: number;
  readonly waiting: (() => void)[];
  readonly callOff: () => void;
}

/** Attempts that are to be on the wire together, before any of them is answered. */
export class Meetings {
  readonly #wall: Wall;
  readonly #open = new Map<string, Open>();

  constructor(wall: Wall) {
    this.#wall = wall;
  }

  /** A place in the meeting of so many that has that name. */
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
