import * as z from "zod/mini";
import type { RunContext } from "../running/context.js";
import { type LogRow, readAllPages } from "../running/control-lists.js";
import { StepFailure } from "../running/failure.js";
import { findExpectedRecord, recordMatches } from "./matching.js";
import { narrowRecordSchema } from "./record-schemas.js";
import { type StepDefinition, type StepTrait, stepSchema } from "./step-definition.js";
import { countSchema, saveSchema } from "./step-schemas.js";

type Expected = Readonly<Record<string, unknown>>;

interface RecordExpectation {
  readonly description: string;
  /** Name of the kind of record, such as `charge`. */
  readonly what: string;
  /** Fields that can be expected. */
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
  /** Names a record in a failure. */
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
        const newest = findExpectedRecord(search);
        jointExpectation?.check(
          described,
          search.rows.filter((row) => recordMatches(expected, row)),
          kind,
        );
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

/** Describes matching deliveries that still wait in mailboxes. */
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
