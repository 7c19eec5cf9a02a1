import { textSchema } from "./parts.js";
import { container, stepSchema } from "./row.js";

export const include = container({
  description: "Runs the steps of another file; its rules and variables apply to the run too.",
  schema: stepSchema({ include: textSchema }),
  iterations: () => [{ list: 0, variables: {} }],
});
