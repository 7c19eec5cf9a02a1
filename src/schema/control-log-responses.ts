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
    total: field(count, "How many there are, on all pages."),
    items: field(z.array(item), `${what}, ${order}.`),
  });
}

export const requestEntrySchema = shape("RequestEntry", "A call of the service and its answer.", {
  request_id: field(count, "Counts up with each request; `since` takes it."),
  at: field(timestampSchema, "When, in sandbox time."),
  sent_at: field(timestampSchema, "When, in wall time."),
  method: field(naming("HTTP method", text), "HTTP method."),
  path: field(text, "The path without its query."),
  query: field(z.record(z.string(), text), "The query, by name."),
  operation: field(nullableText, "The service's operation; null where there is none."),
  status: field(
    z.nullable(z.int()),
    "What was answered; null when there was no answer: it is in flight, the connection was cut, or the client had gone.",
  ),
  in_flight: field(
    z.boolean(),
    "Whether it is not answered yet: a fault delays or holds it. The row is completed when that is over.",
  ),
  client_gone: field(z.boolean(), "Whether the client hung up before it was answered."),
  api_key: field(nullableText, "The key that came along, masked."),
  idempotency_key: field(nullableText, "The Idempotency-Key that came along."),
  runner: field(nullableText, "The scenario run that sent it, when it was not the app."),
  scenario: field(nullableText, "The scenario it asked for by header."),
  fault: field(nullableText, "The scenario or fault that interfered."),
  tolerated: field(
    z.array(text),
    "What the service passes over without a word, each by its place: fields and query parameters it does not have, an Idempotency-Key it does not heed, types of events there are not.",
  ),
  request_body: field(
    z.unknown(),
    "As JSON where it is JSON, as text otherwise. Of one above 64 kB the first 64 kB, as text with a mark behind it.",
  ),
  request_body_bytes: field(z.nullable(count), "How long it was, in bytes; null when there was none."),
  response_body: field(z.unknown(), "The same of the answer."),
  response_body_bytes: field(z.nullable(count), "How long that was."),
});
export const requestListSchema = pageOf("RequestList", "Requests", requestEntrySchema);

/** An event or a delivery names the object it is about, when it is about one. */
const about = {
  charge_id: field(z.optional(text), "The charge it is about, if it is about one."),
  withdrawal_id: field(z.optional(text), "The withdrawal it is about, if it is about one."),
};

export const eventPayloadSchema = shape("EventPayload", "The body of a webhook.", {
  id: field(text, "The event."),
  type: field(text, "What happened, by the name receivers are told."),
  timestamp: field(timestampSchema, "When."),
  mode,
  data: field(anyData, "The object's record."),
});
export const eventSchema = shape("Event", "An event in the log.", {
  event_id: field(text, "The event: what receivers see as `webhook-id`."),
  type: field(text, "What happened. Receivers may be told by another name, see `payload.type`."),
  at: field(timestampSchema, "When."),
  mode,
  organization_id: field(nullableText, "Whose it is; null where it is nobody's."),
  ...about,
  data: field(anyData, "What a read of its object answered at that moment, or what it was made with."),
  payload: field(eventPayloadSchema, "What receivers get."),
});
export const eventListSchema = pageOf("EventList", "Events", eventSchema);
export const triggeredEventSchema = shape("TriggeredEvent", "A new event in the log.", {
  ...fieldsOf(eventSchema),
  deliveries: field(count, "How many deliveries of it there are; 0 where no endpoint hears it."),
});

export const attemptSchema = shape("Attempt", "One attempt at telling a receiver.", {
  attempt: field(z.int().check(z.gte(1)), "The first is 1."),
  order: field(
    z.optional(z.int().check(z.gte(1))),
    "Its place among all attempts of the namespace; not of those an earlier version has made.",
  ),
  at: field(timestampSchema, "Sandbox time."),
  sent_at: field(timestampSchema, "Wall time, which the signature is made with."),
  duration_ms: field(z.number().check(z.gte(0)), "How long the receiver took."),
  request_headers: field(z.record(z.string(), text), "Exactly what was sent."),
  status: field(z.nullable(z.int()), "What the receiver answered; null when no answer came."),
  response_body: field(nullableText, "The beginning of its answer."),
  error: field(nullableText, "Why no answer came."),
});
export const mishapSchema = shape("Mishap", "What goes wrong with a delivery.", {
  scenario: field(text, "Which scenario says so."),
  bad_signature: field(z.boolean(), "It is signed with a wrong secret."),
  stale_ms: field(count, "The signature's timestamp is so old."),
  fail_first: field(count, "So many attempts fail without being made."),
  forged: field(z.boolean(), "Nobody made what it carries: an event in the likeness of this one."),
  lose_answer: field(z.boolean(), "The answer to its first attempt is lost on the way back."),
  copy_id: field(nullableText, "The id its event goes under, where that is not the event's own."),
  unsigned: field(z.boolean(), "It is sent without a signature."),
  by_hand: field(z.boolean(), "Written by hand in the dashboard: it is tried once."),
  to_url: field(nullableText, "Where it goes, where that is not its receiver's URL."),
  at_once: field(count, "How many go to the receiver at the same moment, with this one."),
  drop: field(z.boolean(), "It is never sent: its status is `dropped`, and it has no attempts."),
  down: field(
    z.nullable(
      shape("DownFromUntil", "When attempts fail without being made.", {
        from: field(timestampSchema, "From this moment."),
        until: field(timestampSchema, "Up to this one."),
        answer: field(downAnswerSchema, "How they fail."),
      }),
    ),
    "When the receiver is down.",
  ),
  retried: field(
    z.array(
      shape("RetriedOtherwise", "What goes wrong with a further attempt.", {
        attempt: field(z.int().check(z.gte(2)), "Which: 2 is the first that is made again."),
        delay_ms: field(count, "It is made so much later."),
        copies: field(z.int().check(z.gte(1)), "How often it is sent in all."),
        lose_answer: field(z.boolean(), "Its answer is lost on the way back."),
      }),
    ),
    "What goes wrong with further attempts.",
  ),
});
export const deliverySchema = shape("Delivery", "An event on its way to a receiver.", {
  delivery_id: field(text, "The delivery."),
  event_id: field(text, "Its event."),
  type: field(naming("event type", text), "What the event says."),
  mode,
  webhook_id: field(text, "The receiver."),
  url: field(nullableText, "Where the receiver is; null for a mailbox, and when it is gone."),
  ...about,
  status: field(
    deliveryStatusSchema,
    "`dropped` when a scenario or the end of the receiver kept it from being sent.",
  ),
  answered: field(z.nullable(z.int()), "The status of the last attempt's answer."),
  created_at: field(timestampSchema, "When it was planned."),
  next_attempt_at: field(z.nullable(timestampSchema), "When it will be tried next; null when it will not."),
  hold: field(
    z.nullable(
      shape("Hold", "What keeps a delivery waiting besides time.", {
        since: field(timestampSchema, "Since when, in sandbox time."),
        reason: field(text, {
          says: "Why, in a sentence.",
          examples: ["nobody listens on localhost:3001; it is tried again each second"],
        }),
      }),
    ),
    "Why it waits where time alone does not decide: nobody listens, it waits its turn, or it lies in a mailbox.",
  ),
  mishap: field(z.nullable(mishapSchema), "What a scenario lets go wrong with it."),
  attempts: field(z.array(attemptSchema), "What was tried, oldest first."),
  body: field(nullableText, "The exact bytes of every attempt; null when its event is no longer kept."),
  data: field(z.nullable(anyData), "The event's data."),
});
export const deliveryListSchema = pageOf("DeliveryList", "Deliveries", deliverySchema);

export const mailboxItemSchema = shape("MailboxItem", "Exactly what a receiver would have got.", {
  delivery_id: field(text, "What to acknowledge."),
  event_id: field(text, "Its event."),
  type: field(text, "What the event says."),
  attempt: field(z.int().check(z.gte(1)), "The first is 1."),
  ack_within_ms: field(
    z.number(),
    "How long to take over its acknowledgement, in wall time; then the attempt has failed.",
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
  url: field(nullableText, "Where it is; null for a mailbox."),
  mailbox: field(nullableText, "Its mailbox; null for a URL."),
  lease_ms: field(
    z.nullable(count),
    "Of a mailbox: for how long, in wall time, nobody has to have looked into it for it to go; null when it stays.",
  ),
  unreachable: field(unreachableSchema, "What happens on a clock that runs when nobody listens."),
  mode: field(modeSchema, "Whose events it hears."),
  organization_id: field(nullableText, "The organization it hears; null for every one."),
  events: field(z.array(text), "Event types it wants, as globs."),
  secret: field(text, "What its events are signed with."),
  signature: field(signatureSchema, "How they are signed."),
  enabled: field(z.boolean(), "Whether it is sent anything; an answer 410 turns it off."),
  created_at: field(timestampSchema, "When it was registered."),
});
export const endpointListSchema = pageOf("WebhookEndpointList", "Receivers", endpointSchema);
export const endpointDeletedSchema = shape("WebhookEndpointDeleted", "A receiver that is gone.", {
  webhook_id: field(text, "Which it was."),
  deleted: field(z.literal(true), "Always true."),
});
