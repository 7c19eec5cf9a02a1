import * as z from "zod/mini";
import { durationErrorMessage, durationSchema, parseAdvanceBody } from "../../../core/schema/duration.js";
import { instantErrorMessage } from "../../../core/schema/time.js";
import { defineStep, stepSchema } from "./step-definition.js";
import { saveSchema } from "./step-schemas.js";

const TARGET = "must be a duration such as 10m, an ISO instant, next or idle";

/** The step ends when everything due on the way is done. */
export const advance = defineStep(["ignores_start", "own_customer"], {
  description: "Moves sandbox time: a duration, an ISO instant, next or idle.",
  schema: stepSchema({
    advance: z.string(TARGET).check(
      z.refine((text) => parseAdvanceBody(text) !== undefined, {
        error: ({ input }) => durationErrorMessage(input) ?? instantErrorMessage(input) ?? TARGET,
      }),
    ),
    quiet: z.optional(durationSchema),
    retry: z.optional(durationSchema),
    save: saveSchema,
  }),
  run: ({ advance, quiet, retry }, { client }) =>
    client.callOrFail("advanceClock", { ...parseAdvanceBody(advance), quiet, retry, wait: "10s" }),
});
