import { systemWallClock } from "../../../core/time/wall-clock.js";
import type { StepReport } from "../../scenario/running/run-report.js";
import type { StepRole } from "../deviable.js";

/** Sums wall time by part of the runs, in milliseconds. */
export class RunProfile {
  readonly #durations = new Map<string, number>();

  durations(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#durations);
  }

  time<Result>(part: string, work: Promise<Result>): Promise<Result> {
    const sinceMs = systemWallClock.nowMs();
    return work.finally(() => this.#add(part, systemWallClock.nowMs() - sinceMs));
  }

  addSteps(steps: readonly StepReport[], roles: readonly StepRole[]): void {
    for (const [index, { kind, duration_ms }] of steps.entries())
      this.#add(`${roles[index]}: ${kind}`, duration_ms);
  }

  #add(part: string, ms: number): void {
    this.#durations.set(part, (this.#durations.get(part) ?? 0) + ms);
  }
}
