import * as z from "zod/mini";
import { DEVIATION_KINDS, deviationsFault } from "./explore-limits.js";
import { expectationSchema } from "./matchers.js";
import { didYouMean } from "./nearest.js";
import { startOptionsSchema } from "./option-table.js";
import { scenarioSchema } from "./scenario-rules.js";
import { entriesAtMost, minLength } from "./schema-checks.js";
import { durationSchema } from "./time.js";

export const VARIABLE_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_-]*$/;
export const variableNameSchema = z
  .string()
  .check(z.regex(VARIABLE_NAME_PATTERN, "must be a name of letters, digits, dashes and underscores"));

const CALL = "must be a method and a path, such as POST /api/v1/payments/quotes";
/** An HTTP call in a step: `POST /orders`. */
export const callSchema = z
  .string(CALL)
  .check(z.regex(/^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \/\S*$/, CALL));

export const commandSchema = z.string().check(z.regex(/\S/, "must be a command, not empty"));

/** Maximum length of a list of steps, or of `observe` or `never`. */
const MAX_ENTRIES = 1_000;

const rawStepSchema = z.record(
  z.string(),
  z.unknown(),
  "must be a step: an action, a colon and what it takes, such as advance: 10s",
);

/** Steps inside a step. Each inner step is checked later, against the schema of its action. */
export const stepListSchema = z
  .array(rawStepSchema, "must be a list of steps: each begins with -")
  .check(minLength(1, "needs a step at least"), entriesAtMost(MAX_ENTRIES));

const appCall = {
  name: z.optional(z.string()),
  app: callSchema,
  headers: z.optional(z.record(z.string(), z.nullable(z.string()))),
  steady: z.optional(durationSchema),
};
/** A read of the app's state, for `explore`: a call, or a command that prints it. */
const observeSchema = z
  .strictObject({
    ...appCall,
    app: z.optional(callSchema),
    run: z.optional(commandSchema),
    ignore: z.optional(z.array(z.string())),
    /** Dotted path of the app's price, which must be the charge's base amount, and of its currency. */
    price: z.optional(z.string()),
    currency: z.optional(z.string()),
  })
  .check(
    z.refine(({ app, run }) => (app === undefined) !== (run === undefined), {
      error: "needs app: a call of the app, or run: a command that prints its state",
    }),
    z.refine(({ run, headers }) => run === undefined || headers === undefined, {
      error: "goes with app: a command takes none",
      path: ["headers"],
    }),
    z.refine(({ price, currency }) => price !== undefined || currency === undefined, {
      error: "needs price beside currency",
      path: ["currency"],
    }),
  );
/** A read of the app's state, and the body it must never return. */
const neverSchema = z.strictObject({ ...appCall, body: expectationSchema });
/** For each kind of deviation, fields of the views that may end as the matcher says. */
const allowSchema = z.record(
  z.string().check(
    z.refine((kind) => (DEVIATION_KINDS as readonly string[]).includes(kind), {
      error: ({ input }) => `is no kind of deviation${didYouMean(String(input), DEVIATION_KINDS)}`,
    }),
  ),
  z.record(z.string(), expectationSchema),
);
export type ObserveRule = z.infer<typeof observeSchema>;
export type NeverRule = z.infer<typeof neverSchema>;

const { start_time, seed, rate_limit, limits } = startOptionsSchema.shape;

/** Options of a namespace that is created for the scenario. The start options supply the rest. */
const namespaceSetupSchema = z.strictObject({
  start_time,
  seed,
  rate_limit,
  limits,
  /** Fixtures to merge over those of the start options: a path relative to the scenario file, or a value. */
  fixtures: z.optional(
    z.union([z.string(), z.record(z.string(), z.unknown())], "must be a file or fixtures"),
  ),
});
export type NamespaceSetup = z.infer<typeof namespaceSetupSchema>;

/** Fields that may stand beside `flow`. */
const REPLAY_FIELDS = ["$schema", "name", "description", "vars", "flow", "only"];

const fileSchema = z.strictObject({
  $schema: z.optional(z.string()),
  name: scenarioSchema.shape.name,
  description: scenarioSchema.shape.description,
  kind: scenarioSchema.shape.kind,
  given: z.optional(namespaceSetupSchema),
  isolation: z.optional(z.literal("snapshot", "must be snapshot")),
  include: z.optional(z.union([z.string(), z.array(z.string())])),
  vars: z.optional(z.record(variableNameSchema, z.unknown())),
  charges: scenarioSchema.shape.charges,
  withdrawals: scenarioSchema.shape.withdrawals,
  webhooks: scenarioSchema.shape.webhooks,
  faults: scenarioSchema.shape.faults,
  steps: z.optional(
    z.array(rawStepSchema, "must be a list of steps: each begins with -").check(entriesAtMost(MAX_ENTRIES)),
  ),
  observe: z.optional(z.array(observeSchema).check(entriesAtMost(MAX_ENTRIES))),
  tick: z.optional(stepListSchema),
  meanwhile: z.optional(stepListSchema),
  reset: z.optional(stepListSchema),
  never: z.optional(z.array(neverSchema).check(entriesAtMost(MAX_ENTRIES))),
  allow: z.optional(allowSchema),
  flow: z.optional(z.string()),
  only: z.optional(
    z.string().check(
      z.refine((text) => deviationsFault(text) === undefined, {
        error: ({ input }) => deviationsFault(String(input)),
      }),
    ),
  ),
});

/** A scenario file as written; each step is checked later, against its action's schema. */
export const scenarioFileSchema = fileSchema.check(
  z.refine(({ flow, only }) => (flow === undefined) === (only === undefined), {
    error: ({ input }) => {
      const [given, missing] = Object(input).only === undefined ? ["flow", "only"] : ["only", "flow"];
      return `needs ${missing} beside ${given}: a flow, and the deviations to run it with`;
    },
    path: [],
  }),
  z.refine(
    (file) => file.flow === undefined || Object.keys(file).every((key) => REPLAY_FIELDS.includes(key)),
    {
      error: "has steps and rules of its own: a file that names one takes name, description, vars and only",
      path: ["flow"],
    },
  ),
);

/** A file for `include`; it needs no name. */
export const includedFileSchema = z.strictObject({
  ...z.omit(fileSchema, {
    given: true,
    isolation: true,
    observe: true,
    tick: true,
    meanwhile: true,
    reset: true,
    never: true,
    allow: true,
    flow: true,
    only: true,
  }).shape,
  name: z.optional(scenarioFileSchema.shape.name),
});
export type ScenarioFile = z.infer<typeof scenarioFileSchema>;
