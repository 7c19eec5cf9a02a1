import * as z from "zod/mini";
import { stepListSchema, variableNameSchema } from "../../../core/schema/scenario-file.js";
import { defineContainer, stepSchema } from "./step-definition.js";

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
