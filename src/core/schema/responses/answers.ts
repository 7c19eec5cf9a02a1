import * as z from "zod/mini";
import type { OperationId } from "../operation-ids.js";
import { balancesSchema, organizationSchema } from "./account.js";
import { currencyCodesSchema, paymentMethodListSchema, paymentRailListSchema } from "./catalogue.js";
import { chargeDetailSchema, checkoutSchema, payinListSchema, whitelabelResultSchema } from "./charges.js";
import { errorSchema } from "./errors.js";
import {
  destinationListSchema,
  destinationSchema,
  withdrawalListSchema,
  withdrawalSchema,
} from "./payouts.js";
import { quoteSchema } from "./quotes.js";
import { webhookDeletedSchema, webhookListSchema, webhookSchema } from "./webhooks.js";

/** What a call that has worked answers, by its operation. */
export const ANSWERS: Readonly<Record<OperationId, z.core.$ZodType>> = {
  listPaymentMethods: paymentMethodListSchema,
  listSupportedCurrencies: currencyCodesSchema,
  createQuote: quoteSchema,
  createWhitelabel: whitelabelResultSchema,
  createCheckout: checkoutSchema,
  listPayins: payinListSchema,
  getPayin: chargeDetailSchema,
  getCharge: chargeDetailSchema,
  getBalances: balancesSchema,
  getOrganization: organizationSchema,
  listPaymentRails: paymentRailListSchema,
  listPayoutCurrencies: currencyCodesSchema,
  createDestination: destinationSchema,
  listDestinations: destinationListSchema,
  getDestination: destinationSchema,
  createWithdrawal: withdrawalSchema,
  listWithdrawals: withdrawalListSchema,
  getWithdrawal: withdrawalSchema,
  createWebhook: webhookSchema,
  listWebhooks: webhookListSchema,
  getWebhook: webhookSchema,
  updateWebhook: webhookSchema,
  deleteWebhook: webhookDeletedSchema,
  rotateWebhookSecret: webhookSchema,
};

/** What those operations may answer: when they have worked, when they have not, or where that is not told. */
export function answerOf(ids: readonly OperationId[], has: "worked" | "failed" | undefined): z.core.$ZodType {
  const worked = ids.map((id) => ANSWERS[id]);
  const all = has === "worked" ? worked : has === "failed" ? [errorSchema] : [...worked, errorSchema];
  return z.union(all as [z.core.$ZodType, ...z.core.$ZodType[]]);
}
