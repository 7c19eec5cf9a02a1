import * as z from "zod/mini";
import { modeSchema, timestampSchema } from "../common.js";
import { assumedFieldNote, field, shape } from "../descriptions.js";
import { SERVICE_EVENT_TYPES, subjectOfEvent } from "../event-types.js";
import { chargeDetailSchema } from "./charge-responses.js";
import { withdrawalSchema } from "./payout-responses.js";
import { listShape, text } from "./response-fields.js";

export const webhookSchema = shape(
  "Webhook",
  {
    description: "A webhook endpoint.",
    assumption: "The whole record. It receives the events of its key's mode.",
  },
  {
    webhook_id: field(text, assumedFieldNote("The endpoint.")),
    url: field(
      text,
      assumedFieldNote(
        "Where events are sent; `mailbox:NAME` for a mailbox of the sandbox, which keeps them.",
      ),
    ),
    events: field(z.array(text), assumedFieldNote("Event types it receives, as globs.")),
    secret: field(text, assumedFieldNote("What its events are signed with.")),
    enabled: field(z.boolean(), assumedFieldNote("Whether it is sent events; a 410 response disables it.")),
    created_at: field(timestampSchema, assumedFieldNote("When it was registered.")),
  },
);
export const webhookListSchema = listShape("WebhookList", "endpoints", webhookSchema);
export const webhookDeletedSchema = shape("WebhookDeleted", "The deleted endpoint.", {
  webhook_id: field(text, assumedFieldNote("The endpoint's ID.")),
  deleted: field(z.literal(true), assumedFieldNote("Always true.")),
});

const envelopeOf = (hasType: (type: string) => boolean) => ({
  id: field(
    text,
    assumedFieldNote("The event's ID, the same in every attempt.", {
      examples: ["evt_bf97a3a164010d696c2bec1f"],
    }),
  ),
  type: field(
    text,
    assumedFieldNote("What happened.", {
      jsonSchema: { enum: SERVICE_EVENT_TYPES.filter(hasType).map((type) => `{{event ${type}}}`) },
    }),
  ),
  timestamp: field(timestampSchema, assumedFieldNote("When, in sandbox time.")),
  mode: field(modeSchema, assumedFieldNote("Test or live: the mode of the key the object was created with.")),
});
export const chargeEventSchema = shape("ChargeEvent", "A charge changed its status.", {
  ...envelopeOf((type) => subjectOfEvent(type)?.object === "charge"),
  data: field(chargeDetailSchema, assumedFieldNote("The charge as a read returned it at that moment.")),
});
export const withdrawalEventSchema = shape("WithdrawalEvent", "A withdrawal changed its status.", {
  ...envelopeOf((type) => subjectOfEvent(type)?.object === "withdrawal"),
  data: field(withdrawalSchema, assumedFieldNote("The withdrawal as a read returned it at that moment.")),
});
export const testEventSchema = shape("TestEvent", "An event to try a receiver with.", {
  ...envelopeOf((type) => subjectOfEvent(type) === undefined),
  data: field(z.record(z.string(), z.unknown()), assumedFieldNote("The data it was created with.")),
});
