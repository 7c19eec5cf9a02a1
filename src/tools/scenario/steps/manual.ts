import { step, stepSchema } from "./step-definition.js";
import { textSchema } from "./step-schemas.js";

export const manual = step(["ignores_start"], {
  description: "What a person, or whatever drives the app, has to do.",
  schema: stepSchema({ manual: textSchema }),
  run: async ({ manual }, context) => {
    await context.manual(manual);
    return null;
  },
});
