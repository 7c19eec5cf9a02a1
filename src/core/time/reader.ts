import type { Command } from "../engine/transaction.js";
import type { Scheduler } from "./scheduler.js";

/**
 * Reads come through here, so that they never see a moment that has passed. What cannot be kept has not happened:
 * they see the state without it, and it happens as of its own time once it can. The failure is said once.
 */
export class Reader {
  readonly #scheduler: Scheduler;
  readonly #onError: (error: unknown) => void;
  #said: string | undefined;

  constructor(scheduler: Scheduler, onError: (error: unknown) => void) {
    this.#scheduler = scheduler;
    this.#onError = onError;
  }

  /** What is due by now happens now, if it can be kept. */
  settle(): void {
    try {
      this.#scheduler.settle();
      void this.#scheduler.engine.keep();
      this.#said = undefined;
    } catch (error) {
      this.#say(error);
    }
  }

  /** A read that writes something down besides. Where that cannot be kept, it answers what it would have answered. */
  read<Result>(command: Command<Result>): Result {
    try {
      const result = this.#scheduler.execute(command);
      void this.#scheduler.engine.keep();
      return result;
    } catch (error) {
      const { engine, clock } = this.#scheduler;
      const result = engine.preview(command, clock.nowMs());
      this.#say(error);
      return result;
    }
  }

  #say(error: unknown): void {
    if (String(error) === this.#said) return;
    this.#said = String(error);
    this.#onError(error);
  }
}
