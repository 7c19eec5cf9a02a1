import { whenOver } from "./patience.js";
import type { Wall } from "./wall.js";

/** A call that says "I am here" is answered after so long, and made again. */
const HELD_MS = 10_000;
/** So long after the last of them nobody is there any more. */
const GONE_MS = 30_000;

/**
 * Somebody far away who is there as long as a call of theirs is held. They have gone when its connection closes, or when
 * none has come for so long, by wall time.
 */
export class Presence {
  readonly #wall: Wall;
  readonly #onGone: () => void;
  readonly #over = new AbortController();
  #callOff: () => void;

  constructor(wall: Wall, onGone: () => void) {
    this.#wall = wall;
    this.#onGone = onGone;
    this.#callOff = this.#expire();
  }

  #expire(): () => void {
    return this.#wall.after(GONE_MS, () => this.#gone());
  }

  /** Holds a call; resolves with whether they are still expected to call again. */
  hold(caller: AbortSignal): Promise<boolean> {
    this.#callOff();
    if (caller.aborted) this.#gone();
    if (this.#over.signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const call = new AbortController();
      const ends = [caller, this.#over.signal];
      const leave = (): void => call.abort();
      for (const end of ends) end.addEventListener("abort", leave);
      whenOver(this.#wall, { timeoutMs: HELD_MS, signal: call.signal }, (how) => {
        for (const end of ends) end.removeEventListener("abort", leave);
        if (how === "late") this.#callOff = this.#expire();
        else if (caller.aborted) this.#gone();
        resolve(how === "late");
      });
    });
  }

  /** Nobody needs them any more. */
  end(): void {
    this.#callOff();
    this.#over.abort();
  }

  #gone(): void {
    if (this.#over.signal.aborted) return;
    this.end();
    this.#onGone();
  }
}
