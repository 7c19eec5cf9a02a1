import * as z from "zod/mini";
import { WAITABLE_SCHEMAS } from "../../../core/schema/control-log-responses.js";
import { getOwn } from "../../../core/schema/json-objects.js";
import { expectationMatcherSchema, type Range, rangeSchema } from "../../../core/schema/matchers.js";
import { durationSchema, durationToMs, formatDuration, LONGEST_WAIT_MS } from "../../../core/schema/time.js";
import { type CallResponse, errorOf, errorTextOf } from "../running/client.js";
import type { RunContext } from "../running/context.js";
import { StepFailure } from "../running/failure.js";
import { matchingRows } from "./matching.js";
import {
  chargeFields,
  defineStep,
  deliveryFields,
  narrowRecordSchema,
  requestFields,
  saveSchema,
  stepSchema,
} from "./step-definition.js";

const DEFAULT_WITHIN = "10s";
/** Text in the sandbox's message that identifies a request of the run's own steps. */
const RUN_REQUEST = /runner is "[^"]*", not null/;
/** Time for the sandbox to respond after its timeout. */
const GRACE_MS = 5_000;

const waitedStatusSchema = z.union([z.int("must be a status such as 200"), expectationMatcherSchema]);

const RECORDS: Readonly<Record<string, z.ZodMiniObject>> = WAITABLE_SCHEMAS;

/** Records to wait for, with the schemas of `match`. */
const MATCHES = {
  charge: z.strictObject(chargeFields),
  delivery: z.strictObject({
    ...deliveryFields,
    answered: z.optional(waitedStatusSchema),
  }),
  request: z.strictObject({ ...requestFields, status: z.optional(waitedStatusSchema) }),
} as const;

function waitSchema<const What extends keyof typeof MATCHES>(what: What) {
  return stepSchema({
    wait_for: z.literal(what),
    match: z.optional(MATCHES[what] as z.ZodMiniType<Record<string, unknown>>),
    count: z.optional(z.union([z.int().check(z.gte(1, "must be at least 1")), rangeSchema])),
    within: z.optional(durationSchema),
    save: saveSchema,
  });
}

export const WAIT_SCHEMAS = {
  charge: waitSchema("charge"),
  request: waitSchema("request"),
  delivery: waitSchema("delivery"),
  idle: stepSchema({ wait_for: z.literal("idle"), within: z.optional(durationSchema) }),
} as const;
export const WAIT_KINDS = Object.keys(WAIT_SCHEMAS);

/** The sandbox responds as soon as the condition is met; there is no polling. */
export const waitFor = defineStep(["checks"], {
  result: ({ wait_for, match }) => {
    const record = getOwn(RECORDS, String(wait_for));
    return record && narrowRecordSchema(record, match);
  },
  expectationField: "match",
  description:
    "`charge`, `request` or `delivery`: waits until there is a matching one; `idle`: until nothing is in flight. `within` 10s by default.",
  schema: z.discriminatedUnion("wait_for", [
    WAIT_SCHEMAS.charge,
    WAIT_SCHEMAS.request,
    WAIT_SCHEMAS.delivery,
    WAIT_SCHEMAS.idle,
  ]),
  run: async (step, context) => {
    const within = step.within ?? DEFAULT_WITHIN;
    if (step.wait_for === "idle") return wait(context, { for: "idle" }, within);
    const { wait_for: what, match = {}, count = 1 } = step;
    const filter = what === "request" ? { ...match, runner: null } : match;
    const before = what === "charge" ? 0 : await countBefore(context, what, filter);
    return wait(context, { for: what, match: filter, count: addToCount(count, before) }, within, step.match);
  },
});

/** Adds the number of records from before the run, because the sandbox counts all records. */
function addToCount(count: number | Range, before: number): number | Range {
  if (typeof count === "number") return before + count;
  return Object.fromEntries(Object.entries(count).map(([bound, value]) => [bound, value + before]));
}

async function countBefore(
  { startState: baseline }: RunContext,
  what: "request" | "delivery",
  match: Readonly<Record<string, unknown>>,
): Promise<number> {
  const list = what === "request" ? "requests" : "deliveries";
  const rows = await baseline.before(list);
  return (await matchingRows(match, rows)).length;
}

async function wait(
  { client }: RunContext,
  what: { for: string; match?: unknown; count?: number | Range },
  within: string,
  expected?: unknown,
): Promise<unknown> {
  // The sandbox limits the duration of one wait, so a long wait needs several calls.
  let leftMs = durationToMs(within);
  let answer: CallResponse;
  do {
    const timeoutMs = Math.min(leftMs, LONGEST_WAIT_MS);
    const timeout = formatDuration(timeoutMs);
    answer = await client.wait({ ...what, timeout }, timeoutMs + GRACE_MS);
    if (answer.status === 200) return answer.body;
    leftMs -= timeoutMs;
  } while (answer.status === 408 && leftMs > 0);
  throw new StepFailure({
    message: errorTextOf(answer),
    ...(expected === undefined ? {} : { expected }),
    nearest: Object.entries(errorOf(answer).details ?? {}).map(([id, text]) => ({
      id,
      difference: [{ path: "", expected: text.replace(RUN_REQUEST, "it is one of the steps' own") }],
    })),
  });
}
