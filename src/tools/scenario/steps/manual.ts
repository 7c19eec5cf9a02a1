import { textSchema } from "./parts.js";
import { step, stepSchema } from "./row.js";

export const manual = step({
  description: "What a person, or whatever drives the app, has to do.",
  schema: stepSchema({ manual: textSchema }),
  run: async ({ manual }, context) => {
    await context.manual(manual);
    return null;
  },
});
