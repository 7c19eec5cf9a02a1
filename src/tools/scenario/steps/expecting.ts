import * as z from "zod/mini";
import type { RunContext } from "../running/context.js";
import { StepFailure } from "../running/failure.js";
import type { Row } from "../running/lists.js";
import { findCounted, fits } from "./matching.js";
import { countSchema, save } from "./parts.js";
import { describedRecord } from "./records.js";
import { type StepRow, stepSchema } from "./row.js";
import { settle } from "./settle.js";

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
