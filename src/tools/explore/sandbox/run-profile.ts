import { systemWallClock } from "../../../core/time/wall-clock.js";

/** Sums wall time by part of the runs, in milliseconds. */
export class RunProfile {
  readonly #durations = new Map<string, number>();

  durations(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#durations);
  }

  time<Result>(part: string, work: Promise<Result>): Promise<Result> {
    const sinceMs = systemWallClock.nowMs();
    return work.finally(() => this.add(part, systemWallClock.nowMs() - sinceMs));
  }

  add(part: string, ms: number): void {
    this.#durations.set(part, (this.#durations.get(part) ?? 0) + ms);
  }
}
