import * as z from "zod/mini";
import { stepListSchema } from "../../../core/schema/scenario-file.js";
import { entriesAtMost, minLength } from "../../../core/schema/schema-checks.js";
import { defineContainer, stepSchema } from "./step-definition.js";

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
