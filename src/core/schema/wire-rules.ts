import * as z from "zod/mini";
import { SERVICE_EVENT_TYPES } from "./event-types.js";
import { didYouMean } from "./nearest.js";
import { OPERATION_IDS } from "./operation-ids.js";

const fieldSchema = z
  .string()
  .check(
    z.regex(/^\w+(\.\w+)*$/, "must be a field such as fees.total_fee; the items of lists have no part in it"),
  );
const nameSchema = z.string().check(z.regex(/^\w+$/, "must be the new name of the field, without dots"));
const scalarSchema = z.union(
  [z.string(), z.number(), z.boolean(), z.null()],
  "must be a text, a number, a boolean or null",
);
const statusSchema = z
  .int()
  .check(
    z.refine(
      (status) => status >= 200 && status < 600 && ![204, 205, 304].includes(status),
      "must be a status with a body",
    ),
  );

/** Forms of times on the wire, in place of ISO 8601 with milliseconds and Z. */
export const WIRE_TIMES = ["without_ms", "with_offset", "unix", "unix_ms"] as const;

const ALTERATIONS = ["rename", "drop", "add", "values", "status", "times", "nulls", "numbers"] as const;

/** One way in which responses or webhooks differ on the wire from what the sandbox makes. */
export const wireRuleSchema = z
  .strictObject({
    operation: z.optional(z.string()),
    event: z.optional(z.string()),
    rename: z.optional(z.record(fieldSchema, nameSchema)),
    drop: z.optional(z.array(fieldSchema)),
    add: z.optional(z.record(fieldSchema, scalarSchema)),
    values: z.optional(z.record(fieldSchema, z.record(z.string(), scalarSchema))),
    status: z.optional(z.record(z.string().check(z.regex(/^[2-5]\d\d$/, "must be a status")), statusSchema)),
    times: z.optional(z.enum(WIRE_TIMES)),
    nulls: z.optional(z.literal("absent")),
    numbers: z.optional(z.array(fieldSchema)),
  })
  .check(({ value, issues }) => {
    const fault = (path: string[], message: string) =>
      issues.push({ code: "custom", input: value, path, message });
    const { operation, event, status } = value;
    if ((operation === undefined) === (event === undefined)) fault([], "needs an operation or an event");
    if (
      operation !== undefined &&
      !/[*?]/.test(operation) &&
      !(OPERATION_IDS as readonly string[]).includes(operation)
    )
      fault(["operation"], `is not an operation${didYouMean(operation, OPERATION_IDS)}`);
    if (event !== undefined && !/[*?]/.test(event) && !SERVICE_EVENT_TYPES.includes(event))
      fault(["event"], `is not an event type${didYouMean(event, SERVICE_EVENT_TYPES)}`);
    if (event !== undefined && status !== undefined)
      fault(["status"], "is of operations only: a webhook has none");
    if (ALTERATIONS.every((name) => value[name] === undefined))
      fault([], `needs one of ${ALTERATIONS.join(", ")}`);
  });
export type WireRule = z.infer<typeof wireRuleSchema>;
