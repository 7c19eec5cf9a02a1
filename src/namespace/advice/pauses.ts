import type { JournalEntry } from "../served-request.js";
import type { Scene } from "./habit.js";

/** Whoever puts the clock forward by as much leaps over a pause, rather than to make one. */
const LEAP_MS = 60_000;

/** The pauses between reads of one thing. */
export class Pauses {
  #lastMs = Number.NaN;
  #leaptMs = 0;

  /** The pause up to now; undefined where there is none, or one that says nothing: time was put back, or far forward. */
  next({ atMs }: JournalEntry, { clock }: Scene): number | undefined {
    const pause = atMs - this.#lastMs;
    const leapt = clock.leaptMs - this.#leaptMs;
    this.#lastMs = atMs;
    this.#leaptMs = clock.leaptMs;
    return pause >= 0 && leapt < LEAP_MS ? pause : undefined;
  }
}
