import * as r from "../../../schema/responses.js";
import { type Component, object } from "../component.js";
import { listOf } from "../phrases.js";
import { unshown } from "../types.js";

/** Registered receivers. */
export function webhookComponents(): Component[] {
  return [
    object(
      "Webhook",
      r.webhookSchema,
      { says: "A receiver of events.", assumed: "The whole record. It hears the events of its key's mode." },
      {
        webhook_id: unshown("The endpoint."),
        url: unshown("Where events are sent; `mailbox:NAME` for one of the sandbox's own, which keeps them."),
        events: unshown("Globs of the types it wants."),
        secret: unshown("What its events are signed with."),
        enabled: unshown("Whether it is sent anything; an answer 410 turns it off."),
        created_at: unshown("When it was registered."),
      },
    ),
    object("WebhookList", r.webhookListSchema, "A page of endpoints.", listOf("Endpoints")),
    object("WebhookDeleted", r.webhookDeletedSchema, "An endpoint that is gone.", {
      webhook_id: unshown("Which it was."),
      deleted: unshown("Always true."),
    }),
  ];
}

/** The bodies of webhooks. */
export function eventComponents(): Component[] {
  const envelope = {
    id: unshown("The event; the same in every attempt at telling it.", {
      examples: ["evt_bf97a3a164010d696c2bec1f"],
    }),
    type: unshown("What happened."),
    timestamp: unshown("When, in sandbox time."),
    mode: unshown("Test or live: that of the key the object was made with."),
  };
  return [
    object("ChargeEvent", r.chargeEventSchema, "A charge changed its status.", {
      ...envelope,
      data: unshown("The charge as a read of it answered at that moment."),
    }),
    object("WithdrawalEvent", r.withdrawalEventSchema, "A withdrawal changed its status.", {
      ...envelope,
      data: unshown("The withdrawal as a read of it answered at that moment."),
    }),
    object("TestEvent", r.testEventSchema, "An event to try a receiver with.", {
      ...envelope,
      data: unshown("Whatever it was made with."),
    }),
  ];
}
