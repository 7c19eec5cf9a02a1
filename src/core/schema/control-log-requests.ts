import * as z from "zod/mini";
import {
  CHARGE_STATUSES,
  DELIVERY_STATES,
  deliveryStatusSchema,
  modeSchema,
  withdrawalStatusSchema,
} from "./common.js";
import { closedShape, exactlyOneOf, field, fieldsOf, queryShape } from "./descriptions.js";
import { reasonSchema } from "./engine-requests.js";
import { CHARGE_REVERSALS } from "./event-types.js";
import { withNameKind } from "./name-kinds.js";
import { hasOneTarget, ONE_TARGET_MESSAGE, webhookOptionSchema, webhookUrlSchema } from "./option-schemas.js";
import { charactersAtMost, globTextSchema, MAX_LENGTHS, nonEmptyText } from "./schema-checks.js";
import { pageQuerySchema } from "./service-requests.js";
import { signatureSchema } from "./signature-schemes.js";
import { waitDurationSchema } from "./time.js";

/* Requests of the control API about charges, logs and receivers. */

const page = fieldsOf(pageQuerySchema);
const optionalText = z.optional(z.string());
const mode = field(z.optional(modeSchema), "Only this mode; by default both.");
const type = field(
  withNameKind("event type", z.optional(globTextSchema)),
  "Only events of this type: a glob.",
  { examples: ["charge.*"] },
);
const ofCharge = field(optionalText, "Only this charge.");

const stuck = {
  stuck: field(
    z.optional(z.enum(["true", "1"])),
    "`true` or `1`: only those that have not ended and for which nothing is scheduled.",
  ),
  scenario: field(optionalText, "Only those that this scenario plans; `none`: no scenario."),
};

/** The filters `metadata.KEY` are parsed separately, because KEY can be any name. */
export const chargeQuerySchema = queryShape({
  ...page,
  mode,
  customer_email: field(optionalText, "Only this customer.", { examples: ["ada@shop.test"] }),
  status: field(
    z.optional(z.enum([...CHARGE_STATUSES, ...CHARGE_REVERSALS.keys()])),
    "Only items with this status; `PARTLY_REFUNDED` and `CHARGED_BACK`: completed, with that as the last reversal.",
  ),
  ...stuck,
  q: field(
    z.optional(nonEmptyText(MAX_LENGTHS.name)),
    "Only charges with all of these words in their IDs, e-mail, name, reference, amounts or metadata values. A word matches from its beginning; case is ignored.",
    { examples: ["ada@shop.test", "1042"] },
  ),
});

export const withdrawalQuerySchema = queryShape({
  ...page,
  mode,
  status: field(z.optional(withdrawalStatusSchema), "Only items with this status."),
  ...stuck,
});

const taskFilters = { ...page, id: field(optionalText, "Only this charge or withdrawal.") };
export const taskQuerySchema = queryShape(taskFilters);
export const nextQuerySchema = queryShape({ ...taskFilters, mode });

export const eventQuerySchema = queryShape({ ...page, type, charge_id: ofCharge, mode });

export const deliveryQuerySchema = queryShape({
  ...page,
  type,
  charge_id: ofCharge,
  event_id: field(optionalText, "Only this event."),
  webhook_id: field(optionalText, "Only this receiver."),
  status: field(z.optional(deliveryStatusSchema), "Only items with this status."),
  failing: field(
    z.optional(z.enum(["true", "1"])),
    "`true` or `1`: only deliveries that have been attempted and not accepted, whether or not they are still retried.",
  ),
  state: field(
    z.optional(z.enum([...DELIVERY_STATES, "not_accepted"])),
    "Only deliveries that stand so; `not_accepted`: failing or given up, at a receiver that is on.",
  ),
  mode,
  q: field(
    z.optional(nonEmptyText(MAX_LENGTHS.name)),
    "Only deliveries about charges with these words, found as in the list of charges (the newest 500), or about the charge, withdrawal, event or delivery with this ID.",
    { examples: ["A-1042"] },
  ),
});

export const ledgerQuerySchema = queryShape({
  ...page,
  mode,
  account: field(optionalText, "Only this account, as in the list of balances."),
});

export const attentionQuerySchema = queryShape({ mode, ...page });

export const streamQuerySchema = queryShape({
  view: field(
    z.optional(z.enum(["light"])),
    "`light`: only what has changed, gathered into seven messages a second at most.",
  ),
});

const requestFilters = {
  method: field(
    z.optional(withNameKind("HTTP method", z.string().check(z.toUpperCase()))),
    "Only of this method.",
    { examples: ["POST"] },
  ),
  path: field(z.optional(globTextSchema), "Only these paths: a glob.", { examples: ["/api/v1/payments/*"] }),
  operation: field(z.optional(globTextSchema), "Only this operation: a glob.", { examples: ["createQuote"] }),
  status: field(
    z.optional(
      z.string().check(z.regex(/^([1-5x][\dx]{2}|none)$/, "must be a status such as 400 or 4xx, or none")),
    ),
    "Only this response status, or class of statuses; `none`: calls that got no response.",
    { examples: ["4xx"] },
  ),
  since: field(optionalText, "Only requests after the one with this ID, or since this instant.", {
    examples: ["17", "2026-01-31T09:00:00.000Z"],
  }),
};

export const requestQuerySchema = queryShape({
  ...page,
  ...requestFilters,
  mode,
  why: field(optionalText, "Only requests with this reason."),
  q: field(
    z.optional(nonEmptyText(MAX_LENGTHS.name)),
    "Only requests with all of these words in their path, or in a value of their query or a body.",
    { examples: ["A-1042"] },
  ),
});
export type RequestQuery = z.infer<typeof requestQuerySchema>;
export const requestFilterSchema = queryShape(requestFilters);
export type RequestFilter = z.infer<typeof requestFilterSchema>;

export const triggerRequestSchema = closedShape("EventRequest", "An event that no status change caused.", {
  type: field(
    withNameKind(
      "event name",
      z
        .string()
        .check(z.regex(/^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$/, "must be an event type such as charge.completed")),
    ),
    "A known type, by the sandbox's name or the name it is sent under; any other needs `force`.",
    { examples: ["webhook.test", "charge.completed"] },
  ),
  charge_id: field(
    optionalText,
    "The charge it is about: its current record becomes the event's data. Without one the event has a sample charge, or withdrawal, that has just reached that status and is not stored.",
  ),
  data: field(
    z.optional(z.record(z.string(), z.unknown())),
    "Fields of the data to override; objects are merged.",
  ),
  force: field(z.optional(z.boolean()), "Send exactly what is given: any type, without sample data."),
  mode: field(
    z.optional(modeSchema),
    "The mode of the receivers: the charge's own, else the key's, else test.",
  ),
});

function countUpTo(to: number) {
  const message = `must be 1 to ${to}`;
  return z.int().check(z.gte(1, message), z.lte(to, message));
}

export const redeliverRequestSchema = closedShape("RedeliverRequest", "How often.", {
  times: field(z.optional(countUpTo(100)), "How many new deliveries to make (default 1)."),
});

export const retryRequestSchema = closedShape("RetryRequest", "Takes nothing.", {});

export const takeRequestSchema = closedShape("TakeRequest", "How many.", {
  max: field(z.optional(countUpTo(1_000)), "How many to take at most (default 100)."),
});

const NO_STATUS = "must be an HTTP status";

export const ackRequestSchema = closedShape(
  "AckRequest",
  {
    description: "The receiver's response, or why there is none.",
    jsonSchema: exactlyOneOf("status", "error"),
  },
  {
    status: field(
      z.optional(z.int(NO_STATUS).check(z.gte(100, NO_STATUS), z.lte(599, NO_STATUS))),
      "2xx means accepted; anything else is retried.",
    ),
    body: field(optionalText, "The response body, for the log."),
    headers: field(
      z.optional(z.record(z.string(), z.string())),
      "The response headers; `Retry-After` counts with 429 and 503, others are ignored.",
      { examples: [{ "Retry-After": "60" }] },
    ),
    error: field(
      z.optional(reasonSchema),
      "Instead of a status: why the receiver did not respond. The delivery is retried.",
    ),
  },
  z.refine(({ status, error }) => (status === undefined) !== (error === undefined), {
    error: "is required unless error is given",
    path: ["status"],
  }),
);

const receiver = fieldsOf(webhookOptionSchema);

export const endpointRequestSchema = closedShape(
  "WebhookEndpointRequest",
  { description: "A receiver to register: a URL or a mailbox.", jsonSchema: exactlyOneOf("url", "mailbox") },
  {
    ...receiver,
    organization_id: field(
      z.optional(z.string().check(charactersAtMost(MAX_LENGTHS.name))),
      "The organization it receives events of; by default all.",
    ),
    lease: field(
      z.optional(waitDurationSchema),
      "For a mailbox: it is deleted when it has not been read for this long (wall time). Deliveries already taken can still be acknowledged in time.",
    ),
  },
  z.refine(hasOneTarget, { error: ONE_TARGET_MESSAGE, path: ["url"] }),
  z.refine(({ url, lease }) => url === undefined || lease === undefined, {
    error: "is for a mailbox",
    path: ["lease"],
  }),
);

export const endpointPatchSchema = closedShape(
  "WebhookEndpointUpdate",
  "The fields to change; others keep their values.",
  {
    url: field(z.optional(webhookUrlSchema), "Its URL; a mailbox has none."),
    events: receiver.events,
    force: receiver.force,
    enabled: field(z.optional(z.boolean()), "Whether it is sent events."),
    unreachable: receiver.unreachable,
    signature: field(
      z.optional(signatureSchema),
      "How its events are signed; the secret must fit the scheme.",
    ),
  },
);
