import * as z from "zod/mini";
import { attemptSchema, deliverySchema } from "../../../core/schema/control-log-responses.js";
import type { LogRow } from "../running/control-lists.js";
import { defineRecordExpectation, describeMailboxDeliveries } from "./expect-records.js";
import { recordMatches } from "./matching.js";
import { deliveryFields, expectedFields, httpStatusSchema } from "./step-schemas.js";

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
    return status === "dropped" ? deliveries.map(withoutAttempts) : deliveries.flatMap(attemptsOf);
  },
  describeIgnoredMatches: (context, { answered: _answered, attempt: _attempt, ...expected }) =>
    describeMailboxDeliveries(context, (delivery) => recordMatches(expected, delivery)),
  idOf: ({ type, delivery_id, attempt }) =>
    `${String(type)} ${String(delivery_id)}${attempt === undefined ? "" : ` attempt ${String(attempt)}`}`,
});

function isFabricated({ mishap }: LogRow): boolean {
  return (mishap as { forged: boolean } | null)?.forged === true;
}

function withoutAttempts({ attempts: _attempts, ...delivery }: LogRow): LogRow {
  return delivery;
}

/** Makes a row of each attempt, with the fields of the delivery. The field `status` is the delivery status. */
function attemptsOf(delivery: LogRow): LogRow[] {
  const { attempts, ...common } = delivery as { attempts: LogRow[] };
  return [...attempts]
    .reverse()
    .map((attempt) => ({ ...attempt, ...common, answered: attempt.status, attempt: attempt.attempt }));
}
