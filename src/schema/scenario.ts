import * as z from "zod";
import { chargeStatusSchema, withdrawalStatusSchema } from "./common.js";
import { durationSchema } from "./duration.js";

/**
 * The scenario file: what happens to charges and withdrawals, what goes wrong with webhooks and at the API.
 * Strings in a `match` are globs; amounts may be compared.
 */
const globSchema = z.union([z.string(), z.array(z.string()).min(1)]);
export type Glob = z.infer<typeof globSchema>;

/** A decimal to compare with, possibly a `${variable}` until the file's variables are filled in. */
const boundSchema = z.string().regex(/^(\d+(\.\d+)?|.*\$\{.*\}.*)$/, "must be a decimal string");
const amountMatchSchema = z.union([
  globSchema,
  z
    .strictObject({
      gt: boundSchema.optional(),
      gte: boundSchema.optional(),
      lt: boundSchema.optional(),
      lte: boundSchema.optional(),
    })
    .refine((bounds) => Object.keys(bounds).length > 0, "needs at least one of gt, gte, lt, lte"),
]);
export type AmountMatch = z.infer<typeof amountMatchSchema>;

const commonMatch = {
  mode: globSchema.optional(),
  organization_id: globSchema.optional(),
  currency: globSchema.optional(),
  amount: amountMatchSchema.optional(),
  metadata: z.record(z.string(), globSchema).optional(),
};

export const chargeMatchSchema = z.strictObject({
  ...commonMatch,
  charge_id: globSchema.optional(),
  customer_email: globSchema.optional(),
  customer_name: globSchema.optional(),
  payment_method: globSchema.optional(),
  payment_rail: globSchema.optional(),
  phone_number: globSchema.optional(),
  bank_account_number: globSchema.optional(),
  base_currency: globSchema.optional(),
  base_amount: amountMatchSchema.optional(),
});
export type ChargeMatch = z.infer<typeof chargeMatchSchema>;

export const withdrawalMatchSchema = z.strictObject({
  ...commonMatch,
  withdrawal_id: globSchema.optional(),
  destination_id: globSchema.optional(),
  reference: globSchema.optional(),
  type: globSchema.optional(),
  account_number: globSchema.optional(),
  phone_number: globSchema.optional(),
  wallet_address: globSchema.optional(),
});
export type WithdrawalMatch = z.infer<typeof withdrawalMatchSchema>;

const reasonSchema = z.string().min(1).optional();

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
  match: chargeMatchSchema.optional(),
  timeline: z.array(chargeEntrySchema).max(1000),
});
export type ChargeRule = z.infer<typeof chargeRuleSchema>;

export const withdrawalRuleSchema = z.strictObject({
  match: withdrawalMatchSchema.optional(),
  timeline: z.array(withdrawalEntrySchema).max(1000),
});
export type WithdrawalRule = z.infer<typeof withdrawalRuleSchema>;

/** The rules of a scenario: what an engine acts on. */
export const scenarioSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/, "must be letters, digits, dots, dashes and underscores"),
  description: z.string().optional(),
  charges: z.array(chargeRuleSchema).optional(),
  withdrawals: z.array(withdrawalRuleSchema).optional(),
});
export type Scenario = z.infer<typeof scenarioSchema>;
