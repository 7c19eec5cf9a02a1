import * as z from "zod/mini";
import { deliveryStatusSchema, modeSchema, timestampSchema } from "./common.js";
import { naming } from "./names.js";
import { unreachableSchema } from "./options.js";
import { downAnswerSchema } from "./scenario.js";
import { signatureSchema } from "./webhooks.js";
import { field, fieldsOf, shape } from "./words.js";

/** What the control API answers of requests, events, deliveries and receivers. */
const text = z.string();
const count = z.int().check(z.gte(0));
const nullableText = z.nullable(text);
const anyData = z.record(z.string(), z.unknown());
const mode = field(modeSchema, "Test or live.");

/** A page of a list: how many there are in all, and the page itself. */
export function pageOf<Item extends z.core.$ZodType>(
  name: string,
  what: string,
  item: Item,
  order = "newest first",
) {
  return shape(name, `A page of ${what.toLowerCase()}.`, {
    total: field(count, "Number of items on all pages."),
    items: field(z.array(item), `${what}, ${order}.`),
  });
}

export const requestEntrySchema = shape("RequestEntry", "A call of the service and its response.", {
  request_id: field(count, "Counts up with each request; `since` takes it."),
  at: field(timestampSchema, "When, in sandbox time."),
  sent_at: field(timestampSchema, "When, in wall time."),
  method: field(naming("HTTP method", text), "HTTP method."),
  path: field(text, "The path without its query."),
  query: field(z.record(z.string(), text), "The query, by name."),
  operation: field(nullableText, "The service's operation; null where there is none."),
  status: field(
    z.nullable(z.int()),
    "The response status; null when there was none: the request is in flight, the connection was dropped, or the client had disconnected.",
  ),
  in_flight: field(
    z.boolean(),
    "Whether there is no response yet because a fault delays or holds it. The row is completed later.",
  ),
  client_gone: field(z.boolean(), "Whether the client disconnected before the response."),
  api_key: field(nullableText, "The API key, masked."),
  idempotency_key: field(nullableText, "The Idempotency-Key."),
  runner: field(nullableText, "The scenario run that sent it, when it was not the app."),
  scenario: field(nullableText, "The scenario named in its header."),
  fault: field(nullableText, "The scenario or fault that interfered."),
  tolerated: field(
    z.array(text),
    "What the service silently ignores, each with its place: unknown fields and query parameters, an unused Idempotency-Key, unknown event types.",
  ),
  request_body: field(
    z.unknown(),
    "Parsed if it is JSON, else text. Of a body above 64 kB the first 64 kB, as text with a mark at the end.",
  ),
  request_body_bytes: field(z.nullable(count), "Its length in bytes; null when there was none."),
  response_body: field(z.unknown(), "The same for the response."),
  response_body_bytes: field(z.nullable(count), "How long that was."),
});
export const requestListSchema = pageOf("RequestList", "Requests", requestEntrySchema);

/** An event or a delivery names the object it is about, when it is about one. */
const about = {
  charge_id: field(z.optional(text), "The charge it is about, if any."),
  withdrawal_id: field(z.optional(text), "The withdrawal it is about, if any."),
};

export const eventPayloadSchema = shape("EventPayload", "The body of a webhook.", {
  id: field(text, "The event."),
  type: field(text, "The type, by the name receivers see."),
  timestamp: field(timestampSchema, "When."),
  mode,
  data: field(anyData, "The object's record."),
});
export const eventSchema = shape("Event", "An event in the log.", {
  event_id: field(text, "The event: what receivers see as `webhook-id`."),
  type: field(text, "The type. Receivers may see another name: see `payload.type`."),
  at: field(timestampSchema, "When."),
  mode,
  organization_id: field(nullableText, "The organization; null if there is none."),
  ...about,
  data: field(
    anyData,
    "The object as a read returned it at that moment, or the data the event was created with.",
  ),
  payload: field(eventPayloadSchema, "What receivers get."),
});
export const eventListSchema = pageOf("EventList", "Events", eventSchema);
export const triggeredEventSchema = shape("TriggeredEvent", "The new event.", {
  ...fieldsOf(eventSchema),
  deliveries: field(count, "How many deliveries it has; 0 if no endpoint receives it."),
});

export const attemptSchema = shape("Attempt", "One delivery attempt.", {
  attempt: field(z.int().check(z.gte(1)), "The first is 1."),
  order: field(z.int().check(z.gte(1)), "Its place among all attempts of the namespace."),
  at: field(timestampSchema, "Sandbox time."),
  sent_at: field(timestampSchema, "Wall time, as used in the signature."),
  duration_ms: field(z.number().check(z.gte(0)), "How long the receiver took to respond."),
  request_headers: field(z.record(z.string(), text), "Exactly what was sent."),
  status: field(z.nullable(z.int()), "The receiver's response status; null if there was none."),
  response_body: field(nullableText, "The beginning of its response body."),
  error: field(nullableText, "Why no answer came."),
});
export const mishapSchema = shape("Mishap", "What goes wrong with a delivery.", {
  scenario: field(text, "Which scenario says so."),
  bad_signature: field(z.boolean(), "It is signed with a wrong secret."),
  stale_ms: field(count, "The age of the signature's timestamp."),
  fail_first: field(count, "How many attempts fail without being sent."),
  forged: field(z.boolean(), "It carries a forged event modelled on this one."),
  lose_answer: field(z.boolean(), "The response to its first attempt is lost on the way back."),
  copy_id: field(nullableText, "The ID its event is sent with, if not the event's own."),
  unsigned: field(z.boolean(), "It is sent without a signature."),
  by_hand: field(z.boolean(), "Edited in the dashboard: it is sent once."),
  to_url: field(nullableText, "Where it is sent, if not to its receiver's URL."),
  at_once: field(count, "How many are sent to the receiver at the same moment, including this one."),
  drop: field(z.boolean(), "It is never sent: its status is `dropped`, and it has no attempts."),
  down: field(
    z.nullable(
      shape("DownFromUntil", "When attempts fail without being sent.", {
        from: field(timestampSchema, "From this moment."),
        until: field(timestampSchema, "Up to this one."),
        answer: field(downAnswerSchema, "How they fail."),
      }),
    ),
    "When the receiver is down.",
  ),
  retried: field(
    z.array(
      shape("RetriedOtherwise", "What goes wrong with a retry.", {
        attempt: field(z.int().check(z.gte(2)), "Which attempt: 2 is the first retry."),
        delay_ms: field(count, "How much later it is made."),
        copies: field(z.int().check(z.gte(1)), "How often it is sent in all."),
        lose_answer: field(z.boolean(), "Its response is lost on the way back."),
      }),
    ),
    "What goes wrong with retries.",
  ),
});
export const deliverySchema = shape("Delivery", "An event on its way to a receiver.", {
  delivery_id: field(text, "The delivery."),
  event_id: field(text, "Its event."),
  type: field(naming("event type", text), "What the event says."),
  mode,
  webhook_id: field(text, "The receiver."),
  url: field(nullableText, "The receiver's URL; null for a mailbox or a deleted receiver."),
  ...about,
  status: field(
    deliveryStatusSchema,
    "`dropped` when a scenario, or the deletion of the receiver, kept it from being sent.",
  ),
  answered: field(z.nullable(z.int()), "The response status of the last attempt."),
  created_at: field(timestampSchema, "When it was planned."),
  next_attempt_at: field(z.nullable(timestampSchema), "When the next attempt is due; null if there is none."),
  hold: field(
    z.nullable(
      shape("Hold", "Why a delivery is waiting, apart from time.", {
        since: field(timestampSchema, "Since when, in sandbox time."),
        reason: field(text, {
          says: "Why, in a sentence.",
          examples: ["nothing listens on localhost:3001; retried every second"],
        }),
      }),
    ),
    "Why it waits, apart from time: nothing listens at the URL, it waits for an earlier delivery, or it is in a mailbox.",
  ),
  mishap: field(z.nullable(mishapSchema), "What a scenario makes go wrong with it."),
  attempts: field(z.array(attemptSchema), "Its attempts, oldest first."),
  body: field(nullableText, "The exact bytes of every attempt; null when its event is no longer kept."),
  data: field(z.nullable(anyData), "The event's data."),
});
export const deliveryListSchema = pageOf("DeliveryList", "Deliveries", deliverySchema);

export const mailboxItemSchema = shape("MailboxItem", "Exactly what a receiver would have been sent.", {
  delivery_id: field(text, "What to acknowledge."),
  event_id: field(text, "Its event."),
  type: field(text, "What the event says."),
  attempt: field(z.int().check(z.gte(1)), "The first is 1."),
  ack_within_ms: field(
    z.number(),
    "How long you have to acknowledge it, in wall time; after that the attempt has failed.",
  ),
  headers: field(z.record(z.string(), text), "With the signature, made now."),
  body: field(text, "The bytes that are signed."),
});
export const mailboxItemListSchema = shape("MailboxItemList", "What was taken.", {
  total: field(count, "How many."),
  items: field(z.array(mailboxItemSchema), "Oldest first."),
});

export const endpointSchema = shape("WebhookEndpoint", "A receiver.", {
  webhook_id: field(text, "The receiver."),
  url: field(nullableText, "Its URL; null for a mailbox."),
  mailbox: field(nullableText, "Its mailbox; null for a URL."),
  lease_ms: field(
    z.nullable(count),
    "For a mailbox: how long it may go unread, in wall time, before it is deleted; null if it is kept.",
  ),
  unreachable: field(unreachableSchema, "What happens on a running clock when nothing listens at the URL."),
  mode: field(modeSchema, "Whose events it hears."),
  organization_id: field(nullableText, "The organization it receives events of; null for all."),
  events: field(z.array(text), "Event types it receives, as globs."),
  secret: field(text, "What its events are signed with."),
  signature: field(signatureSchema, "How they are signed."),
  enabled: field(z.boolean(), "Whether it is sent events; a 410 response disables it."),
  created_at: field(timestampSchema, "When it was registered."),
});
export const endpointListSchema = pageOf("WebhookEndpointList", "Receivers", endpointSchema);
export const endpointDeletedSchema = shape("WebhookEndpointDeleted", "The deleted receiver.", {
  webhook_id: field(text, "Which it was."),
  deleted: field(z.literal(true), "Always true."),
});
