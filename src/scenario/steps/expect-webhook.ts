import * as z from "zod/mini";
import { modeSchema } from "../../schema/common.js";
import { idOf } from "../running/lists.js";
import { expecting } from "./expecting.js";
import { fields } from "./parts.js";

/** Whether or not anybody heard them. */
export const expectWebhook = expecting("expect_webhook", {
  says: "Events emitted since the run began.",
  what: "event",
  fields: {
    ...fields("event_id", "type", "at", "organization_id", "charge_id", "withdrawal_id", "data", "payload"),
    mode: z.optional(modeSchema),
  },
  rows: ({ baseline }) => baseline.since("events"),
  idOf: (row) => `${String(row.type)} ${idOf("events", row)}`,
});
