import * as z from "zod/mini";
import { deliveryStatusSchema, modeSchema, timestampSchema } from "../common.js";
import { eventGlobsSchema } from "../globs.js";
import { mailboxSchema, ONE_TARGET_MESSAGE, unreachableSchema } from "../options.js";
import { isReceiverUrl } from "../receiver-url.js";
import { downAnswerSchema } from "../scenario.js";
import { anySecretSchema, secretFault, signatureSchema } from "../webhooks.js";
import { count, instantMs, jsonText, type Kept, ordinal, spanMs, text, textOrNull, texts } from "./parts.js";

function isEvent(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "data");
}

/** An event, with the exact bytes every delivery of it carries (see `event-record.ts`). */
export const eventRecord = z.strictObject({
  event_id: text,
  seq: ordinal,
  type: text,
  at: timestampSchema,
  mode: modeSchema,
  organization_id: textOrNull,
  object_id: textOrNull,
  body: jsonText(isEvent, "must be the JSON of an event"),
});
export type EventRecord = Kept<z.infer<typeof eventRecord>>;

export const attemptRecord = z.strictObject({
  attempt: ordinal,
  /** Among all attempts of the namespace. */
  order: ordinal,
  /** Sandbox time the attempt was made at. */
  at: timestampSchema,
  /** Wall time, for the receiver checks its signature against it. */
  sent_at: timestampSchema,
  duration_ms: spanMs,
  request_headers: z.record(text, text),
  status: z.nullable(z.int()),
  response_body: textOrNull,
  error: textOrNull,
});
export type Attempt = Kept<z.infer<typeof attemptRecord>>;

export const mishapRecord = z.strictObject({
  scenario: text,
  bad_signature: z.boolean(),
  stale_ms: spanMs,
  /** How many attempts fail without being sent. */
  fail_first: count,
  /** It is never sent. */
  drop: z.boolean(),
  /** Attempts made from that moment up to that other fail without being made. */
  down: z.optional(z.strictObject({ from_ms: instantMs, until_ms: instantMs, answer: downAnswerSchema })),
  /** Nobody made what it carries: an event in the likeness of the delivery's own, of that type and status. */
  forged: z.optional(z.strictObject({ type: text, status: textOrNull })),
  /** The answer to its first attempt does not come back. */
  lose_answer: z.optional(z.boolean()),
  /** It carries its event under this id. */
  copy_id: z.optional(text),
  /** How many are sent to the receiver at the same moment, including this one. */
  at_once: z.optional(count),
  /** What goes wrong with further attempts, each by a rule of its own. */
  retried: z.optional(
    z.array(
      z.strictObject({
        attempt: ordinal,
        scenario: text,
        /** Which of the scenario's webhook rules. */
        index: count,
        delay_ms: spanMs,
        copies: ordinal,
        lose_answer: z.boolean(),
      }),
    ),
  ),
  /** It is sent without the headers of a signature. */
  unsigned: z.optional(z.boolean()),
  /** Somebody has written it by hand to see what comes of it: it is tried once, and nobody fails by it. */
  by_hand: z.optional(z.boolean()),
  /** Where it goes, in the place of its receiver's own URL. */
  to_url: z.optional(text),
});
export type Mishap = Kept<z.infer<typeof mishapRecord>>;

export const deliveryRecord = z.strictObject({
  delivery_id: text,
  seq: ordinal,
  event_id: text,
  event_type: text,
  object_id: textOrNull,
  webhook_id: text,
  mode: modeSchema,
  status: deliveryStatusSchema,
  created_at: timestampSchema,
  next_attempt_at: z.nullable(timestampSchema),
  /** The task that will make the next attempt, if one is planned. */
  task: z.nullable(ordinal),
  attempts: z.array(attemptRecord),
  /** What the scenario lets go wrong with it on the way, if anything. */
  mishap: z.nullable(mishapRecord),
  /** Whether it waits its turn among the events of its object, or goes by itself. */
  lane: textOrNull,
});
export type Delivery = Kept<z.infer<typeof deliveryRecord>>;
export type DeliveryStatus = Delivery["status"];

export const endpointRecord = z
  .strictObject({
    webhook_id: text,
    seq: ordinal,
    /** Null for a mailbox. */
    url: z.nullable(text.check(z.refine(isReceiverUrl, "must be a webhook URL as the sandbox writes it"))),
    /** Deliveries wait here to be collected, for tests without a socket. */
    mailbox: z.nullable(mailboxSchema),
    /** The mailbox goes when nobody has looked into it for so long, by wall time. */
    lease_ms: z.optional(count),
    /** On a running clock: whether attempts wait for somebody to listen, or fail at once. */
    unreachable: unreachableSchema,
    mode: modeSchema,
    /** The organization that registered it; null hears every organization of its mode (start options). */
    organization_id: textOrNull,
    events: eventGlobsSchema,
    secret: anySecretSchema,
    previous_secret: z.nullable(anySecretSchema),
    previous_secret_until_ms: instantMs,
    signature: signatureSchema,
    enabled: z.boolean(),
    created_at: timestampSchema,
  })
  .check(({ value, issues }) => {
    const { url, mailbox, signature } = value;
    if ((url === null) === (mailbox === null))
      issues.push({ code: "custom", input: url, path: ["url"], message: ONE_TARGET_MESSAGE });
    for (const name of ["secret", "previous_secret"] as const) {
      const secret = value[name];
      const message = secret === null ? undefined : secretFault(signature, secret);
      if (message !== undefined) issues.push({ code: "custom", input: secret, path: [name], message });
    }
  });
export type Endpoint = Omit<Kept<z.infer<typeof endpointRecord>>, "signature"> & {
  readonly signature: z.infer<typeof signatureSchema>;
};

/** Deliveries of one object's events to one endpoint that have not had their first attempt, in order. */
export const laneRecord = z.strictObject({
  lane: text,
  waiting: texts,
  /** Swapped deliveries: they go right after the next event's. */
  swapped: texts,
});
export type Lane = Kept<z.infer<typeof laneRecord>>;
