import * as z from "zod/mini";
import { chargeStatusSchema, rateSchema, withdrawalStatusSchema } from "./common.js";
import {
  closedShape,
  currencyNote,
  exactlyOneOf,
  field,
  fieldsOf,
  methodNote,
  queryShape,
  type ShapeFields,
} from "./descriptions.js";
import { optionalReasonField } from "./engine-requests.js";
import { keyFixtureSchema, keyStatusSchema, organizationFixtureSchema } from "./fixtures-file.js";
import { rangeSchema, reportCostlyPatterns, reportInvalidMatchers } from "./matchers.js";
import {
  clockOptionSchema,
  fileNameSchema,
  instantSchemaWithExample,
  namespaceNameSchema,
  parseClockSetting,
  webhookOptionSchema,
  webhookUrlSchema,
} from "./option-schemas.js";
import { COLLECTION_NAMES } from "./records/collection-names.js";
import { boundedCountSchema, instantMsSchema } from "./records/record-fields.js";
import {
  charactersAtMost,
  entriesAtMost,
  MAX_LENGTHS,
  nonEmptyText,
  recordMatchSchema,
  refineIfValid,
} from "./schema-checks.js";
import { methodChoiceSchema, pageQuerySchema } from "./service-requests.js";
import { anySecretSchema } from "./signature-schemes.js";
import { durationSchema, waitDurationSchema } from "./time.js";

/*
 * Schemas of the control API's request bodies and queries, used by `server/control`, scenario steps and the OpenAPI
 * document. Unknown fields are errors, so that typos do not pass unnoticed. `engine-requests.ts` has the schemas that a
 * server loads at its start, `control-log-requests.ts` the schemas for logs and receivers.
 */

export const instantSchema = instantSchemaWithExample("2026-01-31T09:00:00.000Z");

function countPresent(body: object): number {
  return Object.values(body).filter((value) => value !== undefined).length;
}

export const advanceRequestSchema = closedShape(
  "AdvanceRequest",
  {
    description: "How far: exactly one of by, to and until.",
    jsonSchema: exactlyOneOf("by", "to", "until"),
  },
  {
    by: field(z.optional(durationSchema), "By this duration.", { examples: ["30m", "1h30m"] }),
    to: field(z.optional(instantSchema), "To this instant; not in the past."),
    until: field(
      z.optional(z.enum(["next", "idle"])),
      "To the `next` scheduled task, or until nothing is scheduled any more (`idle`).",
    ),
    quiet: field(
      z.optional(durationSchema),
      "Wall time for which the app must have made no call before time passes a moment at which webhooks were sent.",
    ),
    retry: field(
      z.optional(durationSchema),
      "The longest wall time to wait, at the start and after webhooks, for the app's next call after one that a fault made to fail.",
    ),
  },
  z.refine(
    ({ quiet: _quiet, retry: _retry, ...body }) => countPresent(body) === 1,
    "needs exactly one of by, to and until",
  ),
);

export const clockRequestSchema = closedShape(
  "ClockRequest",
  {
    description: "How the clock runs from now on: at least one of these.",
    jsonSchema: { minProperties: 1 },
  },
  {
    mode: field(
      z.optional(clockOptionSchema),
      "`manual` is frozen, `real` runs with wall time, `60x` sixty times as fast.",
      { examples: ["60x"] },
    ),
    speed: field(
      z.optional(z.number().check(z.positive(), z.lte(1_000_000))),
      "How many times as fast as wall time; on its own it makes the clock run. Together with `manual` or `60x` it must agree.",
    ),
    now: field(z.optional(instantSchema), "Jump to this instant first, as an advance does. Not in the past."),
  },
  z.refine((body) => countPresent(body) > 0, "needs at least one of mode, speed and now"),
  z.refine(({ mode, speed }) => speed === undefined || speed === speedOf(mode, speed), {
    error: ({ input }) => `contradicts the mode ${(input as { mode: string }).mode}: leave one of them out`,
    path: ["speed"],
  }),
);

function speedOf(mode: string | undefined, defaultSpeed: number): number {
  if (mode === "manual") return parseClockSetting(mode).speed;
  return mode?.endsWith("x") ? parseClockSetting(mode).speed : defaultSpeed;
}

/** With `wait`, a call waits for the end of a running advance instead of failing. */
export const clockWaitQuerySchema = queryShape({
  wait: field(
    z.optional(waitDurationSchema),
    "If the clock is being advanced, wait up to this long (wall time, at most 10m) instead of returning 409.",
    { examples: ["10s"] },
  ),
});

export const noParametersSchema = queryShape({});

export const scopeQuerySchema = queryShape({
  of: field(
    z.optional(z.enum(["namespace", "server"])),
    "`server`: of every namespace since the start, including those reset or deleted since.",
  ),
});

export const scenarioQuerySchema = queryShape({
  ...fieldsOf(pageQuerySchema),
  ...fieldsOf(scopeQuerySchema),
});

export const chargeAdvanceRequestSchema = closedShape("ChargeAdvanceRequest", "How far along its timeline.", {
  until: field(chargeStatusSchema, "Until it has this status."),
});

export const withdrawalTransitionRequestSchema = closedShape(
  "WithdrawalTransitionRequest",
  "The status to set.",
  { to: field(withdrawalStatusSchema, "The status."), reason: optionalReasonField },
);

export const payRequestSchema = closedShape("PayRequest", "What the customer chooses on the hosted page.", {
  payment_method: field(methodChoiceSchema.shape.payment_method, methodNote("One of the checkout's.")),
  currency: field(
    methodChoiceSchema.shape.currency,
    currencyNote(
      "The payment currency; by default the quote's (with the quote's method), else the checkout's, else the first one the method takes.",
    ),
  ),
  phone_number: field(methodChoiceSchema.shape.phone_number, "Needed for mobile money.", {
    examples: ["+254700000001"],
  }),
  bank_account_number: field(methodChoiceSchema.shape.bank_account_number, "Needed for a bank transfer."),
  to: field(z.optional(z.enum(["COMPLETED", "FAILED"])), "How it ends, at once, whatever its scenario says."),
  reason: optionalReasonField,
});

/** A patch of a fixture at run time; at least one field is required. */
function patchOf<All extends ShapeFields>(name: string, text: string, fields: All) {
  const names = Object.keys(fields);
  return closedShape(
    name,
    { description: text, jsonSchema: { minProperties: 1 } },
    fields,
    refineIfValid((body) => countPresent(body as object) > 0, `needs at least one of ${names.join(", ")}`),
  );
}

export const keyPatchSchema = patchOf("KeyPatch", "The fields of a key to change.", {
  status: field(z.optional(keyStatusSchema), "`revoked`: the key is no longer valid."),
  permission: field(z.optional(keyFixtureSchema.shape.permission), "What it may do."),
});

const { status, verified, enabled_payment_methods } = organizationFixtureSchema.shape;
export const organizationPatchSchema = patchOf(
  "OrganizationPatch",
  "The fields of an organization to change.",
  {
    status: field(z.optional(status), "`deactivated`: calls that need a key get 404."),
    verified: field(z.optional(verified), "Whether it is verified."),
    enabled_payment_methods: field(
      z.optional(enabled_payment_methods.check(entriesAtMost(100))),
      "Ids of the methods it may use from now on.",
    ),
  },
);

export const ratesByCurrencySchema = z.record(z.string(), rateSchema);

export const waitRequestSchema = closedShape("WaitRequest", "What to wait for.", {
  for: field(
    z.enum(["charge", "request", "delivery", "idle"]),
    "`idle` is when nothing is due and no delivery is in flight.",
  ),
  match: field(
    z.optional(recordMatchSchema.check(reportInvalidMatchers, reportCostlyPatterns)),
    "Fields the record must have, at any depth; texts are globs, and `{not}`, `{in}`, `{contains}`, `{exists}`, `{matches}`, `{gt}`, `{gte}`, `{lt}`, `{lte}` are conditions on a value.",
    { examples: [{ customer_email: "ada@*", status: "COMPLETED" }] },
  ),
  count: field(
    z.optional(z.union([z.int().check(z.gte(1)), rangeSchema])),
    "How many must match at least, or bounds for their number (default 1).",
    { examples: [2, { gte: 2, lt: 5 }] },
  ),
  timeout: field(z.optional(waitDurationSchema), "Maximum wall time to wait, up to 10m (default 10s)."),
});

export const namespaceRequestSchema = closedShape(
  "NamespaceRequest",
  "A namespace to create; every field is optional.",
  {
    name: field(z.optional(namespaceNameSchema), "Its name; by default a generated one."),
    seed: field(
      z.optional(z.string().check(z.regex(/^[\s\S]{1,200}$/, "must be 1 to 200 characters"))),
      "The same seed gives the same IDs and random outcomes.",
    ),
    clock: field(z.optional(clockOptionSchema), "How its clock runs: `real`, `manual`, or a speed.", {
      examples: ["manual", "60x"],
    }),
    start_time: field(
      z.optional(instantSchema),
      "The time it starts at; by default the server's start time, or wall time.",
    ),
    api_key: field(
      z.optional(
        z
          .string()
          .check(
            charactersAtMost(MAX_LENGTHS.name),
            z.regex(/^sk_test_[A-Za-z0-9_-]+$/, "must start with sk_test_"),
          ),
      ),
      "Its test key; by default `sk_test_ns_NAME`. The live key is derived from it.",
    ),
    webhook_secret: field(z.optional(anySecretSchema), "What its webhooks are signed with."),
    webhooks: field(
      z.optional(z.array(webhookOptionSchema).check(entriesAtMost(100))),
      "Receivers to register at the start.",
    ),
  },
);

/** Fields stored beside the state, so that another namespace can import the state. */
export const namespaceIdentitySchema = z.pick(namespaceRequestSchema, {
  name: true,
  api_key: true,
  webhook_secret: true,
  clock: true,
});
export type NamespaceIdentity = z.infer<typeof namespaceIdentitySchema>;

export const snapshotNameSchema = fileNameSchema;

export const snapshotRequestSchema = closedShape("SnapshotRequest", "A state to keep.", {
  name: field(snapshotNameSchema, "Its name; an existing one of that name is overwritten."),
});

/** The outline of an exported state; `engine/intake` checks its records on import. */
export const stateDumpSchema = closedShape(
  "StateDump",
  "A whole state, as exported. The format changes between versions: import exactly what an export returned.",
  {
    version: field(z.literal(1), "The version of this format."),
    seq: field(boundedCountSchema, "The last change it holds."),
    at: field(instantMsSchema, "Sandbox time, in milliseconds since 1970."),
    counters: field(z.record(z.string(), boundedCountSchema), "The counters of the next IDs."),
    collections: field(
      z.partialRecord(
        z.enum(COLLECTION_NAMES),
        z.array(z.tuple([z.union([z.string(), z.number()]), z.unknown()])),
      ),
      "Records by collection, each with its key.",
    ),
  },
);

export const snapshotFileSchema = z.strictObject({
  name: z.string(),
  at: instantSchema,
  dump: stateDumpSchema,
});

export const runScenarioRequestSchema = closedShape("ScenarioRunRequest", "What a scenario's steps need.", {
  vars: field(z.optional(z.record(z.string(), z.string())), "Variables, instead of the scenario's own.", {
    examples: [{ email: "qa@shop.test" }],
  }),
  app: field(z.optional(webhookUrlSchema), "The base URL of the app under test, for `app` steps."),
});

export const failedTestRequestSchema = closedShape("FailedTestRequest", "A test that has failed.", {
  test: field(nonEmptyText(MAX_LENGTHS.message), "Its name.", {
    examples: ["shop.test.ts > an order is paid"],
  }),
  charge_ids: field(
    z.optional(z.array(nonEmptyText(MAX_LENGTHS.name)).check(entriesAtMost(1_000))),
    "The charges that it made; default: all of the namespace.",
  ),
});

export const leaseRequestSchema = closedShape("LeaseRequest", "A run that takes a namespace.", {
  hold: field(z.optional(z.boolean()), "Whether the run has the lease and keeps it by this call."),
  with_namespace: field(
    z.optional(z.boolean()),
    "Whether the namespace was created for the run and is deleted with it if the runner disappears.",
  ),
  snapshot: field(
    z.optional(snapshotNameSchema),
    "The snapshot to restore and delete if the runner disappears.",
  ),
});
export type LeaseRequest = z.infer<typeof leaseRequestSchema>;
