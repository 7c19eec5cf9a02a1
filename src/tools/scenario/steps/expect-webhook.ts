import * as z from "zod/mini";
import { modeSchema } from "../../../core/schema/common.js";
import { eventSchema } from "../../../core/schema/control-log-responses.js";
import { recordIdOf } from "../running/control-lists.js";
import { defineRecordExpectation } from "./expect-records.js";
import { eventTypeSchema, expectedFields } from "./step-schemas.js";

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
