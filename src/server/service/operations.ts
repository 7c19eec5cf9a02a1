import * as catalogue from "./catalogue.js";
import * as charges from "./charges.js";
import type { Operation } from "./operation.js";
import * as payouts from "./payouts.js";
import * as webhooks from "./webhooks.js";

/** All calls of the service, in the order of the OpenAPI document: each object is created before it is named. */
export const OPERATIONS: readonly Operation[] = [
  catalogue.listPaymentMethods,
  catalogue.listSupportedCurrencies,
  charges.createQuoteOperation,
  charges.createWhitelabelOperation,
  charges.createCheckoutOperation,
  charges.listPayinsOperation,
  charges.getPayin,
  charges.getCharge,
  catalogue.getBalances,
  catalogue.getOrganization,
  catalogue.listPaymentRails,
  catalogue.listPayoutCurrencies,
  payouts.createDestinationOperation,
  payouts.listDestinations,
  payouts.getDestination,
  payouts.createWithdrawalOperation,
  payouts.listWithdrawals,
  payouts.getWithdrawal,
  webhooks.createWebhook,
  webhooks.listWebhooks,
  webhooks.rotateWebhookSecret,
  webhooks.getWebhook,
  webhooks.updateWebhook,
  webhooks.deleteWebhook,
];
