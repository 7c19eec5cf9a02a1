import * as z from "zod/mini";
import {
  chargeStatusSchema,
  httpUrlSchema,
  metadataSchema,
  modeSchema,
  timestampSchema,
  withdrawalStatusSchema,
} from "./common.js";

/**
 * What the service answers. Nothing is parsed with these while it runs: the OpenAPI document is made of them, and
 * the test suite holds every answer against that document. Objects are open, for a service may add fields.
 */

/** An amount as the service writes it: plain decimals, padded to its currency's, of any size. */
export const moneySchema = z.string().check(z.regex(/^\d+(\.\d+)?$/));
/** The quotient of two rates, to 12 significant digits, without an exponent. */
export const exchangeRateSchema = z.string().check(z.regex(/^\d+(\.\d+)?$/));
/** Currency code: upper case, a network after an underscore where an asset has several. */
export const currencyCodeSchema = z.string().check(z.regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)?$/));

/** Payment method (specification: Payment method). */
export const paymentMethodSchema = z.object({
  id: z.string(),
  display_name: z.string(),
  icon: z.string(),
  description: z.string(),
  type: z.enum(["fiat", "crypto"]),
  enabled_by_default: z.boolean(),
  currencies: z.array(currencyCodeSchema),
});
export const paymentMethodListSchema = z.object({ payment_methods: z.array(paymentMethodSchema) });

/** Codes apart by kind (specification: GET supported-currencies; contract section 2: payout currencies). */
export const currencyCodesSchema = z.object({
  fiat: z.array(currencyCodeSchema),
  crypto: z.array(currencyCodeSchema),
});

/** Payment rail (contract section 2: rails). */
export const paymentRailSchema = z.object({
  id: z.string(),
  display_name: z.string(),
  payment_method: z.string(),
  currency: currencyCodeSchema,
  country: z.nullable(z.string()),
  min_amount: moneySchema,
  max_amount: z.nullable(moneySchema),
});
export const paymentRailListSchema = z.object({ payment_rails: z.array(paymentRailSchema) });

/** Fees of a quote or a charge (specification: Quote). */
export const feeBreakdownSchema = z.object({ platform_fee: moneySchema, gateway_fee: moneySchema });
export const feesSchema = z.object({ total_fee: moneySchema, fee_breakdown: feeBreakdownSchema });

/** Quote (specification: Quote; contract section 2). The last two are there for crypto only. */
export const quoteSchema = z.object({
  quote_id: z.string(),
  payment_method: z.string(),
  payment_rail: z.nullable(z.string()),
  base_currency: currencyCodeSchema,
  base_amount: moneySchema,
  amount: moneySchema,
  currency: currencyCodeSchema,
  exchange_rate: exchangeRateSchema,
  fees: feesSchema,
  settlement_amount: moneySchema,
  expires_at: timestampSchema,
  locked_until: timestampSchema,
  created_at: timestampSchema,
  wallet_address: z.optional(z.string()),
  network: z.optional(z.string()),
});

/** Payment instructions (specification: Payment instructions); the card's are assumed. */
export const bankTransferInstructionsSchema = z.object({
  type: z.literal("bank_transfer"),
  bank_name: z.string(),
  account_number: z.string(),
  account_name: z.string(),
  reference: z.string(),
  instructions: z.string(),
});
export const mobileMoneyInstructionsSchema = z.object({
  type: z.literal("mobile_money"),
  provider: z.string(),
  phone_number: z.string(),
  reference: z.string(),
  instructions: z.string(),
});
export const cryptoInstructionsSchema = z.object({
  type: z.literal("crypto"),
  network: z.string(),
  wallet_address: z.string(),
  amount: moneySchema,
  currency: z.string(),
  reference: z.string(),
  instructions: z.string(),
});
export const cardInstructionsSchema = z.object({
  type: z.literal("card"),
  reference: z.string(),
  instructions: z.string(),
});
export const paymentInstructionsSchema = z.discriminatedUnion("type", [
  bankTransferInstructionsSchema,
  mobileMoneyInstructionsSchema,
  cryptoInstructionsSchema,
  cardInstructionsSchema,
]);

/** Whitelabel checkout result (specification). */
export const whitelabelResultSchema = z.object({
  checkout_id: z.string(),
  charge_id: z.string(),
  status: chargeStatusSchema,
  amount: moneySchema,
  currency: currencyCodeSchema,
  payment_method: z.string(),
  payment_provider: z.nullable(z.string()),
  provider_reference: z.string(),
  payment_instructions: paymentInstructionsSchema,
  expires_at: timestampSchema,
  created_at: timestampSchema,
});

/** Standard checkout (specification: Checkout; contract section 2: standard checkout). */
export const checkoutSchema = z.object({
  checkout_id: z.string(),
  checkout_url: httpUrlSchema,
  charge_id: z.string(),
  status: chargeStatusSchema,
  amount: moneySchema,
  currency: currencyCodeSchema,
  payment_methods: z.array(z.string()),
  metadata: metadataSchema,
  expires_at: timestampSchema,
  created_at: timestampSchema,
});

/** Payin summary (specification). */
export const payinSummarySchema = z.object({
  charge_id: z.string(),
  checkout_id: z.string(),
  organization_id: z.string(),
  amount: moneySchema,
  currency: currencyCodeSchema,
  status: chargeStatusSchema,
  payment_provider: z.nullable(z.string()),
  provider_reference: z.string(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
/** How many records a list holds in all; `items` is one page of them. */
const totalSchema = z.int().check(z.gte(0));
export const payinListSchema = z.object({ total: totalSchema, items: z.array(payinSummarySchema) });

export const statusChangeSchema = z.object({
  status: chargeStatusSchema,
  at: timestampSchema,
  reason: z.optional(z.string()),
});

/** Charge detail (specification; contract section 2). What has no price yet has null for it. */
export const chargeDetailSchema = z.object({
  ...payinSummarySchema.shape,
  payment_method: z.nullable(z.string()),
  payment_rail: z.nullable(z.string()),
  customer_email: z.nullable(z.string()),
  customer_name: z.nullable(z.string()),
  metadata: metadataSchema,
  fees: z.nullable(feesSchema),
  exchange_rate: z.nullable(exchangeRateSchema),
  settlement_amount: z.nullable(moneySchema),
  settled_at: z.nullable(timestampSchema),
  failure_reason: z.nullable(z.string()),
  payment_instructions: z.nullable(paymentInstructionsSchema),
  expires_at: timestampSchema,
  status_history: z.array(statusChangeSchema),
});

/** Balances (specification: Balance, GET balances). */
export const balanceSchema = z.object({
  currency: currencyCodeSchema,
  available_balance: moneySchema,
  pending_balance: moneySchema,
});
export const balancesSchema = z.object({
  success: z.literal(true),
  account_id: z.string(),
  balances: z.array(balanceSchema),
  total_balance_usd: moneySchema,
});

/** Organization record (specification: Organization; contract section 2). */
export const organizationSchema = z.object({
  organization_id: z.string(),
  name: z.string(),
  country: z.string(),
  status: z.enum(["active", "deactivated"]),
  verified: z.boolean(),
  enabled_payment_methods: z.array(z.string()),
  created_at: timestampSchema,
});

/** Payout destination (contract section 2), by type. */
const destinationBase = {
  destination_id: z.string(),
  currency: currencyCodeSchema,
  country: z.nullable(z.string()),
  created_at: timestampSchema,
};
export const bankAccountDestinationSchema = z.object({
  type: z.literal("bank_account"),
  ...destinationBase,
  bank_code: z.string(),
  account_number: z.string(),
  account_name: z.string(),
});
export const mobileMoneyDestinationSchema = z.object({
  type: z.literal("mobile_money"),
  ...destinationBase,
  phone_number: z.string(),
  provider: z.string(),
});
export const cryptoWalletDestinationSchema = z.object({
  type: z.literal("crypto_wallet"),
  ...destinationBase,
  wallet_address: z.string(),
  network: z.string(),
});
export const destinationSchema = z.discriminatedUnion("type", [
  bankAccountDestinationSchema,
  mobileMoneyDestinationSchema,
  cryptoWalletDestinationSchema,
]);
export const destinationListSchema = z.object({ total: totalSchema, items: z.array(destinationSchema) });

/** Withdrawal (contract section 2). */
export const withdrawalSchema = z.object({
  withdrawal_id: z.string(),
  destination_id: z.string(),
  organization_id: z.string(),
  amount: moneySchema,
  fee: moneySchema,
  currency: currencyCodeSchema,
  status: withdrawalStatusSchema,
  failure_reason: z.nullable(z.string()),
  reference: z.nullable(z.string()),
  metadata: metadataSchema,
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
export const withdrawalListSchema = z.object({ total: totalSchema, items: z.array(withdrawalSchema) });

/** Webhook endpoint (contract section 2: webhook registration). */
export const webhookSchema = z.object({
  webhook_id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  secret: z.string(),
  enabled: z.boolean(),
  created_at: timestampSchema,
});
export const webhookListSchema = z.object({ total: totalSchema, items: z.array(webhookSchema) });
export const webhookDeletedSchema = z.object({ webhook_id: z.string(), deleted: z.literal(true) });

/** Error object (specification: Errors). Codes may be renamed, so they are open text. */
export const errorInfoSchema = z.object({
  code: z.string(),
  message: z.string(),
  details: z.optional(z.record(z.string(), z.string())),
});
export const errorSchema = z.object({ error: errorInfoSchema });

/** Webhook bodies (contract section 3). `data` is what a read of the object answered at that moment. */
const eventBase = { id: z.string(), type: z.string(), timestamp: timestampSchema, mode: modeSchema };
export const chargeEventSchema = z.object({ ...eventBase, data: chargeDetailSchema });
export const withdrawalEventSchema = z.object({ ...eventBase, data: withdrawalSchema });
export const testEventSchema = z.object({ ...eventBase, data: z.record(z.string(), z.unknown()) });
