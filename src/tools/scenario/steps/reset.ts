import * as z from "zod/mini";
import { resetRequestSchema } from "../../../core/schema/engine-requests.js";
import { defineStep, stepSchema } from "./step-definition.js";

/** Restores the run's own rules afterwards. */
export const reset = defineStep(["ignores_start"], {
  description: "Puts the namespace back to its initial state.",
  schema: stepSchema({ reset: z.union([z.literal(true), z.null(), resetRequestSchema]) }),
  run: async ({ reset }, { client, prepare, ruleCounts }) => {
    await ruleCounts.readCounts();
    const answer = await client.callOrFail(
      "POST",
      "/reset?wait=10s",
      reset === true || reset === null ? {} : reset,
    );
    await prepare();
    return answer;
  },
});
