import * as z from "zod/mini";
import { type ChargeStatus, modeSchema, timestampSchema, type WithdrawalStatus } from "../common.js";
import { assumedField, shape } from "../descriptions.js";
import { parseEventType, SERVICE_EVENT_TYPES, type TEST_EVENT_TYPE } from "../event-types.js";
import type { DeepReadonly } from "../records/record-fields.js";
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
    webhook_id: assumedField(text, "The endpoint."),
    url: assumedField(
      text,
      "Where events are sent; `mailbox:NAME` for a mailbox of the sandbox, which keeps them.",
    ),
    events: assumedField(z.array(text), "Event types it receives, as globs."),
    secret: assumedField(text, "What its events are signed with."),
    enabled: assumedField(z.boolean(), "Whether it is sent events; a 410 response disables it."),
    created_at: assumedField(timestampSchema, "When it was registered."),
  },
);
export const webhookListSchema = listShape("WebhookList", "endpoints", webhookSchema);
export const webhookDeletedSchema = shape("WebhookDeleted", "The deleted endpoint.", {
  webhook_id: assumedField(text, "The endpoint's ID."),
  deleted: assumedField(z.literal(true), "Always true."),
});

type EventTypeOf<
  Kind extends string,
  Status extends string,
> = `${Kind}.${Lowercase<Exclude<Status, "PENDING">>}`;

/** The fields of every event; the configuration can rename its type. */
const envelopeOf = <Type>(typeSchema: z.ZodMiniType<Type>, hasType: (type: string) => boolean) => ({
  id: assumedField(text, "The event's ID, the same in every attempt.", {
    examples: ["evt_bf97a3a164010d696c2bec1f"],
  }),
  type: assumedField(typeSchema, "What happened.", {
    jsonSchema: { enum: SERVICE_EVENT_TYPES.filter(hasType).map((type) => `{{event ${type}}}`) },
  }),
  timestamp: assumedField(timestampSchema, "When, in sandbox time."),
  mode: assumedField(modeSchema, "Test or live: the mode of the key the object was created with."),
});
export const chargeEventSchema = shape("ChargeEvent", "A charge changed its status.", {
  ...envelopeOf(
    text as z.ZodMiniType<EventTypeOf<"charge", ChargeStatus>>,
    (type) => parseEventType(type)?.object === "charge",
  ),
  data: assumedField(chargeDetailSchema, "The charge as a read returned it at that moment."),
});
export const withdrawalEventSchema = shape("WithdrawalEvent", "A withdrawal changed its status.", {
  ...envelopeOf(
    text as z.ZodMiniType<EventTypeOf<"withdrawal", WithdrawalStatus>>,
    (type) => parseEventType(type)?.object === "withdrawal",
  ),
  data: assumedField(withdrawalSchema, "The withdrawal as a read returned it at that moment."),
});
export const testEventSchema = shape("TestEvent", "An event to try a receiver with.", {
  ...envelopeOf(text as z.ZodMiniType<typeof TEST_EVENT_TYPE>, (type) => parseEventType(type) === undefined),
  data: assumedField(z.record(z.string(), z.unknown()), "The data it was created with."),
});

/** Body of a webhook about a charge. */
export type ChargeEvent = DeepReadonly<z.infer<typeof chargeEventSchema>>;
/** Body of a webhook about a withdrawal. */
export type WithdrawalEvent = DeepReadonly<z.infer<typeof withdrawalEventSchema>>;
/** Body of a webhook without an object, to test a receiver. */
export type TestEvent = DeepReadonly<z.infer<typeof testEventSchema>>;
/** Body of any webhook of the service; `data` depends on `type`. */
export type WebhookEvent = ChargeEvent | WithdrawalEvent | TestEvent;
