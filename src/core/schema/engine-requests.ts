import * as z from "zod/mini";
import { amountSchema, chargeStatusSchema, modeSchema, timestampSchema } from "./common.js";
import { closedShape, currencyNote, field, namedSchema, shape } from "./descriptions.js";
import { REVERSAL_KINDS } from "./event-types.js";
import { MAX_LENGTHS, nonEmptyText } from "./schema-checks.js";

// Request bodies used by the engine and the library. A separate file, so a server start skips `control-requests.ts`.

export const resetRequestSchema = closedShape("ResetRequest", "How to go back to the start.", {
  keep: field(
    z.optional(z.array(z.enum(["webhooks", "keys", "scenarios"]))),
    "What to keep; by default webhooks and keys.",
  ),
  ids: field(
    z.optional(z.enum(["repeat"])),
    "`repeat` issues the same IDs again, byte for byte; by default they continue, so that no ID is used twice.",
  ),
});

export type ResetRequest = z.infer<typeof resetRequestSchema>;

export const reasonSchema = nonEmptyText(MAX_LENGTHS.reason);
export const optionalReasonField = field(z.optional(reasonSchema), "Why, for its history and the webhook.");

export const transitionRequestSchema = closedShape("TransitionRequest", "The status to set.", {
  to: field(chargeStatusSchema, "The status."),
  reason: field(optionalReasonField.schema, "Why, for its history and the webhook.", {
    examples: ["declined_by_operator"],
  }),
});

export const payAmountRequestSchema = closedShape("PayAmountRequest", "What the customer paid.", {
  amount: field(amountSchema, "In the charge's currency, above 0.", { examples: ["19.99"] }),
});

export const fundRequestSchema = closedShape("FundRequest", "Money for the namespace's organization.", {
  currency: field(z.string(), currencyNote("The balance's.")),
  amount: field(amountSchema, "How much, as a decimal string.", { examples: ["5000.00"] }),
  mode: field(z.optional(modeSchema), "By default the key's mode, else test."),
});
export type FundRequest = z.infer<typeof fundRequestSchema>;

const reversalKindSchema = namedSchema("ReversalKind", "The kind of reversal.", z.enum(REVERSAL_KINDS));

const reason = field(z.optional(nonEmptyText(MAX_LENGTHS.reason)), "Why, for the webhook.");

export const partialRefundRequestSchema = closedShape("PartialRefundRequest", "A part to give back.", {
  amount: field(amountSchema, "How much to refund; less than what is left.", { examples: ["100.00"] }),
  reason,
});

export const refundRequestSchema = closedShape("RefundRequest", "A refund.", {
  amount: field(z.optional(amountSchema), "A part only (extension); by default all that is left.", {
    examples: ["100.00"],
  }),
  reason: optionalReasonField,
});

export const reversalRequestSchema = closedShape("ReversalRequest", "Why it is taken back.", { reason });

export const reversalSchema = shape("Reversal", "A reversal of a payment or payout.", {
  kind: field(reversalKindSchema, "Its kind."),
  entry_id: field(z.string(), "The ledger entry."),
  object_id: field(z.string(), "The charge or withdrawal."),
  amount: field(z.string(), "The amount returned.", { examples: ["100.00"] }),
  currency: field(z.string(), "The currency of the amount."),
  reason: field(z.nullable(z.string()), "Why."),
  at: field(timestampSchema, "When."),
});
