import * as z from "zod/mini";
import { modeSchema, timestampSchema } from "./common.js";
import { chargeDetailSchema, moneySchema, statusChangeSchema } from "./responses.js";
import { chargeEntrySchema, faultRuleSchema, scenarioSchema } from "./scenario.js";
import { signatureSchema } from "./webhooks.js";

/**
 * What the control API answers (contract section 7). As with the service's answers nothing is parsed with these
 * while it runs: the OpenAPI document of the control API is made of them, and tests hold every answer against it.
 */
const countSchema = z.int().check(z.gte(0));
const idSchema = z.string();
const nullableText = z.nullable(z.string());
const anyData = z.record(z.string(), z.unknown());

/** A page of a list: how many there are in all, and the page itself. */
function listOf<Item extends z.core.$ZodType>(item: Item) {
  return z.object({ total: countSchema, items: z.array(item) });
}

export const healthSchema = z.object({ status: z.literal("ok"), version: z.string() });

export const clockSchema = z.object({
  mode: z.string().check(z.regex(/^(real|manual|\d+(\.\d+)?x)$/)),
  speed: z.number().check(z.positive()),
  now: timestampSchema,
  next_due: z.nullable(timestampSchema),
  advancing: z.boolean(),
});

export const keySchema = z.object({
  key: z.string(),
  organization_id: z.string(),
  permission: z.enum(["full", "read_only"]),
});

export const countsSchema = z.object({
  charges: countSchema,
  quotes: countSchema,
  withdrawals: countSchema,
  events: countSchema,
  deliveries: countSchema,
  webhook_endpoints: countSchema,
  scenarios: countSchema,
  tasks: countSchema,
});

export const sandboxSchema = z.object({
  version: z.string(),
  namespace: z.string(),
  keys: z.array(keySchema),
  api_key: z.string(),
  live_api_key: z.string(),
  webhook_secret: z.string(),
  seed: z.string(),
  clock: clockSchema,
  counts: countsSchema,
});

export const namespaceSchema = z.object({
  name: z.string(),
  api_key: z.string(),
  live_api_key: z.string(),
  webhook_secret: z.string(),
  seed: z.string(),
  clock: clockSchema,
  charges: countSchema,
});
export const namespaceListSchema = listOf(namespaceSchema);

/** A thing with a name is gone. */
export const nameDeletedSchema = z.object({ name: z.string(), deleted: z.literal(true) });
export const faultsRemovedSchema = z.object({ removed: countSchema });
export const endpointDeletedSchema = z.object({ webhook_id: idSchema, deleted: z.literal(true) });

export const snapshotSchema = z.object({ name: z.string(), at: timestampSchema });
export const snapshotListSchema = listOf(snapshotSchema);

export const firedSchema = z.object({
  at: timestampSchema,
  task: z.enum(["expire", "timeline", "settle", "withdrawal", "attempt"]),
  ref: idSchema,
});
export const advanceReportSchema = z.object({
  from: timestampSchema,
  to: timestampSchema,
  fired: z.array(firedSchema),
  fired_total: countSchema,
});

/** What happened to a charge that no status shows. */
const noteSchema = z.object({ at: timestampSchema, note: z.string() });
export const chargeFateSchema = z.object({
  scenario: nullableText,
  scenario_asked: nullableText,
  timeline: z.array(chargeEntrySchema),
  notes: z.array(noteSchema),
});
export const controlChargeSchema = z.object({
  ...chargeDetailSchema.shape,
  mode: modeSchema,
  kind: z.enum(["whitelabel", "hosted"]),
  sandbox: chargeFateSchema,
});
export const controlChargeListSchema = listOf(controlChargeSchema);

export const requestEntrySchema = z.object({
  request_id: countSchema,
  at: timestampSchema,
  method: z.string(),
  path: z.string(),
  query: z.record(z.string(), z.string()),
  operation: nullableText,
  status: z.nullable(z.int()),
  client_gone: z.boolean(),
  api_key: nullableText,
  idempotency_key: nullableText,
  runner: nullableText,
  scenario: nullableText,
  fault: nullableText,
  request_body: z.unknown(),
  request_body_bytes: z.nullable(countSchema),
  response_body: z.unknown(),
  response_body_bytes: z.nullable(countSchema),
});
export const requestListSchema = listOf(requestEntrySchema);

/** An event or a delivery names the object it is about, when it is about one. */
const objectIds = { charge_id: z.optional(idSchema), withdrawal_id: z.optional(idSchema) };

export const eventPayloadSchema = z.object({
  id: idSchema,
  type: z.string(),
  timestamp: timestampSchema,
  mode: modeSchema,
  data: anyData,
});
export const eventSchema = z.object({
  event_id: idSchema,
  type: z.string(),
  at: timestampSchema,
  mode: modeSchema,
  organization_id: nullableText,
  ...objectIds,
  data: anyData,
  payload: eventPayloadSchema,
});
export const eventListSchema = listOf(eventSchema);
export const triggeredEventSchema = z.object({ ...eventSchema.shape, deliveries: countSchema });

export const attemptSchema = z.object({
  attempt: z.int().check(z.gte(1)),
  at: timestampSchema,
  sent_at: timestampSchema,
  duration_ms: z.number().check(z.gte(0)),
  request_headers: z.record(z.string(), z.string()),
  status: z.nullable(z.int()),
  response_body: nullableText,
  error: nullableText,
});
export const mishapSchema = z.object({
  scenario: z.string(),
  bad_signature: z.boolean(),
  stale_ms: countSchema,
  fail_first: countSchema,
  drop: z.boolean(),
});
export const deliverySchema = z.object({
  delivery_id: idSchema,
  event_id: idSchema,
  type: z.string(),
  mode: modeSchema,
  webhook_id: idSchema,
  url: nullableText,
  ...objectIds,
  status: z.enum(["pending", "delivered", "failed", "dropped"]),
  answered: z.nullable(z.int()),
  created_at: timestampSchema,
  next_attempt_at: z.nullable(timestampSchema),
  mishap: z.nullable(mishapSchema),
  attempts: z.array(attemptSchema),
  body: nullableText,
  data: z.nullable(anyData),
});
export const deliveryListSchema = listOf(deliverySchema);

export const mailboxItemSchema = z.object({
  delivery_id: idSchema,
  event_id: idSchema,
  type: z.string(),
  attempt: z.int().check(z.gte(1)),
  ack_within_ms: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export const mailboxItemListSchema = listOf(mailboxItemSchema);

export const endpointSchema = z.object({
  webhook_id: idSchema,
  url: nullableText,
  mailbox: nullableText,
  unreachable: z.enum(["hold", "fail"]),
  mode: modeSchema,
  organization_id: nullableText,
  events: z.array(z.string()),
  secret: z.string(),
  signature: signatureSchema,
  enabled: z.boolean(),
  created_at: timestampSchema,
});
export const endpointListSchema = listOf(endpointSchema);

/** A charge's story, one happening after the other; `kind` says of which sort each is. */
export const requestHappeningSchema = z.object({ kind: z.literal("request"), ...requestEntrySchema.shape });
export const transitionHappeningSchema = z.object({
  kind: z.literal("transition"),
  ...statusChangeSchema.shape,
});
const postingSchema = z.object({
  account: z.enum(["available", "pending", "in_transit", "fees", "outside"]),
  amount: z.string().check(z.regex(/^-?\d+(\.\d+)?$/)),
});
export const ledgerHappeningSchema = z.object({
  kind: z.literal("ledger"),
  at: timestampSchema,
  entry_id: idSchema,
  posting: z.string(),
  currency: z.string(),
  postings: z.array(postingSchema),
});
export const eventHappeningSchema = z.object({
  kind: z.literal("event"),
  at: timestampSchema,
  event_id: idSchema,
  type: z.string(),
});
export const noteHappeningSchema = z.object({ kind: z.literal("note"), ...noteSchema.shape });
export const attemptHappeningSchema = z.object({
  kind: z.literal("attempt"),
  delivery_id: idSchema,
  event_id: idSchema,
  type: z.string(),
  webhook_id: idSchema,
  ...attemptSchema.shape,
});
export const happeningSchema = z.discriminatedUnion("kind", [
  requestHappeningSchema,
  transitionHappeningSchema,
  ledgerHappeningSchema,
  eventHappeningSchema,
  noteHappeningSchema,
  attemptHappeningSchema,
]);
export const chargeStorySchema = z.object({
  charge_id: idSchema,
  status: chargeDetailSchema.shape.status,
  ...listOf(happeningSchema).shape,
});

export const controlBalanceSchema = z.object({
  organization_id: z.string(),
  mode: modeSchema,
  currency: z.string(),
  available_balance: moneySchema,
  pending_balance: moneySchema,
});
export const controlBalanceListSchema = listOf(controlBalanceSchema);

/** What was waited for: the newest that matches, or that nothing is due or under way. */
export const waitedChargeSchema = z.object({ ...chargeDetailSchema.shape, mode: modeSchema });
export const idleSchema = z.object({ idle: z.literal(true), now: timestampSchema });
export const waitResultSchema = z.union([waitedChargeSchema, requestEntrySchema, deliverySchema, idleSchema]);

export const scenarioViewSchema = z.object({ ...scenarioSchema.shape, active: z.boolean() });
export const scenarioListSchema = listOf(scenarioViewSchema);

export const faultSchema = z.object({ fault_id: idSchema, ...faultRuleSchema.shape, applied: countSchema });
export const faultListSchema = listOf(faultSchema);

export const differenceSchema = z.object({
  path: z.string(),
  expected: z.unknown(),
  got: z.optional(z.unknown()),
});
export const nearMissSchema = z.object({ id: idSchema, difference: z.array(differenceSchema) });
export const failureSchema = z.object({
  message: z.string(),
  expected: z.optional(z.unknown()),
  got: z.optional(z.unknown()),
  difference: z.optional(z.array(differenceSchema)),
  nearest: z.optional(z.array(nearMissSchema)),
});
export const stepReportSchema = z.object({
  number: z.int().check(z.gte(1)),
  title: z.string(),
  kind: z.string(),
  line: z.int().check(z.gte(1)),
  outcome: z.enum(["passed", "failed", "error", "not_run"]),
  duration_ms: z.number().check(z.gte(0)),
  failure: z.optional(failureSchema),
});
export const runReportSchema = z.object({
  file: z.string(),
  name: z.string(),
  outcome: z.enum(["passed", "failed", "error"]),
  passed: z.boolean(),
  run_id: z.string(),
  duration_ms: z.number().check(z.gte(0)),
  steps: z.array(stepReportSchema),
  error: z.optional(z.string()),
  warnings: z.array(z.string()),
});

export const coveredSchema = z.object({
  met: z.record(z.string(), z.int().check(z.gte(1))),
  not_met: z.array(z.string()),
});
export const coverageSchema = z.object({
  operations: coveredSchema,
  statuses: coveredSchema,
  events: coveredSchema,
  error_codes: coveredSchema,
});

export const adviceSchema = z.object({
  advice: z.string(),
  why: z.string(),
  times: z.int().check(z.gte(1)),
  example: z.string(),
});
export const adviceListSchema = listOf(adviceSchema);

export const ratesSchema = z.object({ rates: z.record(z.string(), z.string()) });

/** The stream's messages: `event` is the name of the server-sent event, `data` the JSON it carries. */
export const streamHelloSchema = z.object({ namespace: z.string(), now: timestampSchema });
export const streamMissedSchema = z.object({ count: z.int().check(z.gte(1)) });
export const streamChargeSchema = z.object({
  charge_id: idSchema,
  status: chargeDetailSchema.shape.status,
  amount: moneySchema,
  currency: z.string(),
  updated_at: timestampSchema,
  customer_email: nullableText,
});
/** By the name of the server-sent event. */
export const STREAM_SCHEMAS = {
  hello: streamHelloSchema,
  request: requestEntrySchema,
  charge: streamChargeSchema,
  event: eventSchema,
  delivery: deliverySchema,
  clock: clockSchema,
  missed: streamMissedSchema,
} as const;
