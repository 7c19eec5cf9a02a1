import * as z from "zod/mini";
import { deliveryStatusSchema, modeSchema, timestampSchema } from "../common.js";
import { fileNameSchema, ONE_TARGET_MESSAGE, unreachableOptionSchema } from "../option-schemas.js";
import { isNormalizedWebhookUrl } from "../receiver-url.js";
import { downAnswerSchema } from "../scenario-rules.js";
import { eventGlobsSchema } from "../schema-checks.js";
import { anySecretSchema, secretErrorMessage, signatureSchema } from "../signature-schemes.js";
import {
  boundedCountSchema,
  type DeepReadonly,
  durationMsSchema,
  instantMsSchema,
  jsonTextSchema,
  sequenceNumberSchema,
  text,
  textList,
  textOrNull,
} from "./record-fields.js";

function isEvent(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "data");
}

/** An event; `body` is the exact text every delivery sends. */
export const eventRecordSchema = z.strictObject({
  event_id: text,
  seq: sequenceNumberSchema,
  type: text,
  at: timestampSchema,
  mode: modeSchema,
  organization_id: textOrNull,
  object_id: textOrNull,
  body: jsonTextSchema(isEvent, "must be the JSON of an event"),
});
export type EventRecord = DeepReadonly<z.infer<typeof eventRecordSchema>>;

export const attemptRecordSchema = z.strictObject({
  attempt: sequenceNumberSchema,
  /** Sequence number among all attempts of the namespace. */
  order: sequenceNumberSchema,
  /** Sandbox time. */
  at: timestampSchema,
  /** Wall time; the signature covers it. */
  sent_at: timestampSchema,
  duration_ms: durationMsSchema,
  request_headers: z.record(text, text),
  status: z.nullable(z.int()),
  /** Retry-After of the response; absent if the response has none. */
  retry_after_ms: z.optional(durationMsSchema),
  response_body: textOrNull,
  error: textOrNull,
});
export type Attempt = DeepReadonly<z.infer<typeof attemptRecordSchema>>;

export const mishapRecordSchema = z.strictObject({
  scenario: text,
  bad_signature: z.boolean(),
  stale_ms: durationMsSchema,
  /** With 2, attempts 1 and 2 fail without being sent. */
  fail_first: boundedCountSchema,
  drop: z.boolean(),
  /** Attempts in this period fail without being sent. */
  down: z.optional(
    z.strictObject({ from_ms: instantMsSchema, until_ms: instantMsSchema, answer: downAnswerSchema }),
  ),
  /** Type and status of a false event. The rest of the body is a copy of the real event. */
  forged: z.optional(z.strictObject({ type: text, status: textOrNull })),
  response_lost: z.optional(z.boolean()),
  /** Event ID sent instead of the real one. */
  copy_id: z.optional(text),
  /** Number of deliveries sent at the same moment, including this one. */
  at_once: z.optional(boundedCountSchema),
  /** Mishaps of attempts after the first, at most one per attempt number. */
  retried: z.optional(
    z.array(
      z.strictObject({
        attempt: sequenceNumberSchema,
        scenario: text,
        /** Index in `scenario.webhooks`. */
        index: boundedCountSchema,
        delay_ms: durationMsSchema,
        copies: sequenceNumberSchema,
        response_lost: z.boolean(),
      }),
    ),
  ),
});
export type Mishap = DeepReadonly<z.infer<typeof mishapRecordSchema>>;

export const deliveryRecordSchema = z.strictObject({
  delivery_id: text,
  seq: sequenceNumberSchema,
  event_id: text,
  event_type: text,
  object_id: textOrNull,
  webhook_id: text,
  mode: modeSchema,
  status: deliveryStatusSchema,
  created_at: timestampSchema,
  next_attempt_at: z.nullable(timestampSchema),
  task: z.nullable(sequenceNumberSchema),
  attempts: z.array(attemptRecordSchema),
  mishap: z.nullable(mishapRecordSchema),
  /** Lane of the delivery; null if the delivery need not wait for earlier events. */
  lane: textOrNull,
});
export type Delivery = DeepReadonly<z.infer<typeof deliveryRecordSchema>>;
export type DeliveryStatus = Delivery["status"];

export const endpointRecordSchema = z
  .strictObject({
    webhook_id: text,
    seq: sequenceNumberSchema,
    /** Null for a mailbox. */
    url: z.nullable(
      text.check(z.refine(isNormalizedWebhookUrl, "must be a webhook URL as the sandbox writes it")),
    ),
    /** Name of the mailbox; null for an endpoint with a URL. */
    mailbox: z.nullable(fileNameSchema),
    /** Wall time without a read after which the mailbox is deleted. */
    lease_ms: z.optional(boundedCountSchema),
    /** Handling of attempts while nothing listens at the URL, on a running clock. */
    unreachable: unreachableOptionSchema,
    mode: modeSchema,
    /** Organization that registered the endpoint. Null: the endpoint gets events of all organizations in the mode. */
    organization_id: textOrNull,
    events: eventGlobsSchema,
    secret: anySecretSchema,
    previous_secret: z.nullable(anySecretSchema),
    previous_secret_until_ms: instantMsSchema,
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
      const message = secret === null ? undefined : secretErrorMessage(signature, secret);
      if (message !== undefined) issues.push({ code: "custom", input: secret, path: [name], message });
    }
  });
export type Endpoint = Omit<DeepReadonly<z.infer<typeof endpointRecordSchema>>, "signature"> & {
  readonly signature: z.infer<typeof signatureSchema>;
};

/** Queue of first attempts to one endpoint. The queue keeps one object's events in order. */
export const laneRecordSchema = z.strictObject({
  lane: text,
  waiting: textList,
  /** Deliveries that wait until the object's next event has been sent. */
  swapped: textList,
});
export type Lane = DeepReadonly<z.infer<typeof laneRecordSchema>>;
