import * as z from "zod/mini";
import {
  amountSchema,
  chargeStatusSchema,
  emailSchema,
  httpUrlSchema,
  metadataSchema,
  phoneSchema,
} from "./common.js";
import { eventGlobsSchema } from "./globs.js";
import { atMost, entriesAtMost, LONGEST, minLength } from "./lengths.js";
import { WEBHOOK_URL_MESSAGE, webhookUrl } from "./options.js";

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

const accountNumberSchema = z.string().check(minLength(1, "must not be empty"), atMost(LONGEST.account));

/** Shortest and longest life of a checkout, in minutes (specification: Limits). */
const EXPIRES_MESSAGE = "must be a whole number between 1 and 1440";
export const expiresInMinutesSchema = z
  .int(EXPIRES_MESSAGE)
  .check(z.gte(1, EXPIRES_MESSAGE), z.lte(1_440, EXPIRES_MESSAGE));

export const whitelabelRequestSchema = z.object({
  pricing: pricingSchema,
  customer_email: emailSchema,
  customer_name: z.optional(z.string().check(atMost(LONGEST.name))),
  quote_id: z.string(),
  payment_method: z.string(),
  payment_rail: z.optional(z.string()),
  phone_number: z.optional(phoneSchema),
  bank_account_number: z.optional(accountNumberSchema),
  success_url: z.optional(httpUrlSchema),
  cancel_url: z.optional(httpUrlSchema),
  metadata: z.optional(metadataSchema),
  expires_in_minutes: z.optional(expiresInMinutesSchema),
});
export type WhitelabelBody = z.infer<typeof whitelabelRequestSchema>;

/** Standard checkout (specification: Checkout; contract section 2: standard checkout). */
export const checkoutRequestSchema = z.object({
  pricing: pricingSchema,
  customer_email: z.optional(emailSchema),
  customer_name: z.optional(z.string().check(atMost(LONGEST.name))),
  quote_id: z.optional(z.string()),
  payment_methods: z.optional(
    z.array(z.string()).check(minLength(1, "must name at least one method"), entriesAtMost(100)),
  ),
  success_url: z.optional(httpUrlSchema),
  cancel_url: z.optional(httpUrlSchema),
  metadata: z.optional(metadataSchema),
  expires_in_minutes: z.optional(expiresInMinutesSchema),
});
export type CheckoutBody = z.infer<typeof checkoutRequestSchema>;

/** What a customer says on the hosted page, and `…/checkouts/{id}/pay` for them. */
export const methodChoiceSchema = z.object({
  payment_method: z.string(),
  currency: z.optional(z.string()),
  phone_number: z.optional(phoneSchema),
  bank_account_number: z.optional(accountNumberSchema),
});
export type MethodChoice = z.infer<typeof methodChoiceSchema>;

const requiredTextSchema = z.string().check(minLength(1, "must not be empty"), atMost(LONGEST.name));
const countrySchema = z.string().check(z.regex(/^[A-Z]{2}$/, "must be a two-letter country code"));

/** Payout destination (contract section 2). Which fields a type needs is checked with the fixtures. */
export const destinationRequestSchema = z.object({
  type: z.enum(["bank_account", "mobile_money", "crypto_wallet"]),
  currency: z.string(),
  country: z.optional(countrySchema),
  bank_code: z.optional(requiredTextSchema),
  account_number: z.optional(requiredTextSchema),
  account_name: z.optional(requiredTextSchema),
  phone_number: z.optional(phoneSchema),
  provider: z.optional(requiredTextSchema),
  wallet_address: z.optional(requiredTextSchema),
  network: z.optional(requiredTextSchema),
});
export type DestinationBody = z.infer<typeof destinationRequestSchema>;

export const withdrawalRequestSchema = z.object({
  destination_id: z.string(),
  amount: amountSchema,
  currency: z.string(),
  reference: z.optional(requiredTextSchema),
  metadata: z.optional(metadataSchema),
});
export type WithdrawalBody = z.infer<typeof withdrawalRequestSchema>;

/** The service itself takes absolute URLs only; the rest of the rule is that of the start options. */
const receiverUrlSchema = httpUrlSchema.check(
  z.refine((text) => webhookUrl(text) !== undefined, WEBHOOK_URL_MESSAGE),
);

export const webhookRequestSchema = z.object({
  url: receiverUrlSchema,
  events: z.optional(eventGlobsSchema),
});
export const webhookPatchSchema = z.object({
  url: z.optional(receiverUrlSchema),
  events: z.optional(eventGlobsSchema),
  enabled: z.optional(z.boolean()),
});

export const PAYIN_LIMIT_MAX = 100;
export const PAYIN_LIMIT_DEFAULT = 50;
const LIMIT_MESSAGE = `must be between 1 and ${PAYIN_LIMIT_MAX}`;
const OFFSET_MESSAGE = "must be non-negative";

/** A whole number in a query string; a coercion would take "", " 1" and "1e1" for one. */
function queryInteger(message: string) {
  return z.string().check(z.regex(/^\d+$/, message));
}

const pageQuery = {
  limit: z.optional(
    queryInteger(LIMIT_MESSAGE).check(
      z.refine((text) => Number(text) >= 1 && Number(text) <= PAYIN_LIMIT_MAX, LIMIT_MESSAGE),
    ),
  ),
  offset: z.optional(queryInteger(OFFSET_MESSAGE)),
};
export const pageQuerySchema = z.object(pageQuery);

export const payinQuerySchema = z.object({
  ...pageQuery,
  status_filter: z.optional(chargeStatusSchema),
});
export type PayinQuery = z.infer<typeof payinQuerySchema>;

export const railQuerySchema = z.object({
  payment_method: z.optional(z.string()),
  currency: z.optional(z.string()),
});
