import type { AttemptResult } from "../engine/commands/delivery-commands.js";
import type { Task } from "../engine/records.js";

/** An attempt in flight, or with an outcome not stored yet. */
interface InFlightAttempt {
  readonly task: Task;
  outcome: AttemptResult | undefined;
}

/** Attempts in flight, in the order they began. There may be thousands, so no frequent call iterates over them. */
export class InFlightAttempts {
  readonly #inFlight = new Set<InFlightAttempt>();
  /** Attempts with an outcome, in order of arrival. */
  readonly #returned = new Set<InFlightAttempt>();

  get size(): number {
    return this.#inFlight.size;
  }

  has(attempt: InFlightAttempt): boolean {
    return this.#inFlight.has(attempt);
  }

  begin(task: Task): InFlightAttempt {
    const attempt: InFlightAttempt = { task, outcome: undefined };
    this.#inFlight.add(attempt);
    return attempt;
  }

  addOutcome(attempt: InFlightAttempt, outcome: AttemptResult): void {
    attempt.outcome = outcome;
    this.#returned.add(attempt);
  }

  /** Returns the attempt whose outcome arrived first; with `inOrder`, the oldest attempt if it has an outcome. */
  nextOutcome(inOrder: boolean): (InFlightAttempt & { readonly outcome: AttemptResult }) | undefined {
    const [attempt] = inOrder ? this.#inFlight : this.#returned;
    return attempt?.outcome === undefined
      ? undefined
      : (attempt as InFlightAttempt & { readonly outcome: AttemptResult });
  }

  end(attempt: InFlightAttempt): void {
    this.#inFlight.delete(attempt);
    this.#returned.delete(attempt);
  }

  /** Ends attempts due after the instant and returns their tasks. */
  endAfter(atMs: number): Task[] {
    const later = [...this.#inFlight].filter(({ task }) => task.due_ms > atMs);
    for (const attempt of later) this.end(attempt);
    return later.map(({ task }) => task);
  }

  clear(): void {
    this.#inFlight.clear();
    this.#returned.clear();
  }
}
