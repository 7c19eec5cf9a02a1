import * as z from "zod/mini";
import { entriesAtMost, minLength } from "./lengths.js";
import { startOptionsSchema } from "./option-table.js";
import { scenarioSchema } from "./scenario.js";

/** What a variable may be called. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
export const variableNameSchema = z
  .string()
  .check(z.regex(VARIABLE_NAME, "must be a name of letters, digits, dashes and underscores"));

const MAX_STEPS = 1_000;

/** Steps within a step or a definition; each is checked by itself, at its own place. */
export const stepListSchema = z
  .array(z.record(z.string(), z.unknown(), "must be a step"), "must be a list of steps")
  .check(minLength(1, "needs a step at least"), entriesAtMost(MAX_STEPS));

/** Steps to be used by their name, and what their variables are where `with` does not say. */
const definitionSchema = z.union([
  stepListSchema,
  z.strictObject({ with: z.optional(z.record(variableNameSchema, z.unknown())), steps: stepListSchema }),
]);

const { start_time, seed, rate_limit, limits } = startOptionsSchema.shape;

/** The world a scenario is carried out in, where that is made for it; what is not said is as the options have it. */
const givenSchema = z.strictObject({
  start_time,
  seed,
  rate_limit,
  limits,
  /** A file, seen from where this one lies, or what one would hold; merged over the others. */
  fixtures: z.optional(
    z.union([z.string(), z.record(z.string(), z.unknown())], "must be a file or fixtures"),
  ),
});
export type Given = z.infer<typeof givenSchema>;

/** A scenario file as a person writes it; its steps are checked one by one, each against its action's schema. */
export const scenarioFileSchema = z.strictObject({
  $schema: z.optional(z.string()),
  name: scenarioSchema.shape.name,
  description: scenarioSchema.shape.description,
  kind: scenarioSchema.shape.kind,
  given: z.optional(givenSchema),
  isolation: z.optional(z.literal("snapshot", "must be snapshot")),
  include: z.optional(z.union([z.string(), z.array(z.string())])),
  vars: z.optional(z.record(variableNameSchema, z.unknown())),
  charges: scenarioSchema.shape.charges,
  withdrawals: scenarioSchema.shape.withdrawals,
  webhooks: scenarioSchema.shape.webhooks,
  faults: scenarioSchema.shape.faults,
  define: z.optional(z.record(variableNameSchema, definitionSchema)),
  steps: z.optional(z.array(z.record(z.string(), z.unknown())).check(entriesAtMost(MAX_STEPS))),
});

/** One that is there for others to include needs no name. */
export const includedFileSchema = z.strictObject({
  ...z.omit(scenarioFileSchema, { given: true, isolation: true }).shape,
  name: z.optional(scenarioFileSchema.shape.name),
});
export type ScenarioFile = z.infer<typeof scenarioFileSchema>;
