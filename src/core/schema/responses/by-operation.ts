import * as z from "zod/mini";
import type { OperationId } from "../operation-ids.js";
import { balancesSchema, organizationSchema } from "./account-responses.js";
import {
  currencyCodesSchema,
  paymentMethodListSchema,
  paymentRailListSchema,
} from "./catalogue-responses.js";
import {
  chargeDetailSchema,
  checkoutSchema,
  payinListSchema,
  whitelabelResultSchema,
} from "./charge-responses.js";
import { errorResponseSchema } from "./error-response.js";
import {
  destinationListSchema,
  destinationSchema,
  withdrawalListSchema,
  withdrawalSchema,
} from "./payout-responses.js";
import { quoteSchema } from "./quote-responses.js";
import { webhookDeletedSchema, webhookListSchema, webhookSchema } from "./webhook-responses.js";

/** Operation → body of a successful response. */
export const RESPONSE_SCHEMAS: Readonly<Record<OperationId, z.core.$ZodType>> = {
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

/** Union of the responses of some operations: successful, failed, or both. */
export function responseSchemaOf(
  ids: readonly OperationId[],
  outcome: "worked" | "failed" | undefined,
): z.core.$ZodType {
  const success = outcome === "failed" ? [] : ids.map((id) => RESPONSE_SCHEMAS[id]);
  return z.union(outcome === "worked" ? success : [...success, errorResponseSchema]);
}
