import * as z from "zod/mini";
import { requestEntrySchema } from "../../../core/schema/control-log-responses.js";
import { idOf, type LogRow } from "../running/control-lists.js";
import { expectRecords } from "./expect-records.js";
import { recordMatches } from "./matching.js";
import { checkSpacing, type Spacing, spacingSchema } from "./spacing.js";
import { requestFields } from "./step-schemas.js";

/** Requests of the run's own steps do not count. */
export const expectRequest = expectRecords("expect_request", {
  says: "What the app has sent since the run began.",
  what: "request",
  fields: requestFields,
  record: requestEntrySchema,
  together: {
    fields: { spacing: z.optional(spacingSchema) },
    check: ({ spacing }, found, at) => {
      if (spacing !== undefined) checkSpacing(spacing as Spacing, found, at);
    },
  },
  rows: async ({ startState: baseline }) =>
    (await baseline.since("requests")).filter((row) => !isRunRequest(row)),
  aside: async ({ startState: baseline }, expected) => {
    const runRequests = (await baseline.since("requests"))
      .filter(isRunRequest)
      .filter((row) => recordMatches(expected, row));
    return runRequests.length === 0
      ? undefined
      : `the steps' own ${runRequests.length} ${runRequests.length === 1 ? "does" : "do"} not count`;
  },
  idOf: (row) => `request ${idOf("requests", row)} ${String(row.method)} ${String(row.path)}`,
});

function isRunRequest({ runner }: LogRow): boolean {
  return runner !== null && runner !== undefined;
}
