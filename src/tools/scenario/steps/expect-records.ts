import * as z from "zod/mini";
import { modeSchema, withdrawalStatusSchema } from "../../../core/schema/common.js";
import { attemptSchema, deliverySchema, eventSchema } from "../../../core/schema/control-log-responses.js";
import { controlChargeSchema } from "../../../core/schema/control-responses.js";
import { expectationMatcherSchema } from "../../../core/schema/matchers.js";
import { withdrawalSchema } from "../../../core/schema/service-responses.js";
import type { RunContext } from "../running/context.js";
import { type LogRow, readAllPages, readRecordsSince, recordIdOf } from "../running/control-lists.js";
import { StepFailure } from "../running/failure.js";
import { findExpectedRecord, matchingRows, recordMatches } from "./matching.js";
import {
  chargeFields,
  countSchema,
  deliveryFields,
  eventTypeSchema,
  expectedFields,
  httpStatusSchema,
  narrowRecordSchema,
  type StepDefinition,
  type StepTrait,
  saveSchema,
  stepSchema,
} from "./step-definition.js";

type Expected = Readonly<Record<string, unknown>>;

interface RecordExpectation {
  readonly description: string;
  /** Name of the kind of record, such as `charge`. */
  readonly what: string;
  readonly fields: Readonly<Record<string, z.ZodMiniType>>;
  /** Schema of a record, from which `save` takes values. */
  readonly record: z.ZodMiniObject;
  /** Reads the records, newest first. */
  readonly rows: (context: RunContext, expected: Expected) => Promise<readonly LogRow[]>;
  /** Describes matching records that are not in `rows`, for the message of a failed step. */
  readonly describeIgnoredMatches?: (context: RunContext, expected: Expected) => Promise<string | undefined>;
  /** Expectations about the set of matching records; `check` gets the records newest first. */
  readonly jointExpectation?: {
    readonly fields: Readonly<Record<string, z.ZodMiniType>>;
    readonly check: (expected: Expected, found: readonly LogRow[], at: string) => void;
  };
  readonly idOf: (row: LogRow) => string;
}

/** Defines a step that expects matching records: at least one, or `count`. */
export function defineRecordExpectation(
  kind: `expect_${string}`,
  traits: readonly StepTrait[],
  {
    description,
    what,
    fields,
    record,
    rows,
    describeIgnoredMatches,
    jointExpectation,
    idOf,
  }: RecordExpectation,
): StepDefinition {
  const describedSchema = z.strictObject({
    ...fields,
    ...jointExpectation?.fields,
    count: z.optional(countSchema),
  });
  const joinedFields = Object.keys(jointExpectation?.fields ?? {});
  return {
    traits,
    description,
    schema: stepSchema({ [kind]: describedSchema, save: saveSchema }),
    result: (step) => narrowRecordSchema(record, step[kind]),
    expectationField: kind,
    run: async (step, context) => {
      const { count, ...described } = (step as { [kind: string]: z.infer<typeof describedSchema> })[kind]!;
      const expected = Object.fromEntries(
        Object.entries(described).filter(([field]) => !joinedFields.includes(field)),
      );
      await waitUntilIdle(context);
      const search = { at: kind, what, expected, count, rows: await rows(context, expected), idOf };
      try {
        const newest = await findExpectedRecord(search);
        jointExpectation?.check(described, await matchingRows(expected, search.rows), kind);
        return newest;
      } catch (error) {
        const note =
          error instanceof StepFailure ? await describeIgnoredMatches?.(context, expected) : undefined;
        if (!(error instanceof StepFailure) || note === undefined) throw error;
        throw new StepFailure({ ...error.failure, note }, error.at);
      }
    },
  };
}

const SETTLE_TIMEOUT = "20s";

/** Waits until all deliveries have ended, because a call returns before its webhooks are sent. Ignores a timeout. */
export async function waitUntilIdle({ client }: RunContext): Promise<void> {
  await client.wait({ for: "idle", timeout: SETTLE_TIMEOUT });
}

export async function describeMailboxDeliveries(
  { startState: baseline, client }: RunContext,
  matches: (delivery: LogRow) => boolean,
): Promise<string | undefined> {
  const mailboxes = new Map<unknown, string>();
  for (const { webhook_id, mailbox } of await readAllPages<LogRow>(client, "listWebhookEndpoints"))
    if (typeof mailbox === "string") mailboxes.set(webhook_id, mailbox);
  const waiting = (await baseline.since("deliveries"))
    .filter(({ webhook_id, status }) => mailboxes.has(webhook_id) && status === "pending")
    .filter(matches);
  if (waiting.length === 0) return undefined;
  const names = new Set(waiting.map(({ webhook_id }) => mailboxes.get(webhook_id)));
  return `${waiting.length} ${waiting.length === 1 ? "waits" : "wait"} in mailbox ${[...names].join(", ")} to be taken`;
}

export const expectCharge = defineRecordExpectation(
  "expect_charge",
  ["checks", "ignores_start", "own_customer"],
  {
    description: "A charge is as described; with count, exactly that many are.",
    what: "charge",
    fields: { ...chargeFields, ...expectedFields("kind", "base_amount", "base_currency", "sandbox") },
    record: controlChargeSchema,
    rows: candidates,
    idOf: (row) => String(row.charge_id),
  },
);

/** Reads only one charge if its id is given, so that a failure describes that charge. */
async function candidates(
  { client }: RunContext,
  { charge_id, customer_email, metadata }: Readonly<Record<string, unknown>>,
): Promise<readonly LogRow[]> {
  if (isExact(charge_id)) {
    const answer = await client.control("getCharge", { charge_id });
    return answer.status === 200 ? [answer.body as LogRow] : [];
  }
  const filters: Record<string, string> = {};
  if (isExact(customer_email)) filters.customer_email = customer_email;
  for (const [key, value] of Object.entries((metadata ?? {}) as object))
    if (isExact(value)) filters[`metadata.${key}`] = value;
  const hasFilters = Object.keys(filters).length > 0;
  const matches = hasFilters ? await readAllPages<LogRow>(client, "listCharges", filters) : [];
  // If no charge was found, reads all charges, because a failure describes the charges that match best.
  return matches.length > 0 ? matches : readRecordsSince(client, "charges", undefined);
}

function isExact(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !/[*?/\\]/.test(value);
}

/** Counts emitted events, delivered or not. */
export const expectWebhook = defineRecordExpectation("expect_webhook", ["checks"], {
  description: "Events emitted since the run began, delivered or not.",
  what: "event",
  fields: {
    ...expectedFields("event_id", "at", "organization_id", "charge_id", "withdrawal_id", "data", "payload"),
    type: eventTypeSchema,
    mode: z.optional(modeSchema),
  },
  record: eventSchema,
  rows: ({ startState: baseline }) => baseline.since("events"),
  idOf: (row) => `${String(row.type)} ${recordIdOf("events", row)}`,
});

/** Checks attempts. A dropped delivery has no attempts, so `status: dropped` selects deliveries instead. */
export const expectDelivery = defineRecordExpectation("expect_delivery", ["checks"], {
  description:
    "Delivery attempts of webhooks since the run began. `answered`: a status, 2xx or none; `status: dropped` if a rule dropped them.",
  what: "delivery attempt",
  fields: {
    ...deliveryFields,
    ...expectedFields("attempt", "error", "retry_after_ms", "response_body", "request_headers"),
    /** Status of the app's response, a class such as `2xx`, or `none`. */
    answered: z.optional(z.union([httpStatusSchema, z.literal("none")], "must be 200, 2xx or none")),
  },
  record: z.extend(attemptSchema, deliverySchema.shape),
  rows: async ({ startState: baseline }, { status, mishap }) => {
    const all = await baseline.since("deliveries");
    // Leaves out deliveries of false events, unless the step expects a `mishap`.
    const deliveries = mishap === undefined ? all.filter((delivery) => !isFabricated(delivery)) : all;
    return status === "dropped"
      ? deliveries.map(({ attempts: _attempts, ...delivery }) => delivery)
      : deliveries.flatMap(attemptsOf);
  },
  describeIgnoredMatches: (context, { answered: _answered, attempt: _attempt, ...expected }) =>
    describeMailboxDeliveries(context, (delivery) => recordMatches(expected, delivery)),
  idOf: ({ type, delivery_id, attempt }) =>
    `${String(type)} ${String(delivery_id)}${attempt === undefined ? "" : ` attempt ${String(attempt)}`}`,
});

function isFabricated({ mishap }: LogRow): boolean {
  return (mishap as { forged: boolean } | null)?.forged === true;
}

/** Makes a row of each attempt, with the fields of the delivery. The field `status` is the delivery status. */
export function attemptsOf(delivery: LogRow): LogRow[] {
  const { attempts, ...common } = delivery as { attempts: LogRow[] };
  return [...attempts]
    .reverse()
    .map((attempt) => ({ ...attempt, ...common, answered: attempt.status, attempt: attempt.attempt }));
}

type Field = keyof typeof withdrawalSchema.shape;

/** Ignores withdrawals from before the run, because a withdrawal names no customer. */
export const expectWithdrawal = defineRecordExpectation("expect_withdrawal", ["checks"], {
  description: "A withdrawal made since the run began is as described; with count, exactly that many are.",
  what: "withdrawal",
  fields: {
    ...expectedFields(...(Object.keys(withdrawalSchema.shape) as Field[])),
    mode: z.optional(modeSchema),
    status: z.optional(z.union([withdrawalStatusSchema, expectationMatcherSchema])),
  },
  record: z.extend(withdrawalSchema, { mode: modeSchema }),
  rows: ({ startState }) => startState.since("withdrawals"),
  idOf: (row) => recordIdOf("withdrawals", row),
});
