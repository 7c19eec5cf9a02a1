import { requestEntrySchema } from "../../schema/control-log-responses.js";
import { idOf } from "../running/lists.js";
import { expecting } from "./expecting.js";
import { requestFields } from "./parts.js";

/** The run's own requests are not the app's. */
export const expectRequest = expecting("expect_request", {
  says: "What the app has sent since the run began.",
  what: "request",
  fields: requestFields,
  record: requestEntrySchema,
  rows: async ({ baseline }) =>
    (await baseline.since("requests")).filter(({ runner }) => runner === null || runner === undefined),
  idOf: (row) => `request ${idOf("requests", row)} ${String(row.method)} ${String(row.path)}`,
});
