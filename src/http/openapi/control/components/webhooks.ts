import * as r from "../../../../schema/control-responses.js";
import { type Component, object } from "../../component.js";
import { ATTEMPT_FIELDS, REQUEST_FIELDS } from "./objects.js";
import { pageOf } from "./world.js";

/** Events, deliveries, receivers, requests, and the messages of the live stream. */
export function webhookComponents(): Component[] {
  const about = {
    charge_id: "The charge it is about, if it is about one.",
    withdrawal_id: "The withdrawal it is about, if it is about one.",
  };
  const event = {
    event_id: "The event: what receivers see as `webhook-id`.",
    type: "What happened. Receivers may be told by another name, see `payload.type`.",
    at: "When.",
    mode: "Test or live.",
    organization_id: "Whose it is; null where it is nobody's.",
    ...about,
    data: "What a read of its object answered at that moment, or what it was made with.",
    payload: "What receivers get.",
  };
  return [
    object("Event", r.eventSchema, "An event in the log.", event),
    object("TriggeredEvent", r.triggeredEventSchema, "A new event in the log.", {
      ...event,
      deliveries: "How many deliveries of it there are; 0 where no endpoint hears it.",
    }),
    object("EventPayload", r.eventPayloadSchema, "The body of a webhook.", {
      id: "The event.",
      type: "What happened, by the name receivers are told.",
      timestamp: "When.",
      mode: "Test or live.",
      data: "The object's record.",
    }),
    object("EventList", r.eventListSchema, "A page of events.", pageOf("Events")),
    object("Delivery", r.deliverySchema, "An event on its way to a receiver.", {
      delivery_id: "The delivery.",
      event_id: "Its event.",
      type: "What the event says.",
      mode: "Test or live.",
      webhook_id: "The receiver.",
      url: "Where the receiver is; null for a mailbox, and when it is gone.",
      ...about,
      status: "`dropped` when a scenario or the end of the receiver kept it from being sent.",
      answered: "The status of the last attempt's answer.",
      created_at: "When it was planned.",
      next_attempt_at: "When it will be tried next; null when it will not.",
      mishap: "What a scenario lets go wrong with it.",
      attempts: "What was tried, oldest first.",
      body: "The exact bytes of every attempt; null when its event is no longer kept.",
      data: "The event's data.",
    }),
    object("Attempt", r.attemptSchema, "One attempt at telling a receiver.", ATTEMPT_FIELDS),
    object("Mishap", r.mishapSchema, "What goes wrong with a delivery.", {
      scenario: "Which scenario says so.",
      bad_signature: "It is signed with a wrong secret.",
      stale_ms: "The signature's timestamp is so old.",
      fail_first: "So many attempts fail without being made.",
      drop: "It is never sent: its status is `dropped`, and it has no attempts.",
    }),
    object("DeliveryList", r.deliveryListSchema, "A page of deliveries.", pageOf("Deliveries")),
    object("MailboxItem", r.mailboxItemSchema, "Exactly what a receiver would have got.", {
      delivery_id: "What to acknowledge.",
      event_id: "Its event.",
      type: "What the event says.",
      attempt: "The first is 1.",
      ack_within_ms: "How long to take over its acknowledgement, in wall time; then the attempt has failed.",
      headers: "With the signature, made now.",
      body: "The bytes that are signed.",
    }),
    object("MailboxItemList", r.mailboxItemListSchema, "What was taken.", {
      total: "How many.",
      items: "Oldest first.",
    }),
    object("WebhookEndpoint", r.endpointSchema, "A receiver.", {
      webhook_id: "The receiver.",
      url: "Where it is; null for a mailbox.",
      mailbox: "Its mailbox; null for a URL.",
      unreachable: "What happens on a clock that runs when nobody listens.",
      mode: "Whose events it hears.",
      organization_id: "The organization it hears; null for every one.",
      events: "Event types it wants, as globs.",
      secret: "What its events are signed with.",
      signature: "How they are signed.",
      enabled: "Whether it is sent anything; an answer 410 turns it off.",
      created_at: "When it was registered.",
    }),
    object("WebhookEndpointList", r.endpointListSchema, "A page of receivers.", pageOf("Receivers")),
    object("WebhookEndpointDeleted", r.endpointDeletedSchema, "A receiver that is gone.", {
      webhook_id: "Which it was.",
      deleted: "Always true.",
    }),
    object("RequestEntry", r.requestEntrySchema, "A call of the service and its answer.", REQUEST_FIELDS),
    object("RequestList", r.requestListSchema, "A page of requests.", pageOf("Requests")),
    object("StreamHello", r.streamHelloSchema, "The stream has begun.", {
      namespace: "Whose it is.",
      now: "What time it is.",
    }),
    object(
      "StreamMissed",
      r.streamMissedSchema,
      "The reader was too slow for what came: some of it was left out.",
      {
        count: "How many messages.",
      },
    ),
    object("StreamCharge", r.streamChargeSchema, "A charge was made or has changed.", {
      charge_id: "Which.",
      status: "Where it stands.",
      amount: "What the customer pays.",
      currency: "In what.",
      updated_at: "When.",
      customer_email: "Who pays.",
    }),
  ];
}
