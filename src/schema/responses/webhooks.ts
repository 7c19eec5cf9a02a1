import * as z from "zod/mini";
import { modeSchema, timestampSchema } from "../common.js";
import { EVENT_TYPES, toldBy } from "../event-types.js";
import { field, shape, unshown } from "../words.js";
import { chargeDetailSchema } from "./charges.js";
import { pageOf, text } from "./parts.js";
import { withdrawalSchema } from "./payouts.js";

/** Webhook endpoint. */
export const webhookSchema = shape(
  "Webhook",
  { says: "A receiver of events.", assumed: "The whole record. It hears the events of its key's mode." },
  {
    webhook_id: field(text, unshown("The endpoint.")),
    url: field(
      text,
      unshown("Where events are sent; `mailbox:NAME` for one of the sandbox's own, which keeps them."),
    ),
    events: field(z.array(text), unshown("Globs of the types it wants.")),
    secret: field(text, unshown("What its events are signed with.")),
    enabled: field(z.boolean(), unshown("Whether it is sent anything; an answer 410 turns it off.")),
    created_at: field(timestampSchema, unshown("When it was registered.")),
  },
);
export const webhookListSchema = pageOf("WebhookList", "endpoints", webhookSchema);
export const webhookDeletedSchema = shape("WebhookDeleted", "An endpoint that is gone.", {
  webhook_id: field(text, unshown("Which it was.")),
  deleted: field(z.literal(true), unshown("Always true.")),
});

/** Webhook bodies. `data` is what a read of the object answered at that moment. */
const envelopeOf = (isTold: (type: string) => boolean) => ({
  id: field(
    text,
    unshown("The event; the same in every attempt at telling it.", {
      examples: ["evt_bf97a3a164010d696c2bec1f"],
    }),
  ),
  type: field(
    text,
    unshown("What happened.", {
      adds: { enum: EVENT_TYPES.filter(isTold).map((type) => `{{event ${type}}}`) },
    }),
  ),
  timestamp: field(timestampSchema, unshown("When, in sandbox time.")),
  mode: field(modeSchema, unshown("Test or live: that of the key the object was made with.")),
});
export const chargeEventSchema = shape("ChargeEvent", "A charge changed its status.", {
  ...envelopeOf((type) => toldBy(type)?.object === "charge"),
  data: field(chargeDetailSchema, unshown("The charge as a read of it answered at that moment.")),
});
export const withdrawalEventSchema = shape("WithdrawalEvent", "A withdrawal changed its status.", {
  ...envelopeOf((type) => toldBy(type)?.object === "withdrawal"),
  data: field(withdrawalSchema, unshown("The withdrawal as a read of it answered at that moment.")),
});
export const testEventSchema = shape("TestEvent", "An event to try a receiver with.", {
  ...envelopeOf((type) => toldBy(type) === undefined),
  data: field(z.record(z.string(), z.unknown()), unshown("Whatever it was made with.")),
});
