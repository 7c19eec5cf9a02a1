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

interface Expecting {
  readonly says: string;
  /** What is looked for, in a word. */
  readonly what: string;
  /** What may be said of it. */
  readonly fields: Readonly<Record<string, z.ZodMiniType>>;
  /** What one of them is like: what `save` takes values from. */
  readonly record: z.ZodMiniObject;
  /** Those there are, newest first. */
  readonly rows: (context: RunContext, expected: Expected) => Promise<readonly Row[]>;
  /** What there is that does not count, in words: told when the step has failed. */
  readonly aside?: (context: RunContext, expected: Expected) => Promise<string | undefined>;
  /** What may be said of all that fit together, and what holds it against them; they are newest first. */
  readonly together?: {
    readonly fields: Readonly<Record<string, z.ZodMiniType>>;
    readonly check: (expected: Expected, found: readonly Row[], at: string) => void;
  };
  /** How one of them is called where it is told of. */
  readonly idOf: (row: Row) => string;
}

/** A step that looks for a record, or so many, that are as described. */
export function expecting(
  kind: `expect_${string}`,
  { says, what, fields, record, rows, aside, together, idOf }: Expecting,
): StepRow {
  const describedSchema = z.strictObject({ ...fields, ...together?.fields, count: z.optional(countSchema) });
  const ofAll = Object.keys(together?.fields ?? {});
  return {
    says,
    schema: stepSchema({ [kind]: describedSchema, save }),
    result: (step) => describedRecord(record, step[kind]),
    holds: kind,
    run: async (step, context) => {
      const { count, ...said } = (step as { [kind: string]: z.infer<typeof describedSchema> })[kind]!;
      const expected = Object.fromEntries(Object.entries(said).filter(([field]) => !ofAll.includes(field)));
      await settle(context);
      const search = { at: kind, what, expected, count, rows: await rows(context, expected), idOf };
      try {
        const newest = findCounted(search);
        together?.check(
          said,
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

const WITHIN = "20s";

/**
 * What has been set in motion comes to its end before anything is looked at: an event's first attempt begins
 * after the call that caused it has been answered. If that takes too long, things are looked at as they are.
 */
export async function settle({ client }: RunContext): Promise<void> {
  await client.control("POST", "/wait", { for: "idle", timeout: WITHIN });
}

/** Deliveries meant that nobody has taken from their mailboxes, in words. */
export async function waitingInMailboxes(
  { baseline, client }: RunContext,
  isMeant: (delivery: Row) => boolean,
): Promise<string | undefined> {
  const mailboxes = new Map<unknown, string>();
  for await (const page of pagesOf<Row>("/webhook-endpoints", (path) => client.must("GET", path)))
    for (const { webhook_id, mailbox } of page)
      if (typeof mailbox === "string") mailboxes.set(webhook_id, mailbox);
  const waiting = (await baseline.since("deliveries"))
    .filter(({ webhook_id, status }) => mailboxes.has(webhook_id) && status === "pending")
    .filter(isMeant);
  if (waiting.length === 0) return undefined;
  const names = new Set(waiting.map(({ webhook_id }) => mailboxes.get(webhook_id)));
  return `${waiting.length} ${waiting.length === 1 ? "waits" : "wait"} in mailbox ${[...names].join(", ")} to be taken`;
}
