import * as z from "zod/mini";
import { chargeStatusSchema, modeSchema, rateSchema, withdrawalStatusSchema } from "./common.js";
import { durationSchema, waitDurationSchema } from "./duration.js";
import { eventGlobsSchema, globTextSchema, recordMatchSchema } from "./globs.js";
import { atMost, entriesAtMost, LONGEST, minLength } from "./lengths.js";
import {
  clockOptionSchema,
  clockSetting,
  hasOneTarget,
  mailboxSchema,
  ONE_TARGET_MESSAGE,
  unreachableSchema,
  webhookOptionSchema,
  webhookOptionShape,
  webhookUrlSchema,
} from "./options.js";
import { COLLECTION_NAMES } from "./records/names.js";
import { count, instantMs } from "./records/parts.js";
import { methodChoiceSchema, pageQuerySchema } from "./requests.js";
import { parseInstant } from "./time.js";
import { anySecretSchema, signatureSchema } from "./webhooks.js";

/** What the control API is asked (contract section 7). Unknown fields are faults here: a slip would go unseen. */
export const instantSchema = z
  .string()
  .check(
    z.refine(
      (text) => parseInstant(text) !== undefined,
      "must be an ISO 8601 instant such as 2026-01-31T09:00:00.000Z",
    ),
  );

function given(body: object): number {
  return Object.values(body).filter((value) => value !== undefined).length;
}

export const advanceRequestSchema = z
  .strictObject({
    by: z.optional(durationSchema),
    to: z.optional(instantSchema),
    until: z.optional(z.enum(["next", "idle"])),
  })
  .check(z.refine((body) => given(body) === 1, "needs exactly one of by, to and until"));

export const clockRequestSchema = z
  .strictObject({
    mode: z.optional(clockOptionSchema),
    speed: z.optional(z.number().check(z.positive(), z.lte(1_000_000))),
    now: z.optional(instantSchema),
  })
  .check(
    z.refine((body) => given(body) > 0, "needs at least one of mode, speed and now"),
    z.refine(({ mode, speed }) => speed === undefined || speed === speedOf(mode, speed), {
      error: ({ input }) => `contradicts the mode ${(input as { mode: string }).mode}: leave one of them out`,
      path: ["speed"],
    }),
  );

/** The speed a mode says; one that says none takes any. */
function speedOf(mode: string | undefined, otherwise: number): number {
  if (mode === "manual") return clockSetting(mode).speed;
  return mode?.endsWith("x") ? clockSetting(mode).speed : otherwise;
}

export const resetRequestSchema = z.strictObject({
  keep: z.optional(z.array(z.enum(["webhooks", "keys", "scenarios"]))),
  ids: z.optional(z.enum(["repeat"])),
});

const reasonSchema = z.string().check(minLength(1, "must not be empty"), atMost(LONGEST.reason));

export const transitionRequestSchema = z.strictObject({
  to: chargeStatusSchema,
  reason: z.optional(reasonSchema),
});

export const refundRequestSchema = z.strictObject({ reason: z.optional(reasonSchema) });

export const withdrawalTransitionRequestSchema = z.strictObject({
  to: withdrawalStatusSchema,
  reason: z.optional(reasonSchema),
});

export const ratesRequestSchema = z.record(z.string(), rateSchema);

/** Lists of the control API; `metadata.KEY` is read apart, for its name is open. */
export const chargeQuerySchema = z.object({
  ...pageQuerySchema.shape,
  mode: z.optional(modeSchema),
  customer_email: z.optional(z.string()),
  status: z.optional(chargeStatusSchema),
});

export const waitQuerySchema = z.object({ wait: z.optional(waitDurationSchema) });

const page = pageQuerySchema.shape;
const optionalText = z.optional(z.string());

export const eventQuerySchema = z.object({
  ...page,
  type: z.optional(globTextSchema),
  charge_id: optionalText,
  mode: z.optional(modeSchema),
});

export const deliveryQuerySchema = z.object({
  ...page,
  type: z.optional(globTextSchema),
  charge_id: optionalText,
  event_id: optionalText,
  status: z.optional(z.enum(["pending", "delivered", "failed", "dropped"])),
  mode: z.optional(modeSchema),
});

/** `since` is an instant or the id of a request; `status` may be a class such as 4xx. */
export const requestQuerySchema = z.object({
  ...page,
  method: optionalText,
  path: z.optional(globTextSchema),
  operation: z.optional(globTextSchema),
  status: z.optional(z.string().check(z.regex(/^[1-5x][\dx]{2}$/, "must be a status such as 400 or 4xx"))),
  since: optionalText,
});

export const triggerRequestSchema = z.strictObject({
  type: z
    .string()
    .check(z.regex(/^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$/, "must be an event type such as charge.completed")),
  charge_id: optionalText,
  data: z.optional(z.record(z.string(), z.unknown())),
  /** Send what is given as it is: of any type, with nothing added. */
  force: z.optional(z.boolean()),
  mode: z.optional(modeSchema),
});

export const redeliverRequestSchema = z.strictObject({
  times: z.optional(z.int().check(z.gte(1, "must be 1 to 100"), z.lte(100, "must be 1 to 100"))),
});

/** A call that takes nothing. */
export const emptyRequestSchema = z.strictObject({});

export const endpointRequestSchema = z
  .strictObject({
    ...webhookOptionShape,
    organization_id: z.optional(z.string().check(atMost(LONGEST.name))),
  })
  .check(z.refine(hasOneTarget, { error: ONE_TARGET_MESSAGE, path: ["url"] }));

export const takeRequestSchema = z.strictObject({
  max: z.optional(z.int().check(z.gte(1, "must be 1 to 1000"), z.lte(1_000, "must be 1 to 1000"))),
});
/** A receiver's answer, or why there was none. */
export const ackRequestSchema = z
  .strictObject({
    status: z.optional(
      z
        .int("must be an HTTP status")
        .check(z.gte(100, "must be an HTTP status"), z.lte(599, "must be an HTTP status")),
    ),
    body: optionalText,
    error: z.optional(reasonSchema),
  })
  .check(
    z.refine(({ status, error }) => (status === undefined) !== (error === undefined), {
      error: "is needed, unless there is an error instead",
      path: ["status"],
    }),
  );
export const endpointPatchSchema = z.strictObject({
  url: z.optional(webhookUrlSchema),
  events: z.optional(eventGlobsSchema),
  enabled: z.optional(z.boolean()),
  unreachable: z.optional(unreachableSchema),
  signature: z.optional(signatureSchema),
});

export const waitRequestSchema = z.strictObject({
  for: z.enum(["charge", "request", "delivery", "idle"]),
  match: z.optional(recordMatchSchema),
  count: z.optional(z.int().check(z.gte(1))),
  timeout: z.optional(waitDurationSchema),
});

export const namespaceNameSchema = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, "must be 1 to 63 letters, digits, dashes and underscores"),
  );

export const namespaceRequestSchema = z.strictObject({
  name: z.optional(namespaceNameSchema),
  seed: z.optional(z.string().check(z.regex(/^[\s\S]{1,200}$/, "must be 1 to 200 characters"))),
  clock: z.optional(clockOptionSchema),
  start_time: z.optional(instantSchema),
  api_key: z.optional(
    z.string().check(atMost(LONGEST.name), z.regex(/^sk_test_[A-Za-z0-9_-]+$/, "must start with sk_test_")),
  ),
  webhook_secret: z.optional(anySecretSchema),
  webhooks: z.optional(z.array(webhookOptionSchema).check(entriesAtMost(100))),
});

/** What is a namespace's own and no part of its state: a state may be imported into another. */
export const namespaceIdentitySchema = z.pick(namespaceRequestSchema, {
  name: true,
  api_key: true,
  webhook_secret: true,
  clock: true,
});
export type NamespaceIdentity = z.infer<typeof namespaceIdentitySchema>;

/** A snapshot's file is called so. */
export const snapshotNameSchema = mailboxSchema;

export const snapshotRequestSchema = z.strictObject({ name: snapshotNameSchema });

/** The outline of an exported state; its records are checked where one is taken in. */
export const stateDumpSchema = z.strictObject({
  version: z.literal(1),
  seq: count,
  at: instantMs,
  counters: z.record(z.string(), count),
  collections: z.partialRecord(
    z.enum(COLLECTION_NAMES),
    z.array(z.tuple([z.union([z.string(), z.number()]), z.unknown()])),
  ),
});

/** What a file that holds a snapshot says. */
export const snapshotFileSchema = z.strictObject({
  name: z.string(),
  at: instantSchema,
  dump: stateDumpSchema,
});

/** What the customer says on the hosted page, said for them. */
export const payRequestSchema = z.strictObject(methodChoiceSchema.shape);

export const chargeAdvanceRequestSchema = z.strictObject({ until: chargeStatusSchema });

export const runScenarioRequestSchema = z.strictObject({
  vars: z.optional(z.record(z.string(), z.string())),
  /** The base URL of the app under test. */
  app: z.optional(webhookUrlSchema),
});
