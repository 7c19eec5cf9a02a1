import * as z from "zod/mini";
import { globMatches } from "../../../core/domain/glob.js";
import type { Vocabulary } from "../../../core/domain/name-check.js";
import { CHARGE_STATUSES, deliveryStatusSchema, modeSchema } from "../../../core/schema/common.js";
import { eventPayloadSchema } from "../../../core/schema/control-log-responses.js";
import { reversalSchema } from "../../../core/schema/engine-requests.js";
import { ALL_EVENT_TYPES, parseEventType, TEST_EVENT_TYPE } from "../../../core/schema/event-types.js";
import { expectationMatcherSchema, expectationSchema, rangeSchema } from "../../../core/schema/matchers.js";
import { withNameKind } from "../../../core/schema/name-kinds.js";
import { isOperationId } from "../../../core/schema/operation-ids.js";
import { responseSchemaOf } from "../../../core/schema/responses/by-operation.js";
import { variableNameSchema } from "../../../core/schema/scenario-file.js";
import { minLength } from "../../../core/schema/schema-checks.js";
import { schemaNodes } from "../../../core/schema/schema-paths.js";
import { chargeDetailSchema, withdrawalSchema } from "../../../core/schema/service-responses.js";
import { durationSchema } from "../../../core/schema/time.js";
import type { StepContext } from "../running/context.js";

export const textSchema = z.string().check(minLength(1, "must not be empty"));
const anything = z.optional(z.unknown());
const expected = z.optional(expectationSchema);
const nameSchema = z.optional(textSchema);

/** Variable → path of its value in the result, such as `body.quote_id`. */
export const saveSchema = z.optional(
  z.record(
    variableNameSchema,
    z
      .string()
      .check(
        z.regex(/^[^.\s]+(\.[^.\s]+)*$/, "must be a path in the result, such as body.quote_id or charge_id"),
      ),
  ),
);

/** A status, a class of them such as `4xx`, or a matcher. */
export const httpStatusSchema = z.union(
  [
    z.int().check(z.gte(100), z.lte(599)),
    z.string().check(z.regex(/^[1-5][\dx]{2}$/, "must be a status such as 200 or 2xx")),
    expectationMatcherSchema,
  ],
  "must be a status such as 200 or 2xx",
);
export const countSchema = z.union([
  z.int("must be a whole number").check(z.gte(0, "must not be negative")),
  rangeSchema,
]);

export const responseSchema = z
  .strictObject({
    status: z.optional(httpStatusSchema),
    headers: z.optional(z.record(z.string(), expectationSchema)),
    body: expected,
    error: z.optional(textSchema),
    dropped: z.optional(z.literal(true)),
    timeout: z.optional(z.literal(true)),
  })
  .check(
    z.refine((expected) => noAnswerIn(expected) === undefined || Object.keys(expected).length === 1, {
      error: ({ input }) =>
        `${noAnswerIn(input as object)} expects no response, so nothing else can be expected with it`,
    }),
  );

/** Returns the field that says no response is expected: `dropped` or `timeout`. */
function noAnswerIn(expected: object): string | undefined {
  return ["dropped", "timeout"].find((word) => Object.hasOwn(expected, word));
}

export type ExpectedResponse = z.infer<typeof responseSchema>;

export function resultSchema(body: z.core.$ZodType) {
  const isTrue = z.literal(true);
  return z.object({ status: z.int(), headers: z.unknown(), body, dropped: isTrue, timeout: isTrue });
}

export const callStepFields = {
  /** A string is sent as it is, other values as JSON. */
  body: anything,
  /** `null` removes a default header. */
  headers: z.optional(z.record(z.string(), z.nullable(z.string()))),
  expect: z.optional(responseSchema),
  save: saveSchema,
  /** Timeout in wall time. */
  within: z.optional(durationSchema),
};

export function expectedFields<const Name extends string>(...names: readonly Name[]) {
  return Object.fromEntries(names.map((field) => [field, expected])) as Record<Name, typeof expected>;
}

function statusPattern(statuses: readonly string[]) {
  return z.union([
    z.enum([...statuses]),
    z.string().check(z.regex(/[*?]/, { error: `must be one of ${statuses.join(", ")}`, abort: true })),
    expectationMatcherSchema,
  ]);
}

const chargeNames = Object.keys(chargeDetailSchema.shape) as (keyof typeof chargeDetailSchema.shape)[];

function isText(name: keyof typeof chargeDetailSchema.shape): boolean {
  return schemaNodes(chargeDetailSchema.shape[name]).every(({ def }) =>
    ["string", "null"].includes(def.type),
  );
}

/** Expectation for a text field. Refuses numbers, because YAML reads `amount: 5.00` as a number. */
export const expectedTextSchema = z.optional(
  expectationSchema.check(z.refine((value) => typeof value !== "number", "is text: put the value in quotes")),
);

export const chargeFields = {
  ...expectedFields(...chargeNames),
  ...Object.fromEntries(chargeNames.filter(isText).map((name) => [name, expectedTextSchema])),
  mode: z.optional(modeSchema),
  status: z.optional(statusPattern(CHARGE_STATUSES)),
};

export const eventTypeSchema = withNameKind("event type", anything);

export const deliveryFields = {
  ...expectedFields(
    "delivery_id",
    "event_id",
    "webhook_id",
    "url",
    "charge_id",
    "withdrawal_id",
    "created_at",
    "next_attempt_at",
    "mishap",
    "data",
  ),
  type: eventTypeSchema,
  mode: z.optional(modeSchema),
  status: z.optional(z.union([deliveryStatusSchema, expectationMatcherSchema])),
};

export const requestFields = {
  ...expectedFields(
    "query",
    "operation",
    "in_flight",
    "client_gone",
    "api_key",
    "idempotency_key",
    "scenario",
    "fault",
    "tolerated",
    "request_body",
    "request_body_bytes",
    "response_body",
    "response_body_bytes",
  ),
  method: withNameKind("HTTP method", anything),
  path: withNameKind("path", anything),
  status: z.optional(httpStatusSchema),
};

const sandbox_extension = reversalSchema;
const DATA = {
  charge: z.extend(chargeDetailSchema, { sandbox_extension }),
  withdrawal: z.extend(withdrawalSchema, { sandbox_extension }),
} as const;

/** Fields whose schema depends on other expected fields. */
const DEPENDENT: Readonly<Record<string, (described: Readonly<Record<string, unknown>>) => z.core.$ZodType>> =
  {
    data: ({ type }) => dataOf(type),
    payload: ({ type }) => z.extend(eventPayloadSchema, { data: dataOf(type) }),
    response_body: ({ operation }) =>
      typeof operation === "string" && isOperationId(operation)
        ? responseSchemaOf([operation], undefined)
        : z.unknown(),
  };

/** Narrows the schema of a record by the expected fields, such as `type`. */
export function narrowRecordSchema(record: z.ZodMiniObject, described: unknown): z.ZodMiniObject {
  const dependent = Object.entries(DEPENDENT).filter(([field]) => Object.hasOwn(record.shape, field));
  const fields = (described ?? {}) as Readonly<Record<string, unknown>>;
  return z.extend(
    record,
    Object.fromEntries(dependent.map(([field, schemaBy]) => [field, schemaBy(fields)])),
  );
}

/** Returns the schema of the event data, for all event types that `type` may match. */
function dataOf(type: unknown): z.core.$ZodType {
  const isText = typeof type === "string" && !type.includes("${");
  const types = ALL_EVENT_TYPES.filter((known) => !isText || globMatches(type, known));
  const objects = new Set(types.flatMap((known) => parseEventType(known)?.object ?? []));
  // Custom types have any data.
  if (objects.size === 0 || type === TEST_EVENT_TYPE) return z.unknown();
  const [first, ...others] = [...objects].map((object) => DATA[object]);
  return z.union([first!, ...others]);
}

type RawStep = Readonly<Record<string, unknown>>;

/** A property that all steps of a kind share. A missing trait causes at most a warning or a slower run. */
export type StepTrait =
  /** Checks something itself. */
  | "checks"
  /** Never compares with the state at the start of the run. */
  | "ignores_start"
  /** Affects only the run's own customer or the shared clock. */
  | "own_customer";

/** A kind of step. Its schema applies after variables are filled in. */
export interface StepDefinition<Schema extends z.ZodMiniType = z.ZodMiniType> {
  readonly traits: readonly StepTrait[];
  readonly schema: Schema;
  readonly description: string;
  /** Schema of the result; undefined if not known before the run. */
  readonly result?: (step: RawStep, routes: Vocabulary["routes"]) => z.core.$ZodType | undefined;
  /** Name of the step's field that holds the expectation of its result. */
  readonly expectationField?: string;
  /** Name and value of the variable in which the step saves its result. */
  readonly namedResult?: (step: z.infer<Schema>, result: unknown) => readonly [string, unknown] | undefined;
  /** Resolves with the record from which `save` takes values. */
  readonly run: (step: z.infer<Schema>, context: StepContext) => Promise<unknown>;
}

export interface Iteration {
  /** Index of the list in the step. */
  readonly list: number;
  /** Name of this iteration; absent for a single one. */
  readonly part?: string;
  /** Variables of this iteration only. */
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface ContainerDefinition<Schema extends z.ZodMiniType = z.ZodMiniType>
  extends Omit<StepDefinition<Schema>, "run" | "namedResult"> {
  readonly iterations: (step: z.infer<Schema>) => readonly Iteration[];
  readonly hasConcurrentIterations?: boolean;
}

/** Schema of a step: its action and other fields, and an optional name. */
export function stepSchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject({ name: nameSchema, ...shape });
}

export function defineContainer<Schema extends z.ZodMiniType>(
  row: Omit<ContainerDefinition<Schema>, "traits">,
): ContainerDefinition<Schema> {
  return { ...row, traits: ["ignores_start"] };
}

/** Infers the type of the step in `run` from the schema. */
export function defineStep<Schema extends z.ZodMiniType>(
  traits: readonly StepTrait[],
  row: Omit<StepDefinition<Schema>, "traits">,
): StepDefinition<Schema> {
  return { ...row, traits };
}
