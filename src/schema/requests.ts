import * as z from "zod";
import {
  amountSchema,
  chargeStatusSchema,
  emailSchema,
  httpUrlSchema,
  metadataSchema,
  phoneSchema,
} from "./common.js";

/**
 * What the service is asked. Unknown fields are ignored. What depends on the fixtures (known currencies, their
 * decimals, enabled methods) is checked in `domain/requests.ts` and reported together with these.
 */
export const pricingSchema = z.object({
  base_currency: z.string(),
  amount: amountSchema,
  local_pricing: z.record(z.string(), amountSchema).optional(),
});

export const quoteRequestSchema = z.object({
  pricing: pricingSchema,
  payment_method: z.string(),
  to_currency: z.string().optional(),
  payment_rail: z.string().optional(),
  customer_email: emailSchema.optional(),
});
export type QuoteBody = z.infer<typeof quoteRequestSchema>;

/** Longest life of a checkout, in minutes (specification: Limits). */
const EXPIRES_MESSAGE = "must be a whole number between 1 and 1440";

export const expiresInMinutesSchema = z
  .int(EXPIRES_MESSAGE)
  .min(1, EXPIRES_MESSAGE)
  .max(1_440, EXPIRES_MESSAGE);

export const whitelabelRequestSchema = z.object({
  pricing: pricingSchema,
  customer_email: emailSchema,
  customer_name: z.string().optional(),
  quote_id: z.string(),
  payment_method: z.string(),
  payment_rail: z.string().optional(),
  phone_number: phoneSchema.optional(),
  bank_account_number: z
    .string()
    .min(1, "must not be empty")
    .max(64, "must be at most 64 characters")
    .optional(),
  success_url: httpUrlSchema.optional(),
  cancel_url: httpUrlSchema.optional(),
  metadata: metadataSchema.optional(),
  expires_in_minutes: expiresInMinutesSchema.optional(),
});
export type WhitelabelBody = z.infer<typeof whitelabelRequestSchema>;

export const PAYIN_LIMIT_MAX = 100;
export const PAYIN_LIMIT_DEFAULT = 50;
const LIMIT_MESSAGE = `must be between 1 and ${PAYIN_LIMIT_MAX}`;
const OFFSET_MESSAGE = "must be non-negative";

/** A whole number in a query string; z.coerce would take "", " 1" and "1e1" for one. */
function queryInteger(message: string) {
  return z.string().regex(/^\d{1,15}$/, message);
}

export const payinQuerySchema = z.object({
  limit: queryInteger(LIMIT_MESSAGE)
    .refine((text) => Number(text) >= 1 && Number(text) <= PAYIN_LIMIT_MAX, LIMIT_MESSAGE)
    .optional(),
  offset: queryInteger(OFFSET_MESSAGE).optional(),
  status_filter: chargeStatusSchema.optional(),
});
export type PayinQuery = z.infer<typeof payinQuerySchema>;
