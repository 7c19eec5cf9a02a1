import { textSchema } from "./parts.js";
import { container, stepSchema } from "./row.js";

export const include = container({
  says: "Carries out the steps of another file, whose rules and variables are the run's too.",
  schema: stepSchema({ include: textSchema }),
  turns: () => [{ list: 0, own: {} }],
});
