import * as z from "zod/mini";
import { chargeStatusSchema, withdrawalStatusSchema } from "./common.js";
import { atLeastOneOf, closedShape, field, fieldsOf, namedSchema } from "./descriptions.js";
import { amountMatchSchema, reportCostlyPatterns, textMatchSchema, valueMatchSchema } from "./matchers.js";
import { withNameKind } from "./name-kinds.js";
import { OPERATION_IDS, type OperationId, STALE_READS } from "./operation-ids.js";
import { fileNameSchema } from "./option-schemas.js";
import { charactersAtMost, entriesAtMost, MAX_LENGTHS, nonEmptyText } from "./schema-checks.js";
import { durationOrWordMessage, durationSchema } from "./time.js";

/**
 * Rules of a scenario: outcomes of charges and withdrawals, mishaps of webhooks, faults of API calls. The engine
 * applies them; `scenario-file.ts` adds steps, variables and includes. `matchers.ts` has the conditions of `match`.
 */

const text = z.optional(textMatchSchema);
const amount = z.optional(amountMatchSchema);
const commonMatch = {
  mode: field(text, "Test or live."),
  organization_id: field(text, "The organization that owns it."),
  currency: field(text, "Currency paid in."),
  amount: field(amount, "The amount, or bounds for it."),
  metadata: field(z.optional(z.record(z.string(), valueMatchSchema)), "Keys and what they must be."),
};
const MATCH = "All of these must match: a glob, a list of globs of which one matches, or a matcher.";

export const chargeMatchSchema = closedShape("ChargeMatch", MATCH, {
  ...commonMatch,
  charge_id: field(text, "The charge."),
  customer_email: field(text, "Who pays."),
  customer_name: field(text, "The customer's name."),
  payment_method: field(text, "The method."),
  payment_rail: field(text, "The rail."),
  phone_number: field(text, "The customer's phone."),
  bank_account_number: field(text, "The customer's bank account."),
  base_currency: field(text, "The currency of the price."),
  base_amount: field(amount, "The price, or bounds for it."),
});
export type ChargeMatch = z.infer<typeof chargeMatchSchema>;

export const withdrawalMatchSchema = closedShape("WithdrawalMatch", MATCH, {
  ...commonMatch,
  withdrawal_id: field(text, "The withdrawal."),
  destination_id: field(text, "Where it goes."),
  reference: field(text, "The app's own reference."),
  type: field(text, "The type of its destination."),
  account_number: field(text, "The destination's account."),
  phone_number: field(text, "The destination's phone."),
  wallet_address: field(text, "The destination's wallet."),
});
export type WithdrawalMatch = z.infer<typeof withdrawalMatchSchema>;

const reason = z.optional(nonEmptyText(MAX_LENGTHS.reason));

export const chargeTimelineEntrySchema = namedSchema(
  "ChargeEntry",
  "A status the charge will take. `after` counts from the previous entry, `after_expiry` from the moment it expired.",
  z.union([
    z.strictObject({ after: durationSchema, to: chargeStatusSchema, reason }),
    z.strictObject({ after_expiry: durationSchema, to: chargeStatusSchema, reason }),
  ]),
);
export type ChargeTimelineEntry = z.infer<typeof chargeTimelineEntrySchema>;

export const withdrawalTimelineEntrySchema = closedShape(
  "WithdrawalEntry",
  "A status the withdrawal will take.",
  {
    after: field(durationSchema, "Counted from the previous entry."),
    to: field(withdrawalStatusSchema, "The status."),
    reason: field(reason, "Why."),
  },
);
export type WithdrawalTimelineEntry = z.infer<typeof withdrawalTimelineEntrySchema>;

const WHICH = "Which ones; by default all.";
const likelihoodSchema = z.optional(z.number().check(z.gte(0), z.lte(1)));
const probability = field(
  likelihoodSchema,
  "The probability that the rule applies, drawn from the seed for each object; otherwise the next rule is tried.",
);

const paidSchema = closedShape(
  "PaidMoney",
  "The customer pays something else than the amount: an extension of the sandbox.",
  {
    amount: field(
      z.optional(z.string().check(z.regex(/^\d{1,20}(\.\d{1,8})?$/, 'must be an amount such as "12.50"'))),
      "The amount that is paid.",
    ),
    factor: field(
      z.optional(z.number().check(z.gt(0, "must be more than 0"), z.lte(1000, "must be at most 1000"))),
      "Or the charge's amount times this.",
    ),
    currency: field(
      z.optional(withNameKind("currency", z.string())),
      "The currency that is paid; by default the charge's.",
    ),
  },
  z.refine(
    ({ amount, factor, currency }) =>
      (amount === undefined || factor === undefined) && (amount ?? factor ?? currency) !== undefined,
    "needs amount or factor, currency, or one of the first two with currency",
  ),
);

export const chargeRuleSchema = closedShape("ChargeRule", "How some charges behave.", {
  match: field(z.optional(chargeMatchSchema), WHICH),
  probability,
  timeline: field(
    z.array(chargeTimelineEntrySchema).check(entriesAtMost(1000)),
    "The statuses they will take, in order.",
  ),
  paid: field(
    z.optional(paidSchema),
    "What the customer pays, if that is not the amount: the charge carries it as `amount_paid` and `currency_paid` once it is paid.",
  ),
  settles_after: field(
    z.optional(durationSchema),
    "How long after its payment the charge settles; by default the currency's settlement delay.",
  ),
});
export type ChargeRule = z.infer<typeof chargeRuleSchema>;

export const withdrawalRuleSchema = closedShape("WithdrawalRule", "How some withdrawals behave.", {
  match: field(z.optional(withdrawalMatchSchema), WHICH),
  probability,
  timeline: field(
    z.array(withdrawalTimelineEntrySchema).check(entriesAtMost(1000)),
    "The statuses they will take, in order.",
  ),
});

const anyMatch = {
  ...fieldsOf(chargeMatchSchema),
  ...fieldsOf(withdrawalMatchSchema),
  phone_number: field(text, "The customer's or the destination's phone."),
};
/** `type` is the event type here, not the destination type as in `anyMatch`. */
const webhookMatchSchema = closedShape("WebhookMatch", MATCH, {
  ...anyMatch,
  type: field(withNameKind("event type", text), "The type of the event."),
  url: field(text, "The receiver's URL."),
});
const faultMatchSchema = closedShape("FaultMatch", MATCH, {
  ...anyMatch,
  operation: field(text, "The operation ID."),
  method: field(withNameKind("HTTP method", text), "The HTTP method."),
  path: field(withNameKind("path", text), "The path, without the query."),
});

/** Failure of a receiver that is down: connection refused, timeout, or an error status. */
export const downAnswerSchema = z.union(
  [z.enum(["refused", "timeout"]), z.int().check(z.gte(400), z.lte(599))],
  "must be refused, timeout or a status of 400 to 599",
);
const downSchema = z.union([
  durationSchema,
  closedShape("Downtime", "When a receiver is down, counted from when the scenario started to apply.", {
    from: field(z.optional(durationSchema), "How long until it goes down; by default at once."),
    for: field(durationSchema, "How long it is down."),
    answer: field(z.optional(downAnswerSchema), "How attempts fail meanwhile; by default `refused`."),
  }),
]);

export const webhookRuleSchema = closedShape(
  "WebhookRule",
  "What goes wrong with some webhooks; durations are sandbox time.",
  {
    match: field(z.optional(webhookMatchSchema), `${WHICH} Texts are globs.`),
    copies: field(z.optional(z.int().check(z.gte(1), z.lte(100))), "How often each event is sent in total."),
    at_once: field(
      z.optional(z.boolean()),
      "The copies are sent at the same moment, before the first response.",
    ),
    ids: field(
      z.optional(z.enum(["same", "new"])),
      "Whether the copies have the event's ID (the default) or a new one each.",
    ),
    again_after: field(
      z.optional(durationSchema),
      "How much later the same event is sent again, with the same ID.",
    ),
    response_lost: field(
      z.optional(z.boolean()),
      "The receiver does its work, but its response to the first attempt is lost on the way back: a failed attempt, which is retried.",
    ),
    delay: field(z.optional(durationSchema), "How much later it is sent."),
    drop: field(z.optional(z.boolean()), "It is not sent."),
    swap: field(z.optional(z.boolean()), "It is sent after the object's next event."),
    bad_signature: field(z.optional(z.boolean()), "It is signed with a wrong secret."),
    forged: field(
      z.optional(z.boolean()),
      "Also sends a forged event once, with its own ID and a wrong secret: the charge is COMPLETED, or the withdrawal FAILED.",
    ),
    stale: field(z.optional(durationSchema), "The age of the signature's timestamp."),
    fail_first: field(
      z.optional(z.int().check(z.gte(0), z.lte(100))),
      "How many attempts fail without being sent.",
    ),
    down: field(
      z.optional(downSchema),
      "How long the receiver is down: attempts in that time fail and are retried as usual.",
    ),
    attempt: field(
      z.optional(z.int().check(z.gte(2), z.lte(100))),
      "Applies to a retry only: 2 is the first retry. With `delay`, `copies` or `response_lost`. Rules without this field apply to the first attempt.",
    ),
    times: field(
      z.optional(z.int().check(z.gte(1))),
      "How many matching events it applies to before it is used up.",
    ),
    skip: field(z.optional(z.int().check(z.gte(0))), "How many matching events to skip first."),
  },
);
export type WebhookRule = z.infer<typeof webhookRuleSchema>;

/** Headers of the connection and of message framing; the server sets them. */
const RESERVED_HEADERS = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function headerFault(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/.test(name)) return "is not a valid header name";
  if (RESERVED_HEADERS.has(name.toLowerCase())) return "is set by the server";
  return /^[\t -~\u0080-\u00ff]{0,4096}$/.test(value)
    ? undefined
    : "must be at most 4096 characters of Latin-1, on one line";
}

const answerHeadersSchema = z.record(z.string(), z.string()).check(({ value, issues }) => {
  for (const [name, text] of Object.entries(value)) {
    const message = headerFault(name, text);
    if (message !== undefined) issues.push({ code: "custom", input: text, path: [name], message });
  }
});

const respondSchema = closedShape(undefined, "", {
  status: field(
    z.int().check(z.gte(400, "must be 400 to 599"), z.lte(599, "must be 400 to 599")),
    "The HTTP status.",
  ),
  code: field(z.optional(nonEmptyText(MAX_LENGTHS.name)), "The error code; by default the status's."),
  message: field(
    z.optional(z.string().check(charactersAtMost(MAX_LENGTHS.message))),
    "The error message; by default one for the status.",
  ),
  details: field(z.optional(z.record(z.string(), z.string())), "What is wrong with each field."),
  headers: field(z.optional(answerHeadersSchema), "More headers of the response."),
});

const FAULT_EFFECTS = ["respond", "delay", "delay_answer", "hold", "stale", "drop"] as const;

const HOLD_ENDS = ["webhook", "idle"] as const;
const LAST_CHANGE = "last_change";

export const faultRuleSchema = closedShape(
  "FaultRule",
  {
    description: "A fault of the API; at least one of respond, delay, delay_answer, hold, stale and drop.",
    jsonSchema: atLeastOneOf(...FAULT_EFFECTS),
  },
  {
    match: field(
      z.optional(faultMatchSchema),
      "Which calls; by default all. `operation`, `method` and `path` are globs, and so are fields of the body. An `operation` that matches no operation ID is rejected.",
    ),
    respond: field(z.optional(respondSchema), "The response to return instead of the service's own."),
    delay: field(z.optional(durationSchema), "Wall time that passes before the work is done."),
    delay_answer: field(z.optional(durationSchema), "Wall time that passes after the work is done."),
    hold: field(
      z.optional(
        z.union([z.enum(HOLD_ENDS), durationSchema], {
          error: ({ input }) => durationOrWordMessage(input, HOLD_ENDS),
        }),
      ),
      "The work is done, but the response waits: until the object's next webhook has its response, until nothing more is due for the object, or this long in wall time; at most `hold_limit`.",
    ),
    at_most: field(
      z.optional(durationSchema),
      "The longest time that `hold` keeps the response back, in wall time.",
    ),
    stale: field(
      z.optional(
        z.union([z.literal(LAST_CHANGE), durationSchema], {
          error: ({ input }) => durationOrWordMessage(input, [LAST_CHANGE]),
        }),
      ),
      "Only reads and lists of charges, withdrawals and destinations: they return the state of this long ago, in sandbox time; or each object as it was before its last change, with none missing.",
    ),
    drop: field(
      z.optional(z.enum(["before", "after", "hang"])),
      "Drops the connection before or after the work; or does the work and never responds, until the client disconnects or `hold_limit` is over.",
    ),
    times: field(
      z.optional(z.int().check(z.gte(1))),
      "How many calls it applies to before it is used up, counted as `per` says.",
    ),
    skip: field(z.optional(z.int().check(z.gte(0))), "How many calls to skip first, counted like `times`."),
    per: field(
      z.optional(z.enum(["charge", "customer", "request"])),
      "What `times` and `skip` count: the calls of each customer (the default; calls that name no customer count together), of each charge or withdrawal (a call that makes one: of each order, by customer, price and metadata), or all calls.",
    ),
    probability: field(likelihoodSchema, "The probability each time, drawn from the seed."),
  },
  z.refine(
    (rule) => FAULT_EFFECTS.some((effect) => rule[effect] !== undefined),
    "needs respond, delay, delay_answer, hold, stale or drop",
  ),
  z.refine(
    ({ stale, match: { operation = "*" } = {} }) =>
      stale === undefined ||
      [operation].flat().some((id) => !OPERATION_IDS.includes(id as OperationId) || STALE_READS.includes(id)),
    { error: `goes with one of: ${STALE_READS.join(", ")}`, path: ["stale"] },
  ),
);
export type FaultRule = z.infer<typeof faultRuleSchema>;

export const scenarioSchema = closedShape(undefined, "", {
  name: field(fileNameSchema, "The name to request it by."),
  description: field(
    z.optional(z.string().check(charactersAtMost(MAX_LENGTHS.message))),
    "What it shows, in a sentence.",
  ),
  kind: field(
    z.optional(z.enum(["mishap", "outcome"])),
    "A good app survives a mishap; an outcome is how a payment ends. By default a scenario with `webhooks` or `faults` is a mishap.",
  ),
  charges: field(
    z.optional(z.array(chargeRuleSchema).check(reportCostlyPatterns)),
    "How charges behave; the first matching rule applies.",
  ),
  withdrawals: field(
    z.optional(z.array(withdrawalRuleSchema).check(reportCostlyPatterns)),
    "How withdrawals behave; the first matching rule applies.",
  ),
  webhooks: field(
    z.optional(z.array(webhookRuleSchema).check(reportCostlyPatterns)),
    "What goes wrong with outgoing webhooks; the first matching rule applies.",
  ),
  faults: field(
    z.optional(z.array(faultRuleSchema).check(reportCostlyPatterns)),
    "What goes wrong at the API; the first matching rule that is not used up applies.",
  ),
  source: field(
    z.optional(z.record(z.string(), z.unknown())),
    "The whole scenario as it was written, if it has steps.",
  ),
});
export type Scenario = z.infer<typeof scenarioSchema>;

type KindFields = Pick<Scenario, "kind" | "webhooks" | "faults">;

export function isMishapScenario({ kind, webhooks, faults }: KindFields): boolean {
  return (kind ?? (webhooks || faults ? "mishap" : "outcome")) === "mishap";
}
