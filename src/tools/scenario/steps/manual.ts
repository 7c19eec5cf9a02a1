import { defineStep, stepSchema } from "./step-definition.js";
import { textSchema } from "./step-schemas.js";

export const manual = defineStep(["ignores_start"], {
  description: "What a person, or whatever drives the app, has to do; without a terminal the run continues.",
  schema: stepSchema({ manual: textSchema }),
  run: async ({ manual }, context) => {
    await context.requestManualStep(manual);
    return null;
  },
});
