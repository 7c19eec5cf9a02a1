import * as z from "zod/mini";
import { chargeStatusSchema, withdrawalStatusSchema } from "./common.js";
import { durationSchema } from "./duration.js";
import { globSchema } from "./globs.js";
import { atMost, entriesAtMost, LONGEST, minLength } from "./lengths.js";

/**
 * The scenario file: what happens to charges and withdrawals, what goes wrong with webhooks and at the API.
 * Strings in a `match` are globs; amounts may be compared.
 */

/** A decimal to compare with, possibly a `${variable}` until the file's variables are filled in. */
const boundSchema = z
  .string()
  .check(
    atMost(LONGEST.glob),
    z.regex(/^(\d+(\.\d+)?|[^$]*(\$(?!\{)[^$]*)*\$\{[^}]*\}.*)$/, "must be a decimal string"),
  );
const amountMatchSchema = z.union([
  globSchema,
  z
    .strictObject({
      gt: z.optional(boundSchema),
      gte: z.optional(boundSchema),
      lt: z.optional(boundSchema),
      lte: z.optional(boundSchema),
    })
    .check(z.refine((bounds) => Object.keys(bounds).length > 0, "needs at least one of gt, gte, lt, lte")),
]);
export type AmountMatch = z.infer<typeof amountMatchSchema>;

const commonMatch = {
  mode: z.optional(globSchema),
  organization_id: z.optional(globSchema),
  currency: z.optional(globSchema),
  amount: z.optional(amountMatchSchema),
  metadata: z.optional(z.record(z.string(), globSchema)),
};

export const chargeMatchSchema = z.strictObject({
  ...commonMatch,
  charge_id: z.optional(globSchema),
  customer_email: z.optional(globSchema),
  customer_name: z.optional(globSchema),
  payment_method: z.optional(globSchema),
  payment_rail: z.optional(globSchema),
  phone_number: z.optional(globSchema),
  bank_account_number: z.optional(globSchema),
  base_currency: z.optional(globSchema),
  base_amount: z.optional(amountMatchSchema),
});
export type ChargeMatch = z.infer<typeof chargeMatchSchema>;

export const withdrawalMatchSchema = z.strictObject({
  ...commonMatch,
  withdrawal_id: z.optional(globSchema),
  destination_id: z.optional(globSchema),
  reference: z.optional(globSchema),
  type: z.optional(globSchema),
  account_number: z.optional(globSchema),
  phone_number: z.optional(globSchema),
  wallet_address: z.optional(globSchema),
});
export type WithdrawalMatch = z.infer<typeof withdrawalMatchSchema>;

const reasonSchema = z.optional(z.string().check(minLength(1, "must not be empty"), atMost(LONGEST.reason)));

export const chargeEntrySchema = z.union([
  z.strictObject({ after: durationSchema, to: chargeStatusSchema, reason: reasonSchema }),
  z.strictObject({ after_expiry: durationSchema, to: chargeStatusSchema, reason: reasonSchema }),
]);
export type ChargeEntry = z.infer<typeof chargeEntrySchema>;

export const withdrawalEntrySchema = z.strictObject({
  after: durationSchema,
  to: withdrawalStatusSchema,
  reason: reasonSchema,
});
export type WithdrawalEntry = z.infer<typeof withdrawalEntrySchema>;

export const chargeRuleSchema = z.strictObject({
  match: z.optional(chargeMatchSchema),
  timeline: z.array(chargeEntrySchema).check(entriesAtMost(1000)),
});
export type ChargeRule = z.infer<typeof chargeRuleSchema>;

export const withdrawalRuleSchema = z.strictObject({
  match: z.optional(withdrawalMatchSchema),
  timeline: z.array(withdrawalEntrySchema).check(entriesAtMost(1000)),
});
export type WithdrawalRule = z.infer<typeof withdrawalRuleSchema>;

/** What goes wrong on the way out; times are sandbox time. First match wins. */
export const webhookRuleSchema = z.strictObject({
  match: z.optional(
    z.strictObject({
      ...chargeMatchSchema.shape,
      ...withdrawalMatchSchema.shape,
      /** The event's type; `type` of a withdrawal's destination is not matched here. */
      type: z.optional(globSchema),
      url: z.optional(globSchema),
    }),
  ),
  /** How often it is sent in all. */
  copies: z.optional(z.int().check(z.gte(1), z.lte(100))),
  delay: z.optional(durationSchema),
  drop: z.optional(z.boolean()),
  /** It goes after the object's next event. */
  swap: z.optional(z.boolean()),
  bad_signature: z.optional(z.boolean()),
  /** The signature's timestamp is so old. */
  stale: z.optional(durationSchema),
  /** So many attempts fail before one is really made. */
  fail_first: z.optional(z.int().check(z.gte(0), z.lte(100))),
});
export type WebhookRule = z.infer<typeof webhookRuleSchema>;

/** Headers that belong to the connection or say where the answer ends: those are the server's to write. */
const SERVERS_OWN_HEADERS = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What keeps a header from being sent as it is. */
function headerFault(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/.test(name)) return "is no name of a header";
  if (SERVERS_OWN_HEADERS.has(name.toLowerCase())) return "is the server's to write";
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

/** What goes wrong at the API. An exhausted rule is passed over; the first that is left and matches applies. */
export const faultRuleSchema = z
  .strictObject({
    match: z.optional(
      z.strictObject({
        ...chargeMatchSchema.shape,
        ...withdrawalMatchSchema.shape,
        operation: z.optional(globSchema),
        method: z.optional(globSchema),
        path: z.optional(globSchema),
      }),
    ),
    respond: z.optional(
      z.strictObject({
        status: z.int().check(z.gte(400, "must be 400 to 599"), z.lte(599, "must be 400 to 599")),
        code: z.optional(z.string().check(minLength(1, "must not be empty"), atMost(LONGEST.name))),
        message: z.optional(z.string().check(atMost(LONGEST.message))),
        details: z.optional(z.record(z.string(), z.string())),
        headers: z.optional(answerHeadersSchema),
      }),
    ),
    /** Wall time the answer takes longer. */
    delay: z.optional(durationSchema),
    /** Cut the connection: before the work is done, or after. */
    drop: z.optional(z.enum(["before", "after"])),
    times: z.optional(z.int().check(z.gte(1))),
    skip: z.optional(z.int().check(z.gte(0))),
    probability: z.optional(z.number().check(z.gte(0), z.lte(1))),
  })
  .check(
    z.refine(
      (rule) => rule.respond !== undefined || rule.delay !== undefined || rule.drop !== undefined,
      "needs respond, delay or drop",
    ),
  );
export type FaultRule = z.infer<typeof faultRuleSchema>;

/** The rules of a scenario: what an engine acts on. */
export const scenarioSchema = z.strictObject({
  name: z
    .string()
    .check(
      z.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/, "must be letters, digits, dots, dashes and underscores"),
    ),
  description: z.optional(z.string().check(atMost(LONGEST.message))),
  charges: z.optional(z.array(chargeRuleSchema)),
  withdrawals: z.optional(z.array(withdrawalRuleSchema)),
  webhooks: z.optional(z.array(webhookRuleSchema)),
  faults: z.optional(z.array(faultRuleSchema)),
  /** The whole as a person wrote it, when it has steps: what a run carries out, with variables of its own. */
  source: z.optional(z.record(z.string(), z.unknown())),
});
export type Scenario = z.infer<typeof scenarioSchema>;
