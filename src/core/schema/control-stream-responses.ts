import * as z from "zod/mini";
import { timestampSchema } from "./common.js";
import { count, deliverySchema, eventSchema, ordinal, requestEntrySchema } from "./control-log-responses.js";
import { clockSchema } from "./control-responses.js";
import { field, fieldsOf, pickFields, recordShape } from "./descriptions.js";
import { text, textOrNull } from "./records/record-fields.js";
import { chargeDetailSchema } from "./service-responses.js";

/** Name of the server-sent event → its `data`. */
export const STREAM_SCHEMAS = {
  hello: recordShape("StreamHello", "The stream.", { namespace: text, now: timestampSchema }),
  request: requestEntrySchema,
  charge: recordShape("StreamCharge", "A charge was created or has changed.", {
    ...pickFields(
      fieldsOf(chargeDetailSchema),
      "charge_id",
      "status",
      "amount",
      "currency",
      "updated_at",
      "customer_email",
    ),
  }),
  event: eventSchema,
  delivery: deliverySchema,
  clock: clockSchema,
  missed: recordShape("StreamMissed", "Messages dropped for a slow reader.", { count: ordinal }),
  news: recordShape("StreamNews", "With `view=light`, instead of all others: what has changed.", {
    now: timestampSchema,
    counts: field(z.record(text, count), {
      description: "How many changes of each kind there were since the previous message.",
      examples: [{ charge: 12, delivery: 30 }],
    }),
    items: field(
      z.array(
        recordShape("StreamChanged", "Something that has changed.", {
          kind: field(text, {
            description: "The kind of record.",
            examples: ["charge", "withdrawal", "event", "delivery", "receiver", "fault", "request", "clock"],
          }),
          id: text,
          status: textOrNull,
        }),
      ),
      "Each object once; the first 100.",
    ),
  }),
} as const;
