import type { Command } from "../engine/transaction.js";
import type { Scheduler } from "./scheduler.js";

/**
 * Runs due tasks before a read, so reads never see overdue state. If the write of a task fails, the task stays due.
 * Reads then see the state before the failed write. A repeated error is reported once.
 */
export class ReadGate {
  readonly #scheduler: Scheduler;
  readonly #onError: (error: unknown) => void;
  #lastError: string | undefined;

  constructor(scheduler: Scheduler, onError: (error: unknown) => void) {
    this.#scheduler = scheduler;
    this.#onError = onError;
  }

  runDueTasks(): void {
    try {
      this.#scheduler.runDueTasks();
      this.#lastError = undefined;
    } catch (error) {
      this.#report(error);
    }
  }

  /** Call before a call is handled: undefined, or resolves when what is due has run, with yields to the event loop. */
  catchUp(): Promise<void> | undefined {
    try {
      return this.#scheduler.catchUp()?.catch((error) => this.#report(error));
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  /** Executes a read that also writes. If the write fails, returns a preview of the result. */
  read<Result>(command: Command<Result>): Result {
    try {
      return this.#scheduler.execute(command);
    } catch (error) {
      const { engine, clock } = this.#scheduler;
      const result = engine.preview(command, clock.nowMs());
      this.#report(error);
      return result;
    }
  }

  #report(error: unknown): void {
    if (String(error) === this.#lastError) return;
    this.#lastError = String(error);
    this.#onError(error);
  }
}
