import * as z from "zod/mini";

/** So many deviations are tried together without a word about it. */
export const DEFAULT_DEPTH = 2;
const DEEPEST = 5;

export const depthSchema = z
  .int("must be a whole number")
  .check(z.gte(1, `must be 1 to ${DEEPEST}`), z.lte(DEEPEST, `must be 1 to ${DEEPEST}`));

/** So many runs are side by side without a word about it. */
export const DEFAULT_LANES = 4;
const MOST_LANES = 16;

export const lanesSchema = z
  .int("must be a whole number")
  .check(z.gte(1, `must be 1 to ${MOST_LANES}`), z.lte(MOST_LANES, `must be 1 to ${MOST_LANES}`));
