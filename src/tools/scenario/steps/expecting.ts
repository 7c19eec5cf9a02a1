import * as z from "zod/mini";
import { pagesOf } from "../../../control-client.js";
import type { RunContext } from "../running/context.js";
import { StepFailure } from "../running/failure.js";
import type { Row } from "../running/lists.js";
import { findCounted, fits } from "./matching.js";
import { countSchema, save } from "./parts.js";
import { describedRecord } from "./records.js";
import { type StepRow, stepSchema } from "./row.js";

type Expected = Readonly<Record<string, unknown>>;

interface RecordExpectation {
  readonly says: string;
  /** Name of the record. */
  readonly what: string;
  /** Fields that can be expected. */
  readonly fields: Readonly<Record<string, z.ZodMiniType>>;
  /** Schema of a record, from which `save` takes values. */
  readonly record: z.ZodMiniObject;
  /** Reads the records, newest first. */
  readonly rows: (context: RunContext, expected: Expected) => Promise<readonly Row[]>;
  /** Describes records that do not count, for a failed step. */
  readonly aside?: (context: RunContext, expected: Expected) => Promise<string | undefined>;
  /** Expectations of all matching records together; `found` is newest first. */
  readonly together?: {
    readonly fields: Readonly<Record<string, z.ZodMiniType>>;
    readonly check: (expected: Expected, found: readonly Row[], at: string) => void;
  };
  /** Names a record in a failure. */
  readonly idOf: (row: Row) => string;
}

/** Defines a step that expects records as described, at least one or `count`. */
export function expecting(
  kind: `expect_${string}`,
  { says, what, fields, record, rows, aside, together, idOf }: RecordExpectation,
): StepRow {
  const describedSchema = z.strictObject({ ...fields, ...together?.fields, count: z.optional(countSchema) });
  const joinedFields = Object.keys(together?.fields ?? {});
  return {
    says,
    schema: stepSchema({ [kind]: describedSchema, save }),
    result: (step) => describedRecord(record, step[kind]),
    expectationField: kind,
    run: async (step, context) => {
      const { count, ...described } = (step as { [kind: string]: z.infer<typeof describedSchema> })[kind]!;
      const expected = Object.fromEntries(
        Object.entries(described).filter(([field]) => !joinedFields.includes(field)),
      );
      await settle(context);
      const search = { at: kind, what, expected, count, rows: await rows(context, expected), idOf };
      try {
        const newest = findCounted(search);
        together?.check(
          described,
          search.rows.filter((row) => fits(expected, row)),
          kind,
        );
        return newest;
      } catch (error) {
        const note = error instanceof StepFailure ? await aside?.(context, expected) : undefined;
        if (!(error instanceof StepFailure) || note === undefined) throw error;
        throw new StepFailure({ ...error.failure, note }, error.at);
      }
    },
  };
}

const SETTLE_TIMEOUT = "20s";

/** Waits until nothing is in flight, as an event's first attempt begins after the response to its cause; gives up silently. */
export async function settle({ client }: RunContext): Promise<void> {
  await client.control("POST", "/wait", { for: "idle", timeout: SETTLE_TIMEOUT });
}

/** Describes matching deliveries that still wait in mailboxes. */
export async function waitingInMailboxes(
  { baseline, client }: RunContext,
  matches: (delivery: Row) => boolean,
): Promise<string | undefined> {
  const mailboxes = new Map<unknown, string>();
  for await (const page of pagesOf<Row>("/webhook-endpoints", (path) => client.must("GET", path)))
    for (const { webhook_id, mailbox } of page)
      if (typeof mailbox === "string") mailboxes.set(webhook_id, mailbox);
  const waiting = (await baseline.since("deliveries"))
    .filter(({ webhook_id, status }) => mailboxes.has(webhook_id) && status === "pending")
    .filter(matches);
  if (waiting.length === 0) return undefined;
  const names = new Set(waiting.map(({ webhook_id }) => mailboxes.get(webhook_id)));
  return `${waiting.length} ${waiting.length === 1 ? "waits" : "wait"} in mailbox ${[...names].join(", ")} to be taken`;
}
