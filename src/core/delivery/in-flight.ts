import type { Outcome } from "../engine/commands/deliveries.js";
import type { Task } from "../engine/records.js";

/** An attempt under way, or back with an outcome that is not kept yet. */
interface InFlightAttempt {
  readonly task: Task;
  outcome: Outcome | undefined;
}

/** The attempts under way, in the order they began; thousands in a storm, so nothing here walks over them all. */
export class InFlightAttempts {
  readonly #underWay = new Set<InFlightAttempt>();
  /** Those with an outcome, as they came back. */
  readonly #back = new Set<InFlightAttempt>();

  get size(): number {
    return this.#underWay.size;
  }

  has(attempt: InFlightAttempt): boolean {
    return this.#underWay.has(attempt);
  }

  begin(task: Task): InFlightAttempt {
    const attempt: InFlightAttempt = { task, outcome: undefined };
    this.#underWay.add(attempt);
    return attempt;
  }

  bringBack(attempt: InFlightAttempt, outcome: Outcome): void {
    attempt.outcome = outcome;
    this.#back.add(attempt);
  }

  /** Whose outcome is next to be kept: as they came back, or, `inOrder`, as they began and nobody before their turn. */
  nextBack(inOrder: boolean): (InFlightAttempt & { readonly outcome: Outcome }) | undefined {
    const [attempt] = inOrder ? this.#underWay : this.#back;
    return attempt?.outcome === undefined
      ? undefined
      : (attempt as InFlightAttempt & { readonly outcome: Outcome });
  }

  end(attempt: InFlightAttempt): void {
    this.#underWay.delete(attempt);
    this.#back.delete(attempt);
  }

  /** An outcome could not be kept after all: its attempt is back, before those that followed it. */
  goBack(attempt: InFlightAttempt): void {
    for (const attempts of [this.#underWay, this.#back]) {
      const followed = [...attempts];
      attempts.clear();
      for (const one of [attempt, ...followed]) attempts.add(one);
    }
  }

  /** Those due later than that are ended: their tasks. */
  endAfter(atMs: number): Task[] {
    const later = [...this.#underWay].filter(({ task }) => task.due_ms > atMs);
    for (const attempt of later) this.end(attempt);
    return later.map(({ task }) => task);
  }

  clear(): void {
    this.#underWay.clear();
    this.#back.clear();
  }
}
