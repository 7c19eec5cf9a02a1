import * as z from "zod/mini";
import { entriesAtMost } from "./lengths.js";
import { scenarioSchema } from "./scenario.js";

/** What a variable may be called. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
export const variableNameSchema = z
  .string()
  .check(z.regex(VARIABLE_NAME, "must be a name of letters, digits, dashes and underscores"));

const MAX_STEPS = 1_000;

/** A scenario file as a person writes it; its steps are checked one by one, each against its action's schema. */
export const scenarioFileSchema = z.strictObject({
  $schema: z.optional(z.string()),
  name: scenarioSchema.shape.name,
  description: scenarioSchema.shape.description,
  vars: z.optional(z.record(variableNameSchema, z.unknown())),
  charges: scenarioSchema.shape.charges,
  withdrawals: scenarioSchema.shape.withdrawals,
  webhooks: scenarioSchema.shape.webhooks,
  faults: scenarioSchema.shape.faults,
  steps: z.optional(z.array(z.record(z.string(), z.unknown())).check(entriesAtMost(MAX_STEPS))),
});
export type ScenarioFile = z.infer<typeof scenarioFileSchema>;
