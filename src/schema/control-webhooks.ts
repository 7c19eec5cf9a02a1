import * as z from "zod/mini";
import { chargeStatusSchema, deliveryStatusSchema, modeSchema, withdrawalStatusSchema } from "./common.js";
import { reasonSchema } from "./control.js";
import { waitDurationSchema } from "./duration.js";
import { globTextSchema } from "./globs.js";
import { atMost, LONGEST, minLength } from "./lengths.js";
import { naming } from "./names.js";
import {
  hasOneTarget,
  ONE_TARGET,
  ONE_TARGET_MESSAGE,
  webhookOptionSchema,
  webhookUrlSchema,
} from "./options.js";
import { pageQuerySchema } from "./requests.js";
import { signatureSchema } from "./webhooks.js";
import { closedShape, field, fieldsOf, parameters, refined } from "./words.js";

/** What the control API is asked of charges' and webhooks' logs, and of receivers. */
const page = fieldsOf(pageQuerySchema);
const optionalText = z.optional(z.string());
const mode = field(z.optional(modeSchema), "Only those of this mode; both without it.");
const type = field(naming("event type", z.optional(globTextSchema)), {
  says: "Only events of this type: a glob.",
  examples: ["charge.*"],
});
const ofCharge = field(optionalText, "Only those about this charge.");

/** `metadata.KEY` is read apart, for its name is open. */
export const chargeQuerySchema = parameters({
  ...page,
  mode,
  customer_email: field(optionalText, { says: "Only this customer's.", examples: ["ada@shop.test"] }),
  status: field(z.optional(chargeStatusSchema), "Only those in this status."),
  q: field(z.optional(z.string().check(minLength(1, "must not be empty"), atMost(LONGEST.name))), {
    says: "Only those that have each of these words in their ids, e-mail, name, reference or metadata values. A word is found from its beginning, capitals or not.",
    examples: ["ada@shop.test", "1042"],
  }),
});

export const withdrawalQuerySchema = parameters({
  ...page,
  mode,
  status: field(z.optional(withdrawalStatusSchema), "Only those in this status."),
});

export const nextQuerySchema = parameters({
  ...page,
  id: field(optionalText, "Only what is about this charge or withdrawal."),
});

export const eventQuerySchema = parameters({ ...page, type, charge_id: ofCharge, mode });

export const deliveryQuerySchema = parameters({
  ...page,
  type,
  charge_id: ofCharge,
  event_id: field(optionalText, "Only those of this event."),
  webhook_id: field(optionalText, "Only those to this receiver."),
  status: field(z.optional(deliveryStatusSchema), "Only those in this status."),
  failing: field(
    z.optional(z.enum(["true", "1"])),
    "`true` or `1`: only those that were tried and nobody has taken, given up or not.",
  ),
  mode,
  q: field(z.optional(z.string().check(minLength(1, "must not be empty"), atMost(LONGEST.name))), {
    says: "Only those about charges with each of these words, found as charges are (of the newest 500 such), or about the charge, withdrawal, event or delivery of that id.",
    examples: ["A-1042"],
  }),
});

export const streamQuerySchema = parameters({
  view: field(
    z.optional(z.enum(["light"])),
    "`light`: only what has changed, gathered into four messages a second at most.",
  ),
});

export const requestQuerySchema = parameters({
  ...page,
  method: field(z.optional(naming("HTTP method", z.string().check(z.toUpperCase()))), {
    says: "Only of this method.",
    examples: ["POST"],
  }),
  path: field(z.optional(globTextSchema), {
    says: "Only at these paths: a glob.",
    examples: ["/api/v1/payments/*"],
  }),
  operation: field(z.optional(globTextSchema), {
    says: "Only calls of this operation: a glob.",
    examples: ["createQuote"],
  }),
  status: field(
    z.optional(z.string().check(z.regex(/^[1-5x][\dx]{2}$/, "must be a status such as 400 or 4xx"))),
    { says: "Only those answered so: a status or a class.", examples: ["4xx"] },
  ),
  since: field(optionalText, {
    says: "Only those after the request of this id, or not before this instant.",
    examples: ["17", "2026-01-31T09:00:00.000Z"],
  }),
});

export const triggerRequestSchema = closedShape("EventRequest", "An event that no status change caused.", {
  type: field(
    naming(
      "event name",
      z
        .string()
        .check(z.regex(/^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$/, "must be an event type such as charge.completed")),
    ),
    {
      says: "One of the types there are, by the sandbox's name or the one it is sent under; any other needs `force`.",
      examples: ["webhook.test", "charge.completed"],
    },
  ),
  charge_id: field(
    optionalText,
    "The charge it is about: its record, as it stands, is the event's data. Without one it is about a sample of a charge, or withdrawal, that has just come to that status and is not kept.",
  ),
  data: field(
    z.optional(z.record(z.string(), z.unknown())),
    "What the data says otherwise, field by field; objects are merged.",
  ),
  force: field(
    z.optional(z.boolean()),
    "Send what is given and nothing else: any type, and no sample's data.",
  ),
  mode: field(
    z.optional(modeSchema),
    "Whose receivers hear of it: a charge's own mode, else the key's, else test.",
  ),
});

function wholeNumber(from: number, to: number) {
  const message = `must be ${from} to ${to}`;
  return z.int().check(z.gte(from, message), z.lte(to, message));
}

export const redeliverRequestSchema = closedShape("RedeliverRequest", "How often.", {
  times: field(z.optional(wholeNumber(1, 100)), "So many new deliveries; 1 without it."),
});

/** A call that takes nothing. */
export const emptyRequestSchema = closedShape("RetryRequest", "Takes nothing.", {});

export const takeRequestSchema = closedShape("TakeRequest", "How many.", {
  max: field(z.optional(wholeNumber(1, 1_000)), "At most so many; 100 without it."),
});

const NO_STATUS = "must be an HTTP status";

export const ackRequestSchema = refined(
  closedShape(
    "AckRequest",
    {
      says: "What the receiver answered, or why there is no answer.",
      adds: { oneOf: [{ required: ["status"] }, { required: ["error"] }] },
    },
    {
      status: field(
        z.optional(z.int(NO_STATUS).check(z.gte(100, NO_STATUS), z.lte(599, NO_STATUS))),
        "2xx has arrived; anything else is tried again.",
      ),
      body: field(optionalText, "The answer's body, for the log."),
      headers: field(z.optional(z.record(z.string(), z.string())), {
        says: "The answer's headers; `Retry-After` has its weight on 429 and 503, the others are passed over.",
        examples: [{ "Retry-After": "60" }],
      }),
      error: field(
        z.optional(reasonSchema),
        "In place of a status: what kept the receiver from answering. It is tried again.",
      ),
    },
  ),
  z.refine(({ status, error }) => (status === undefined) !== (error === undefined), {
    error: "is needed, unless there is an error instead",
    path: ["status"],
  }),
);

const receiver = fieldsOf(webhookOptionSchema);

export const endpointRequestSchema = refined(
  closedShape(
    "WebhookEndpointRequest",
    { says: "A receiver to register: a URL or a mailbox.", adds: ONE_TARGET },
    {
      ...receiver,
      organization_id: field(
        z.optional(z.string().check(atMost(LONGEST.name))),
        "Whose events it hears; without it those of every organization.",
      ),
      lease: field(
        z.optional(waitDurationSchema),
        "Of a mailbox: it goes when nobody has looked into it for so long, by wall time. What was taken may be acknowledged in its time besides.",
      ),
    },
  ),
  z.refine(hasOneTarget, { error: ONE_TARGET_MESSAGE, path: ["url"] }),
  z.refine(({ url, lease }) => url === undefined || lease === undefined, {
    error: "is for a mailbox",
    path: ["lease"],
  }),
);

export const endpointPatchSchema = closedShape(
  "WebhookEndpointUpdate",
  "What should change; the rest stays.",
  {
    url: field(z.optional(webhookUrlSchema), "Where it is; a mailbox has none."),
    events: receiver.events,
    force: receiver.force,
    enabled: field(z.optional(z.boolean()), "Whether it is sent anything."),
    unreachable: receiver.unreachable,
    signature: field(z.optional(signatureSchema), "How its events are signed; the secret must suit."),
  },
);
