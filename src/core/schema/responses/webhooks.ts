import * as z from "zod/mini";
import { modeSchema, timestampSchema } from "../common.js";
import { EVENT_TYPES, toldBy } from "../event-types.js";
import { field, shape, unshown } from "../words.js";
import { chargeDetailSchema } from "./charges.js";
import { pageOf, text } from "./parts.js";
import { withdrawalSchema } from "./payouts.js";

export const webhookSchema = shape(
  "Webhook",
  { says: "A webhook endpoint.", assumed: "The whole record. It receives the events of its key's mode." },
  {
    webhook_id: field(text, unshown("The endpoint.")),
    url: field(
      text,
      unshown("Where events are sent; `mailbox:NAME` for a mailbox of the sandbox, which keeps them."),
    ),
    events: field(z.array(text), unshown("Event types it receives, as globs.")),
    secret: field(text, unshown("What its events are signed with.")),
    enabled: field(z.boolean(), unshown("Whether it is sent events; a 410 response disables it.")),
    created_at: field(timestampSchema, unshown("When it was registered.")),
  },
);
export const webhookListSchema = pageOf("WebhookList", "endpoints", webhookSchema);
export const webhookDeletedSchema = shape("WebhookDeleted", "The deleted endpoint.", {
  webhook_id: field(text, unshown("The endpoint's ID.")),
  deleted: field(z.literal(true), unshown("Always true.")),
});

const envelopeOf = (hasType: (type: string) => boolean) => ({
  id: field(
    text,
    unshown("The event's ID, the same in every attempt.", {
      examples: ["evt_bf97a3a164010d696c2bec1f"],
    }),
  ),
  type: field(
    text,
    unshown("What happened.", {
      adds: { enum: EVENT_TYPES.filter(hasType).map((type) => `{{event ${type}}}`) },
    }),
  ),
  timestamp: field(timestampSchema, unshown("When, in sandbox time.")),
  mode: field(modeSchema, unshown("Test or live: the mode of the key the object was created with.")),
});
export const chargeEventSchema = shape("ChargeEvent", "A charge changed its status.", {
  ...envelopeOf((type) => toldBy(type)?.object === "charge"),
  data: field(chargeDetailSchema, unshown("The charge as a read returned it at that moment.")),
});
export const withdrawalEventSchema = shape("WithdrawalEvent", "A withdrawal changed its status.", {
  ...envelopeOf((type) => toldBy(type)?.object === "withdrawal"),
  data: field(withdrawalSchema, unshown("The withdrawal as a read returned it at that moment.")),
});
export const testEventSchema = shape("TestEvent", "An event to try a receiver with.", {
  ...envelopeOf((type) => toldBy(type) === undefined),
  data: field(z.record(z.string(), z.unknown()), unshown("The data it was created with.")),
});
