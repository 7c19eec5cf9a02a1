import * as z from "zod/mini";

/** Deviations per run at most, by default. */
export const DEFAULT_DEPTH = 2;
const MAX_DEPTH = 5;

export const depthSchema = z
  .int("must be a whole number")
  .check(z.gte(1, `must be 1 to ${MAX_DEPTH}`), z.lte(MAX_DEPTH, `must be 1 to ${MAX_DEPTH}`));

/** Parallel runs, by default. */
export const DEFAULT_LANES = 4;
const MAX_LANES = 16;

export const lanesSchema = z
  .int("must be a whole number")
  .check(z.gte(1, `must be 1 to ${MAX_LANES}`), z.lte(MAX_LANES, `must be 1 to ${MAX_LANES}`));
