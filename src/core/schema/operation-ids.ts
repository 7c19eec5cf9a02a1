/** IDs of the service's operations, as in the OpenAPI document, config and scenarios. */
export const OPERATION_IDS = [
  "listPaymentMethods",
  "listSupportedCurrencies",
  "createQuote",
  "createWhitelabel",
  "createCheckout",
  "listPayins",
  "getPayin",
  "getCharge",
  "getBalances",
  "getOrganization",
  "listPaymentRails",
  "listPayoutCurrencies",
  "createDestination",
  "listDestinations",
  "getDestination",
  "createWithdrawal",
  "listWithdrawals",
  "getWithdrawal",
  "createWebhook",
  "listWebhooks",
  "rotateWebhookSecret",
  "getWebhook",
  "updateWebhook",
  "deleteWebhook",
] as const;
/** ID of an operation of the service, as in its OpenAPI document. */
export type OperationId = (typeof OPERATION_IDS)[number];

export function isOperationId(name: string): name is OperationId {
  return (OPERATION_IDS as readonly string[]).includes(name);
}

/** Operations that a fault with `stale` applies to: lists and reads of records that change or appear. */
export const STALE_READS: readonly unknown[] = [
  "listPayins",
  "getPayin",
  "getCharge",
  "listDestinations",
  "getDestination",
  "listWithdrawals",
  "getWithdrawal",
] satisfies OperationId[];
