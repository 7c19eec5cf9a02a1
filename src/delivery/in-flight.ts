import type { Outcome } from "../engine/commands/deliveries.js";
import type { Task } from "../engine/records.js";
import type { Job } from "./sender.js";

/** An attempt under way, or back with an outcome that is not kept yet. */
export interface Flight {
  readonly task: Task;
  readonly job: Job;
  outcome: Outcome | undefined;
}

/** The attempts under way, in the order they began; thousands in a storm, so nothing here walks over them all. */
export class Flights {
  readonly #underWay = new Set<Flight>();
  /** Those with an outcome, as they came back. */
  readonly #landed = new Set<Flight>();

  get size(): number {
    return this.#underWay.size;
  }

  begin(task: Task, job: Job): Flight {
    const flight: Flight = { task, job, outcome: undefined };
    this.#underWay.add(flight);
    return flight;
  }

  land(flight: Flight, outcome: Outcome): void {
    flight.outcome = outcome;
    this.#landed.add(flight);
  }

  /** Whose outcome is next to be kept: as they came back, or, `inOrder`, as they began and nobody before their turn. */
  nextLanded(inOrder: boolean): (Flight & { readonly outcome: Outcome }) | undefined {
    const [flight] = inOrder ? this.#underWay : this.#landed;
    return flight?.outcome === undefined ? undefined : (flight as Flight & { readonly outcome: Outcome });
  }

  end(flight: Flight): void {
    this.#underWay.delete(flight);
    this.#landed.delete(flight);
  }

  clear(): void {
    this.#underWay.clear();
    this.#landed.clear();
  }
}
