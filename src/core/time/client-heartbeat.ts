import { onDeadline, type WallClock } from "./wall-clock.js";

/** Long-poll interval of the heartbeat. */
const LONG_POLL_MS = 10_000;
/** A client counts as gone after this time without a held call. */
const GONE_AFTER_MS = 30_000;

/**
 * Tells when a remote client, which polls, has gone: its held connection has closed, or no call
 * arrives within `GONE_AFTER_MS` of wall time.
 */
export class ClientHeartbeat {
  readonly #wall: WallClock;
  readonly #onGone: () => void;
  readonly #ended = new AbortController();
  #cancelTimer: () => void;

  constructor(wall: WallClock, onGone: () => void) {
    this.#wall = wall;
    this.#onGone = onGone;
    this.#cancelTimer = this.#startTimer();
  }

  #startTimer(): () => void {
    return this.#wall.after(GONE_AFTER_MS, () => this.#lose());
  }

  /** Holds a heartbeat call. Resolves to true if the client should call again. */
  hold(caller: AbortSignal): Promise<boolean> {
    this.#cancelTimer();
    if (caller.aborted) this.#lose();
    if (this.#ended.signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const call = new AbortController();
      const signals = [caller, this.#ended.signal];
      const abort = (): void => call.abort();
      for (const signal of signals) signal.addEventListener("abort", abort);
      onDeadline(this.#wall, { timeoutMs: LONG_POLL_MS, signal: call.signal }, (reason) => {
        for (const signal of signals) signal.removeEventListener("abort", abort);
        if (reason === "late") this.#cancelTimer = this.#startTimer();
        else if (caller.aborted) this.#lose();
        resolve(reason === "late");
      });
    });
  }

  /** Ends without calling `onGone`. */
  end(): void {
    this.#cancelTimer();
    this.#ended.abort();
  }

  #lose(): void {
    if (this.#ended.signal.aborted) return;
    this.end();
    this.#onGone();
  }
}
