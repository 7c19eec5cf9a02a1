import * as z from "zod/mini";
import { DELIVERY_STATES, modeSchema, timestampSchema } from "./common.js";
import { field, fieldsOf, pickFields, recordShape } from "./descriptions.js";
import { withNameKind } from "./name-kinds.js";
import { text, textList, textOrNull } from "./records/record-fields.js";
import {
  attemptRecordSchema,
  deliveryRecordSchema,
  endpointRecordSchema,
  eventRecordSchema,
  mishapRecordSchema,
} from "./records/webhook-records.js";
import { chargeDetailSchema } from "./service-responses.js";

export const unboundedCountSchema = z.int().check(z.gte(0));
export const unboundedOrdinalSchema = z.int().check(z.gte(1));
const anyData = z.record(text, z.unknown());
const statusOrNull = z.nullable(z.int());

export function pageShape<Item extends z.core.$ZodType>(
  name: string,
  items: string,
  item: Item,
  order = "newest first",
) {
  return recordShape(name, `A page of ${items.toLowerCase()}, ${order}.`, {
    total: field(unboundedCountSchema, "Number of items on all pages."),
    next: field(
      z.optional(unboundedCountSchema),
      "The offset of the next page, if this one ended before `limit` because of its size (8 MiB).",
    ),
    items: z.array(item),
  });
}

export const requestEntrySchema = recordShape("RequestEntry", "A call of the service and its response.", {
  request_id: field(unboundedCountSchema, "Counts up with each request; `since` takes it."),
  at: field(timestampSchema, "Sandbox time."),
  sent_at: field(timestampSchema, "Wall time."),
  method: withNameKind("HTTP method", text),
  path: field(text, "The path without its query."),
  query: z.record(text, text),
  operation: field(textOrNull, "The service's operation, if any."),
  status: field(statusOrNull, "Null: in flight, the connection was dropped, or the client had disconnected."),
  in_flight: field(z.boolean(), "Whether a fault delays or holds the response. The row is completed later."),
  client_gone: field(z.boolean(), "Whether the client disconnected before the response."),
  api_key: field(textOrNull, "The API key, masked."),
  idempotency_key: textOrNull,
  runner: field(textOrNull, "The scenario run that sent it, when it was not the app."),
  scenario: field(textOrNull, "The scenario named in its header."),
  fault: field(textOrNull, "The scenario or fault that interfered."),
  object_id: field(textOrNull, "The charge, withdrawal or quote that it made or names."),
  why: field(textOrNull, "Why it was refused or has no response, or what a fault did to it."),
  duration_ms: field(z.number().check(z.gte(0)), "Wall time from arrival to response."),
  tolerated: field(
    textList,
    "What the service silently ignores, such as unknown fields, each with its place.",
  ),
  request_body: field(z.unknown(), "Parsed if it is JSON, else text; of a body above 64 kB the first 64 kB."),
  request_body_bytes: z.nullable(unboundedCountSchema),
  response_body: z.unknown(),
  response_body_bytes: z.nullable(unboundedCountSchema),
});
export type RequestView = z.infer<typeof requestEntrySchema>;
export const requestListSchema = pageShape("RequestList", "Requests", requestEntrySchema);

const about = { charge_id: z.optional(text), withdrawal_id: z.optional(text) };

const { mode, event_id } = eventRecordSchema.shape;
export const eventPayloadSchema = recordShape("EventPayload", "The body of a webhook.", {
  id: event_id,
  type: field(text, "The type, by the name receivers see."),
  timestamp: timestampSchema,
  mode,
  data: field(anyData, "The object's record."),
});
export const eventSchema = recordShape("EventRecord", "An event in the log.", {
  ...pickFields(eventRecordSchema.shape, "event_id", "at", "mode", "organization_id"),
  type: field(text, "The type. Receivers may see another name: see `payload.type`."),
  ...about,
  data: field(anyData, "The object as a read returned it then, or the data the event was created with."),
  payload: eventPayloadSchema,
});
export const eventListSchema = pageShape("EventList", "Events", eventSchema);
export const triggeredEventSchema = recordShape("TriggeredEvent", "The new event.", {
  ...fieldsOf(eventSchema),
  deliveries: field(unboundedCountSchema, "How many deliveries it has; 0 if no endpoint receives it."),
});

export const attemptSchema = recordShape("Attempt", "One delivery attempt.", {
  ...attemptRecordSchema.shape,
  order: field(unboundedOrdinalSchema, "Its place among all attempts of the namespace."),
  sent_at: field(timestampSchema, "Wall time, as used in the signature."),
  retry_after_ms: field(
    z.optional(unboundedCountSchema),
    "The Retry-After of its response in milliseconds, if it has one.",
  ),
  response_body: field(textOrNull, "The beginning of its response body."),
});

export type DeliveryState = (typeof DELIVERY_STATES)[number];

const down = mishapRecordSchema.shape.down._zod.def.innerType.shape;
const retry = mishapRecordSchema.shape.retried._zod.def.innerType._zod.def.element.shape;
const mishapSchema = recordShape("Mishap", "What goes wrong with a delivery.", {
  ...pickFields(mishapRecordSchema.shape, "scenario", "bad_signature"),
  stale_ms: field(unboundedCountSchema, "The age of the signature's timestamp."),
  fail_first: field(unboundedCountSchema, "How many attempts fail without being sent."),
  drop: field(z.boolean(), "It is never sent: its status is `dropped`, and it has no attempts."),
  forged: field(z.boolean(), "It carries a forged event modelled on this one."),
  response_lost: field(z.boolean(), "The response to its first attempt is lost on the way back."),
  copy_id: field(textOrNull, "The ID its event is sent with, if not the event's own."),
  at_once: field(unboundedCountSchema, "How many are sent at the same moment, including this one."),
  down: z.nullable(
    recordShape("DownFromUntil", "When attempts fail without being sent.", {
      from: timestampSchema,
      until: timestampSchema,
      answer: field(down.answer, "How they fail."),
    }),
  ),
  retried: z.array(
    recordShape("RetriedOtherwise", "What goes wrong with a retry.", {
      ...pickFields(retry, "attempt", "delay_ms", "copies", "response_lost"),
    }),
  ),
});
export const deliverySchema = recordShape("Delivery", "An event on its way to a receiver.", {
  ...pickFields(deliveryRecordSchema.shape, "delivery_id", "event_id", "webhook_id", "mode", "created_at"),
  type: withNameKind("event type", text),
  url: field(textOrNull, "The receiver's URL; null for a mailbox or a deleted receiver."),
  ...about,
  status: field(
    deliveryRecordSchema.shape.status,
    "`dropped` by a scenario, or by deletion of the receiver.",
  ),
  state: field(
    z.enum(DELIVERY_STATES),
    "How it stands. `failing`: tried and not accepted; another attempt is due. `held`: it waits for its receiver. `off`: its receiver is turned off.",
  ),
  answered: field(statusOrNull, "The response status of the last attempt."),
  next_attempt_at: field(z.nullable(timestampSchema), "When the next attempt is due, if there is one."),
  hold: z.nullable(
    recordShape("Hold", "Why a delivery waits, apart from time: receiver, earlier delivery or mailbox.", {
      since: field(timestampSchema, "Sandbox time."),
      reason: text,
    }),
  ),
  mishap: z.nullable(mishapSchema),
  attempts: field(z.array(attemptSchema), "Oldest first."),
  body: field(textOrNull, "The exact bytes of every attempt; null when its event is no longer kept."),
  data: field(z.nullable(anyData), "The event's data."),
});
export type DeliveryView = z.infer<typeof deliverySchema>;
export const deliveryListSchema = pageShape("DeliveryList", "Deliveries", deliverySchema);

const mailboxItemSchema = recordShape("MailboxItem", "Exactly what a receiver would have been sent.", {
  delivery_id: field(text, "The delivery to acknowledge."),
  event_id,
  type: text,
  attempt: unboundedOrdinalSchema,
  ack_within_ms: field(z.number(), "Wall time to acknowledge it; after that the attempt has failed."),
  headers: field(z.record(text, text), "With the signature, made now."),
  body: field(text, "The bytes that are signed."),
});
export type MailboxItem = z.infer<typeof mailboxItemSchema>;
export const mailboxItemListSchema = pageShape(
  "MailboxItemList",
  "Deliveries taken",
  mailboxItemSchema,
  "oldest first",
);

const msOrNull = z.nullable(z.number().check(z.gte(0)));
export const receiverHealthSchema = recordShape(
  "ReceiverHealth",
  "How a receiver does, from its last 50 deliveries.",
  {
    state: field(
      z.enum(["ok", "failing", "held", "off"]),
      "`failing`: a webhook was not accepted. `held`: webhooks wait for it. `off`: it is turned off.",
    ),
    open_failures: field(unboundedCountSchema, "All its webhooks that are failing or given up."),
    last_error: field(textOrNull, "Why its newest failed attempt failed."),
    recent: field(unboundedCountSchema, "Number of these that were tried: the next figures are about them."),
    p50_ms: field(msOrNull, "Median time to a response."),
    p95_ms: msOrNull,
    delivered_share: field(
      z.nullable(z.number().check(z.gte(0), z.lte(1))),
      "Share of those tried that were accepted.",
    ),
  },
);
export type ReceiverHealth = z.infer<typeof receiverHealthSchema>;

const { seq: _, previous_secret: _1, previous_secret_until_ms: _2, ...endpoint } = endpointRecordSchema.shape;
export const webhookEndpointSchema = recordShape(
  "WebhookEndpoint",
  "A receiver: it has a `url` or a `mailbox`.",
  {
    ...endpoint,
    lease_ms: field(
      z.nullable(unboundedCountSchema),
      "How long a mailbox may go unread before it is deleted, in wall time.",
    ),
    organization_id: field(textOrNull, "The organization it receives events of; null for all."),
    enabled: field(z.boolean(), "Whether it is sent events; a 410 response disables it."),
    health: receiverHealthSchema,
  },
);
export const webhookEndpointListSchema = pageShape("WebhookEndpointList", "Receivers", webhookEndpointSchema);
export const webhookEndpointDeletedSchema = recordShape("WebhookEndpointDeleted", "The deleted receiver.", {
  webhook_id: text,
  deleted: z.literal(true),
});

export const WAITABLE_SCHEMAS = {
  charge: z.extend(chargeDetailSchema, { mode: modeSchema }),
  delivery: deliverySchema,
  request: requestEntrySchema,
} as const;
