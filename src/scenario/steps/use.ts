import * as z from "zod/mini";
import { variableNameSchema } from "../../schema/scenario-file.js";
import { textSchema } from "./parts.js";
import { container, stepSchema } from "./row.js";

export const use = container({
  says: "Carries out the steps that `define` has under a name, with the variables given.",
  schema: stepSchema({
    use: textSchema,
    with: z.optional(z.record(variableNameSchema, z.unknown())),
  }),
  turns: (step) => [{ list: 0, own: step.with ?? {} }],
});
