import * as z from "zod/mini";
import type { OperationId } from "../operation-ids.js";
import * as responses from "../service-responses.js";

/** Operation → body of a successful response. */
export const RESPONSE_SCHEMAS: Readonly<Record<OperationId, z.core.$ZodType>> = {
  listPaymentMethods: responses.paymentMethodListSchema,
  listSupportedCurrencies: responses.currencyCodesSchema,
  createQuote: responses.quoteSchema,
  createWhitelabel: responses.whitelabelResultSchema,
  createCheckout: responses.checkoutSchema,
  listPayins: responses.payinListSchema,
  getPayin: responses.chargeDetailSchema,
  getCharge: responses.chargeDetailSchema,
  getBalances: responses.balancesSchema,
  getOrganization: responses.organizationSchema,
  listPaymentRails: responses.paymentRailListSchema,
  listPayoutCurrencies: responses.currencyCodesSchema,
  createDestination: responses.destinationSchema,
  listDestinations: responses.destinationListSchema,
  getDestination: responses.destinationSchema,
  createWithdrawal: responses.withdrawalSchema,
  listWithdrawals: responses.withdrawalListSchema,
  getWithdrawal: responses.withdrawalSchema,
  createWebhook: responses.webhookSchema,
  listWebhooks: responses.webhookListSchema,
  getWebhook: responses.webhookSchema,
  updateWebhook: responses.webhookSchema,
  deleteWebhook: responses.webhookDeletedSchema,
  rotateWebhookSecret: responses.webhookSchema,
};

/** Union of the responses of some operations: successful, failed, or both. */
export function responseSchemaOf(
  ids: readonly OperationId[],
  outcome: "worked" | "failed" | undefined,
): z.core.$ZodType {
  const success = outcome === "failed" ? [] : ids.map((id) => RESPONSE_SCHEMAS[id]);
  return z.union(outcome === "worked" ? success : [...success, responses.errorResponseSchema]);
}
