import { it } from "vitest";
import type { Terrain } from "./ground.js";
import { simulate } from "./simulate.js";

/** Set a seed to repeat a failed run, or the number of new seeds. */
const { PAYMENTS_SANDBOX_SIMULATION_SEED: SEED, PAYMENTS_SANDBOX_SIMULATION_RUNS: RUNS = "8" } = process.env;
const STEPS = Number(process.env.PAYMENTS_SANDBOX_SIMULATION_STEPS ?? 60);

const seeds = SEED === undefined ? Array.from({ length: Number(RUNS) }, (_, run) => `sim-${run}`) : [SEED];
it.each(seeds)("random calls match the model: seed %s [R19.5]", (seed) => simulate(seed, STEPS));

const grounds: readonly (readonly [string, Terrain])[] = [
  ["state in files and restarts", { isKept: true }],
  ["a disk that is full now and then", { isKept: true, isFull: true }],
  ["a clock that runs", { isRunning: true }],
  ["extensions that take money back", { takesBack: true, isKept: true }],
  ["three namespaces", { namespaces: 2 }],
  ["all of these", { isKept: true, isFull: true, isRunning: true, namespaces: 1 }],
];
it.each(
  grounds.flatMap(([name, terrain]) => seeds.slice(0, 2).map((seed) => [name, seed, terrain] as const)),
)("random calls match the model with %s: seed %s", (_name, seed, terrain) =>
  simulate(seed, STEPS, undefined, terrain),
);
