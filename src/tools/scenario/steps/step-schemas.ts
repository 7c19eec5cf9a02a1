import * as z from "zod/mini";
import { CHARGE_STATUSES, deliveryStatusSchema, modeSchema } from "../../../core/schema/common.js";
import { durationSchema } from "../../../core/schema/duration.js";
import { expectationMatcherSchema, expectationSchema, rangeSchema } from "../../../core/schema/matchers.js";
import { withNameKind } from "../../../core/schema/name-kinds.js";
import { variableNameSchema } from "../../../core/schema/scenario-file.js";
import { minLength } from "../../../core/schema/schema-checks.js";
import { schemaNodes } from "../../../core/schema/schema-paths.js";
import { chargeDetailSchema } from "../../../core/schema/service-responses.js";

export const textSchema = z.string().check(minLength(1, "must not be empty"));
const anything = z.optional(z.unknown());
const expected = z.optional(expectationSchema);
export const nameSchema = z.optional(textSchema);

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

/** Fields of a step beside its call. */
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

/** Optional expectations for fields of a record. */
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
