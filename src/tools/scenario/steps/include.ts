import { defineContainer, stepSchema } from "./step-definition.js";
import { textSchema } from "./step-schemas.js";

export const include = defineContainer({
  description:
    "Runs the steps of another file; its rules and variables apply to the run too. The path is relative to this file.",
  schema: stepSchema({ include: textSchema }),
  iterations: () => [{ list: 0, variables: {} }],
});
