/** Every operation of the service, by the name it has wherever one is named. */
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
  "getWebhook",
  "updateWebhook",
  "deleteWebhook",
  "rotateWebhookSecret",
] as const;
export type OperationId = (typeof OPERATION_IDS)[number];

export function isOperationId(name: string): name is OperationId {
  return (OPERATION_IDS as readonly string[]).includes(name);
}
