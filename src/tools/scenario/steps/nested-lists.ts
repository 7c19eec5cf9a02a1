import * as z from "zod/mini";
import { stepListSchema, variableNameSchema } from "../../../core/schema/scenario-file.js";
import { entriesAtMost, minLength } from "../../../core/schema/schema-checks.js";
import { defineContainer, stepSchema, textSchema } from "./step-definition.js";

export const REPEAT_MAX = 10_000;
const BOUNDS = `must be 1 to ${REPEAT_MAX}`;

export const repeat = defineContainer({
  description:
    "Runs its steps this many times, at most 10,000; with `as` a variable says which time it is, from 1. Not inside another `repeat`.",
  schema: stepSchema({
    repeat: z.int("must be a whole number").check(z.gte(1, BOUNDS), z.lte(REPEAT_MAX, BOUNDS)),
    as: z.optional(variableNameSchema),
    steps: stepListSchema,
  }),
  iterations: ({ repeat, as }) =>
    Array.from({ length: repeat }, (_, index) => {
      const count = index + 1;
      return {
        list: 0,
        part: `${as ?? "turn"} ${count}`,
        variables: as === undefined ? {} : { [as]: count },
      };
    }),
});

export const include = defineContainer({
  description:
    "Runs the steps of another file, with its rules and variables. The path is relative to this file.",
  schema: stepSchema({ include: textSchema }),
  iterations: () => [{ list: 0, variables: {} }],
});

const MAX_LANES = 100;

/** Variables saved in a lane become visible outside the lane when all lanes have ended. */
export const parallel = defineContainer({
  description: "Carries out several lists of steps at the same time.",
  schema: stepSchema({
    parallel: z
      .array(stepListSchema, "must be lists of steps, such as [[…], […]]")
      .check(minLength(2, "needs two lists of steps at least"), entriesAtMost(MAX_LANES)),
  }),
  iterations: ({ parallel }) =>
    parallel.map((_, list) => ({ list, part: `lane ${list + 1}`, variables: {} })),
  hasConcurrentIterations: true,
});
