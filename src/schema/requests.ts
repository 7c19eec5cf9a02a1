import * as z from "zod/mini";
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
  local_pricing: z.optional(z.record(z.string(), amountSchema)),
});

export const quoteRequestSchema = z.object({
  pricing: pricingSchema,
  payment_method: z.string(),
  to_currency: z.optional(z.string()),
  payment_rail: z.optional(z.string()),
  customer_email: z.optional(emailSchema),
});
export type QuoteBody = z.infer<typeof quoteRequestSchema>;

/** Shortest and longest life of a checkout, in minutes (specification: Limits). */
const EXPIRES_MESSAGE = "must be a whole number between 1 and 1440";
export const expiresInMinutesSchema = z
  .int(EXPIRES_MESSAGE)
  .check(z.gte(1, EXPIRES_MESSAGE), z.lte(1_440, EXPIRES_MESSAGE));

export const whitelabelRequestSchema = z.object({
  pricing: pricingSchema,
  customer_email: emailSchema,
  customer_name: z.optional(z.string()),
  quote_id: z.string(),
  payment_method: z.string(),
  payment_rail: z.optional(z.string()),
  phone_number: z.optional(phoneSchema),
  bank_account_number: z.optional(
    z.string().check(z.minLength(1, "must not be empty"), z.maxLength(64, "must be at most 64 characters")),
  ),
  success_url: z.optional(httpUrlSchema),
  cancel_url: z.optional(httpUrlSchema),
  metadata: z.optional(metadataSchema),
  expires_in_minutes: z.optional(expiresInMinutesSchema),
});
export type WhitelabelBody = z.infer<typeof whitelabelRequestSchema>;

export const PAYIN_LIMIT_MAX = 100;
export const PAYIN_LIMIT_DEFAULT = 50;
const LIMIT_MESSAGE = `must be between 1 and ${PAYIN_LIMIT_MAX}`;
const OFFSET_MESSAGE = "must be non-negative";

/** A whole number in a query string; a coercion would take "", " 1" and "1e1" for one. */
function queryInteger(message: string) {
  return z.string().check(z.regex(/^\d{1,15}$/, message));
}

export const payinQuerySchema = z.object({
  limit: z.optional(
    queryInteger(LIMIT_MESSAGE).check(
      z.refine((text) => Number(text) >= 1 && Number(text) <= PAYIN_LIMIT_MAX, LIMIT_MESSAGE),
    ),
  ),
  offset: z.optional(queryInteger(OFFSET_MESSAGE)),
  status_filter: z.optional(chargeStatusSchema),
});
export type PayinQuery = z.infer<typeof payinQuerySchema>;
