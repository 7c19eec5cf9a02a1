import * as z from "zod/mini";
import { isInRange } from "../../../core/domain/deep-match.js";
import { requestEntrySchema } from "../../../core/schema/control-log-responses.js";
import type { Difference } from "../../../core/schema/control-scenario-responses.js";
import { COMPARISON_OPERATORS } from "../../../core/schema/matchers.js";
import { durationSchema, durationToMs, formatDuration } from "../../../core/schema/time.js";
import { type LogRow, recordIdOf } from "../running/control-lists.js";
import { StepFailure } from "../running/failure.js";
import { defineRecordExpectation } from "./expect-records.js";
import { matchingRows } from "./matching.js";
import { requestFields } from "./step-definition.js";

const bound = z.optional(durationSchema);

const spacingSchema = z
  .strictObject({ gt: bound, gte: bound, lt: bound, lte: bound, growing: z.optional(z.literal(true)) })
  .check(z.refine((spacing) => Object.keys(spacing).length > 0, "needs gt, gte, lt, lte or growing"));
type Spacing = z.infer<typeof spacingSchema>;

/** Minimum growth from one pause to the next. A busy machine can cause smaller differences. */
const GROWTH = 1.1;

/** Checks the app's requests, without those of the run's own steps. */
export const expectRequest = defineRecordExpectation("expect_request", ["checks"], {
  description:
    "What the app has sent since the run began. `spacing: { gte: 1s, growing: true }` checks the intervals, in the longer of sandbox and wall time.",
  what: "request",
  fields: requestFields,
  record: requestEntrySchema,
  jointExpectation: {
    fields: { spacing: z.optional(spacingSchema) },
    check: ({ spacing }, found, at) => {
      if (spacing !== undefined) checkSpacing(spacing as Spacing, found, at);
    },
  },
  rows: async ({ startState: baseline }) =>
    (await baseline.since("requests")).filter((row) => !isRunRequest(row)),
  describeIgnoredMatches: async ({ startState: baseline }, expected) => {
    const ofRun = (await baseline.since("requests")).filter(isRunRequest);
    const runRequests = await matchingRows(expected, ofRun);
    return runRequests.length === 0
      ? undefined
      : `the steps' own ${runRequests.length} ${runRequests.length === 1 ? "does" : "do"} not count`;
  },
  idOf: (row) => `request ${recordIdOf("requests", row)} ${String(row.method)} ${String(row.path)}`,
});

function isRunRequest({ runner }: LogRow): boolean {
  return runner !== null && runner !== undefined;
}

/** Fails if a pause is not as expected, or if there are too few pauses. */
function checkSpacing(spacing: Spacing, newestFirst: readonly LogRow[], at: string): void {
  const pauses = pausesBetween([...newestFirst].reverse());
  const minimum = spacing.growing ? 2 : 1;
  const fail = (message: string, difference: readonly Difference[]): never => {
    const got = { pauses: pauses.map(durationText) };
    throw new StepFailure({ message, expected: { spacing }, got, difference }, at);
  };
  if (pauses.length < minimum)
    fail(`${pauses.length + 1} such requests have too few pauses to check: ${minimum + 1} are needed`, [
      { path: "spacing", expected: spacing },
    ]);
  for (const [index, pause] of pauses.entries()) {
    const which = `the pause before request ${index + 2}`;
    for (const name of COMPARISON_OPERATORS) {
      const bound = spacing[name];
      if (bound !== undefined && !isInRange({ [name]: durationToMs(bound) }, pause))
        fail(`${which} is ${durationText(pause)}, not ${name} ${bound}`, [
          { path: `spacing.${name}`, expected: bound, got: durationText(pause) },
        ]);
    }
    const previous = pauses[index - 1];
    if (spacing.growing && previous !== undefined && pause < previous * GROWTH)
      fail(
        `${which} is ${durationText(pause)}, and the one before it was ${durationText(previous)}: they do not grow`,
        [{ path: "spacing.growing", expected: true, got: false }],
      );
  }
}

function durationText(ms: number): string {
  return formatDuration(ms) || "0ms";
}

/** Returns the pauses between requests, in sandbox time or wall time, whichever is longer. Apps wait in wall time. */
function pausesBetween(rows: readonly LogRow[]): number[] {
  const since = (field: string, index: number): number =>
    Date.parse(String(rows[index]![field])) - Date.parse(String(rows[index - 1]![field]));
  return rows.slice(1).map((_, index) => Math.max(since("at", index + 1), since("sent_at", index + 1)));
}
