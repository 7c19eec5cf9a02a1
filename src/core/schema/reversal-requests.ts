import * as z from "zod/mini";
import { amountSchema, timestampSchema } from "./common.js";
import { closedShape, field, namedSchema, shape } from "./descriptions.js";
import { REVERSAL_KINDS } from "./event-types.js";
import { MAX_LENGTHS, nonEmptyText } from "./schema-checks.js";

export const reversalKindSchema = namedSchema(
  "ReversalKind",
  "The kind of reversal.",
  z.enum(REVERSAL_KINDS),
);

const reason = field(z.optional(nonEmptyText(MAX_LENGTHS.reason)), "Why, for the webhook.");

export const partialRefundRequestSchema = closedShape("PartialRefundRequest", "A part to give back.", {
  amount: field(amountSchema, "How much to refund; less than what is left.", { examples: ["100.00"] }),
  reason,
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
