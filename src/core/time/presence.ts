import { whenOver } from "./patience.js";
import type { Wall } from "./wall.js";

/** Long-poll interval of the heartbeat. */
const HELD_MS = 10_000;
/** A client without a held call for this long is gone. */
const GONE_MS = 30_000;

/**
 * A remote client's lease, kept alive by long polling. It ends when the held connection closes, or when no call
 * arrives within `GONE_MS` of wall time.
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

  /** Holds a heartbeat call. Resolves to true if the client should call again. */
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

  /** Ends the lease without calling `onGone`. */
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
