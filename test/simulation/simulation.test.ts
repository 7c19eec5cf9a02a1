import { describe, it } from "vitest";
import { simulate } from "./simulate.js";

/** One seed to run again, or how many new ones; each run is printed with its seed when it fails. */
const { PAYMENTS_SANDBOX_SIMULATION_SEED: SEED, PAYMENTS_SANDBOX_SIMULATION_RUNS: RUNS = "8" } = process.env;
const STEPS = Number(process.env.PAYMENTS_SANDBOX_SIMULATION_STEPS ?? 60);

describe("random calls, scenarios, mishaps and leaps in time", () => {
  const seeds = SEED === undefined ? Array.from({ length: Number(RUNS) }, (_, run) => `sim-${run}`) : [SEED];
  it.each(seeds)("come to what the auditor works out by itself: seed %s", { timeout: 300_000 }, (seed) =>
    simulate(seed, STEPS),
  );
});
