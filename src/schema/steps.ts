import * as z from "zod/mini";
import { CHARGE_STATUSES, modeSchema, WITHDRAWAL_STATUSES } from "./common.js";
import { resetRequestSchema, triggerRequestSchema } from "./control.js";
import { durationSchema, parseDuration } from "./duration.js";
import { entriesAtMost, minLength } from "./lengths.js";
import { chargeDetailSchema } from "./responses.js";
import { faultRuleSchema, scenarioSchema } from "./scenario.js";
import { parseInstant } from "./time.js";

/**
 * The steps that make a scenario a test (contract section 5). Each has one action; which one decides what else
 * may stand beside it. Values may be `${variables}`: these schemas are for what has them filled in.
 */
const textSchema = z.string().check(minLength(1, "must not be empty"));
const anything = z.optional(z.unknown());

/** Variable → where its value stands in the result, such as `body.quote_id`. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
export const variableNameSchema = z
  .string()
  .check(z.regex(VARIABLE_NAME, "must be a name of letters, digits, dashes and underscores"));
const saveSchema = z.record(
  variableNameSchema,
  z
    .string()
    .check(
      z.regex(/^[^.\s]+(\.[^.\s]+)*$/, "must be a path in the result, such as body.quote_id or charge_id"),
    ),
);

/** A status, or a class of them such as `4xx`. */
const httpStatusSchema = z.union(
  [
    z.int().check(z.gte(100), z.lte(599)),
    z.string().check(z.regex(/^[1-5][\dx]{2}$/, "must be a status such as 200 or 2xx")),
  ],
  "must be a status such as 200 or 2xx",
);
const countSchema = z.int("must be a whole number").check(z.gte(0, "must not be negative"));

const answerSchema = z
  .strictObject({
    status: z.optional(httpStatusSchema),
    headers: z.optional(z.record(z.string(), z.unknown())),
    body: anything,
    error: z.optional(textSchema),
    dropped: z.optional(z.literal(true)),
  })
  .check(
    z.refine(
      (expected) => expected.dropped === undefined || Object.keys(expected).length === 1,
      "dropped means that there is no answer: nothing else can be expected of it",
    ),
  );

const callSchema = z
  .string()
  .check(
    z.regex(
      /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \/\S*$/,
      "must be a method and a path, such as POST /api/v1/payments/quotes",
    ),
  );
const callShape = {
  /** JSON, or a string that is sent as it is. */
  body: anything,
  /** `null` leaves a header out that would be sent. */
  headers: z.optional(z.record(z.string(), z.nullable(z.string()))),
  expect: z.optional(answerSchema),
  save: z.optional(saveSchema),
  /** Wall time the answer may take. */
  within: z.optional(durationSchema),
};

const name = z.optional(textSchema);
const save = z.optional(saveSchema);

function statusPattern(statuses: readonly string[]) {
  return z.union([
    z.enum([...statuses]),
    z.string().check(z.regex(/[*?]/, { error: `must be one of ${statuses.join(", ")}`, abort: true })),
  ]);
}

/** Fields of a record that may be expected: whatever value they have to match. */
function fields<const Name extends string>(...names: readonly Name[]) {
  return Object.fromEntries(names.map((field) => [field, anything])) as Record<Name, typeof anything>;
}

const chargeFields = {
  ...fields(...(Object.keys(chargeDetailSchema.shape) as (keyof typeof chargeDetailSchema.shape)[])),
  mode: z.optional(modeSchema),
  status: z.optional(statusPattern(CHARGE_STATUSES)),
};
const deliveryFields = {
  ...fields(
    "delivery_id",
    "event_id",
    "type",
    "webhook_id",
    "url",
    "charge_id",
    "withdrawal_id",
    "created_at",
    "next_attempt_at",
    "mishap",
    "data",
  ),
  mode: z.optional(modeSchema),
  status: z.optional(z.enum(["pending", "delivered", "failed", "dropped"])),
};
const requestFields = {
  ...fields(
    "method",
    "path",
    "query",
    "operation",
    "client_gone",
    "api_key",
    "idempotency_key",
    "scenario",
    "fault",
    "request_body",
    "request_body_bytes",
    "response_body",
    "response_body_bytes",
  ),
  status: z.optional(httpStatusSchema),
};

/** What may be waited for, and what can be asked of each. */
const WAIT_MATCHES = {
  charge: z.strictObject(chargeFields),
  delivery: z.strictObject({
    ...deliveryFields,
    answered: z.optional(z.int("must be a status such as 200")),
  }),
  request: z.strictObject({ ...requestFields, status: z.optional(z.int("must be a status such as 200")) }),
} as const;

function waitStep<const What extends keyof typeof WAIT_MATCHES>(what: What) {
  return z.strictObject({
    name,
    wait_for: z.literal(what),
    match: z.optional(WAIT_MATCHES[what] as z.ZodMiniType<Record<string, unknown>>),
    count: z.optional(z.int().check(z.gte(1, "must be at least 1"))),
    within: z.optional(durationSchema),
    save,
  });
}

/** The shape of `wait_for` by what is waited for. */
export const WAIT_SCHEMAS = {
  charge: waitStep("charge"),
  request: waitStep("request"),
  delivery: waitStep("delivery"),
  idle: z.strictObject({ name, wait_for: z.literal("idle"), within: z.optional(durationSchema) }),
} as const;
export const WAIT_KINDS = Object.keys(WAIT_SCHEMAS) as (keyof typeof WAIT_SCHEMAS)[];

/** A signed decimal: how much a balance has changed. */
const changeSchema = z
  .string()
  .check(z.regex(/^[+-]?\d{1,30}(\.\d{1,18})?$/, 'must be a signed decimal string such as "+500.00"'));

const transitionSchema = z
  .strictObject({
    charge_id: z.optional(textSchema),
    withdrawal_id: z.optional(textSchema),
    to: z.enum([...new Set([...CHARGE_STATUSES, ...WITHDRAWAL_STATUSES])]),
    reason: z.optional(textSchema),
    expect: z.optional(answerSchema),
  })
  .check(
    z.refine(
      (asked) => (asked.charge_id === undefined) !== (asked.withdrawal_id === undefined),
      "needs either charge_id or withdrawal_id",
    ),
  );

/** The shape of a step by its action; `wait_for` has one for each thing waited for. */
export const STEP_SCHEMAS = {
  request: z.strictObject({ name, request: callSchema, ...callShape }),
  app: z.strictObject({ name, app: callSchema, ...callShape }),
  manual: z.strictObject({ name, manual: textSchema }),
  wait_for: z.discriminatedUnion("wait_for", [
    WAIT_SCHEMAS.charge,
    WAIT_SCHEMAS.request,
    WAIT_SCHEMAS.delivery,
    WAIT_SCHEMAS.idle,
  ]),
  advance: z.strictObject({
    name,
    advance: z
      .string()
      .check(
        z.refine(
          (text) =>
            text === "next" ||
            text === "idle" ||
            parseDuration(text) !== undefined ||
            parseInstant(text) !== undefined,
          "must be a duration such as 10m, an ISO instant, next or idle",
        ),
      ),
  }),
  expect_charge: z.strictObject({
    name,
    expect_charge: z.strictObject({
      ...chargeFields,
      ...fields("kind", "sandbox"),
      count: z.optional(countSchema),
    }),
    save,
  }),
  expect_webhook: z.strictObject({
    name,
    expect_webhook: z.strictObject({
      ...fields("event_id", "type", "at", "organization_id", "charge_id", "withdrawal_id", "data", "payload"),
      mode: z.optional(modeSchema),
      count: z.optional(countSchema),
    }),
    save,
  }),
  expect_delivery: z.strictObject({
    name,
    expect_delivery: z.strictObject({
      ...deliveryFields,
      ...fields("attempt", "error", "response_body", "request_headers"),
      /** What the app answered: a status, a class of them, or `none` when no answer came. */
      answered: z.optional(z.union([httpStatusSchema, z.literal("none")], "must be 200, 2xx or none")),
      count: z.optional(countSchema),
    }),
    save,
  }),
  expect_request: z.strictObject({
    name,
    expect_request: z.strictObject({ ...requestFields, count: z.optional(countSchema) }),
    save,
  }),
  expect_balance: z.strictObject({
    name,
    expect_balance: z
      .strictObject({
        currency: textSchema,
        mode: z.optional(modeSchema),
        organization_id: z.optional(textSchema),
        ...fields("available_balance", "pending_balance"),
        /** Of the available balance since the run began. */
        change: z.optional(changeSchema),
      })
      .check(
        z.refine(
          (expected) =>
            expected.available_balance !== undefined ||
            expected.pending_balance !== undefined ||
            expected.change !== undefined,
          "needs available_balance, pending_balance or change",
        ),
      ),
  }),
  transition: z.strictObject({
    name,
    transition: transitionSchema,
    expect: z.optional(answerSchema),
    save,
  }),
  trigger: z.strictObject({ name, trigger: triggerRequestSchema, save }),
  fault: z.strictObject({ name, fault: z.union([z.literal("clear"), faultRuleSchema]) }),
  scenario: z.strictObject({
    name,
    scenario: z.union([
      textSchema,
      z.strictObject({ use: textSchema }),
      z.strictObject({ drop: textSchema }),
    ]),
  }),
  reset: z.strictObject({ name, reset: z.union([z.literal(true), z.null(), resetRequestSchema]) }),
} as const;

export type StepKind = keyof typeof STEP_SCHEMAS;
export const STEP_KINDS = Object.keys(STEP_SCHEMAS) as StepKind[];

/** A step of one kind, its variables filled in. */
export type StepOf<Kind extends StepKind> = z.infer<(typeof STEP_SCHEMAS)[Kind]>;
export type ExpectedAnswer = z.infer<typeof answerSchema>;
/** What may stand beside some action, for telling a slip from a word that is not there at all. */
export const STEP_COMPANIONS = [
  "name",
  "body",
  "headers",
  "expect",
  "save",
  "match",
  "within",
  "count",
] as const;

export const MAX_STEPS = 1_000;

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
