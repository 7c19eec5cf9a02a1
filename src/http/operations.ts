import type { Caller } from "../engine/caller.js";
import type { Namespace } from "../namespace/namespace.js";
import type { Refusal } from "../schema/errors.js";
import type { OperationId } from "../schema/operation-ids.js";
import type { Reply } from "./reply.js";
import { balances } from "./service/accounts.js";
import {
  listPaymentMethods,
  listPaymentRails,
  listPayoutCurrencies,
  listSupportedCurrencies,
} from "./service/catalogue.js";
import { getCharge, getOrganization, listPayins } from "./service/charges.js";
import { createCheckout, createQuote, createWhitelabel } from "./service/checkout.js";
import {
  createDestination,
  createWithdrawal,
  getDestination,
  getWithdrawal,
  listDestinations,
  listWithdrawals,
} from "./service/payouts.js";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from "./service/webhooks.js";

/** A call of the service that has passed every check before the body's own. */
export interface Call<WhoAsks = Caller | undefined> {
  readonly namespace: Namespace;
  readonly caller: WhoAsks;
  readonly url: string;
  readonly body: Record<string, unknown>;
  param(name: string): string;
  header(name: string): string | null;
}

interface OperationBase {
  /** Stable name, also in OpenAPI, scenarios and the journal (contract section 2: operation ids). */
  readonly id: OperationId;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With parameters as `:name`. */
  readonly path: string;
  /** A write that says all it has to say by its path: what is sent along is not looked at. */
  readonly body?: "none";
}

/** One row says everything about an operation but its work. */
export type Operation =
  | (OperationBase & { readonly key: "none"; handle(call: Call<undefined>): Reply | Refusal })
  | (OperationBase & { readonly key: "optional"; handle(call: Call): Reply | Refusal })
  | (OperationBase & { readonly key: "required"; handle(call: Call<Caller>): Reply | Refusal });

export const OPERATIONS: readonly Operation[] = [
  {
    id: "listPaymentMethods",
    method: "GET",
    path: "/api/v1/payments/payment-methods",
    key: "optional",
    handle: listPaymentMethods,
  },
  {
    id: "listSupportedCurrencies",
    method: "GET",
    path: "/api/v1/payments/supported-currencies",
    key: "none",
    handle: listSupportedCurrencies,
  },
  {
    id: "createQuote",
    method: "POST",
    path: "/api/v1/payments/quotes",
    key: "required",
    handle: createQuote,
  },
  {
    id: "createWhitelabel",
    method: "POST",
    path: "/api/v1/payments/whitelabel",
    key: "required",
    handle: createWhitelabel,
  },
  {
    id: "createCheckout",
    method: "POST",
    path: "/api/v1/payments/checkouts",
    key: "required",
    handle: createCheckout,
  },
  { id: "listPayins", method: "GET", path: "/api/v1/payments/payins", key: "required", handle: listPayins },
  {
    id: "getPayin",
    method: "GET",
    path: "/api/v1/payments/payins/:charge_id",
    key: "required",
    handle: getCharge,
  },
  {
    id: "getCharge",
    method: "GET",
    path: "/api/v1/payments/charges/:charge_id",
    key: "required",
    handle: getCharge,
  },
  { id: "getBalances", method: "GET", path: "/api/v1/accounts/balances", key: "required", handle: balances },
  {
    id: "getOrganization",
    method: "GET",
    path: "/api/v1/organizations/me",
    key: "required",
    handle: getOrganization,
  },
  {
    id: "listPaymentRails",
    method: "GET",
    path: "/api/v1/payments/payment-rails",
    key: "required",
    handle: listPaymentRails,
  },
  {
    id: "listPayoutCurrencies",
    method: "GET",
    path: "/api/v1/payouts/supported-currencies",
    key: "required",
    handle: listPayoutCurrencies,
  },
  {
    id: "createDestination",
    method: "POST",
    path: "/api/v1/payouts/destinations",
    key: "required",
    handle: createDestination,
  },
  {
    id: "listDestinations",
    method: "GET",
    path: "/api/v1/payouts/destinations",
    key: "required",
    handle: listDestinations,
  },
  {
    id: "getDestination",
    method: "GET",
    path: "/api/v1/payouts/destinations/:destination_id",
    key: "required",
    handle: getDestination,
  },
  {
    id: "createWithdrawal",
    method: "POST",
    path: "/api/v1/payouts/withdrawals",
    key: "required",
    handle: createWithdrawal,
  },
  {
    id: "listWithdrawals",
    method: "GET",
    path: "/api/v1/payouts/withdrawals",
    key: "required",
    handle: listWithdrawals,
  },
  {
    id: "getWithdrawal",
    method: "GET",
    path: "/api/v1/payouts/withdrawals/:withdrawal_id",
    key: "required",
    handle: getWithdrawal,
  },
  { id: "createWebhook", method: "POST", path: "/api/v1/webhooks", key: "required", handle: createWebhook },
  { id: "listWebhooks", method: "GET", path: "/api/v1/webhooks", key: "required", handle: listWebhooks },
  {
    id: "getWebhook",
    method: "GET",
    path: "/api/v1/webhooks/:webhook_id",
    key: "required",
    handle: getWebhook,
  },
  {
    id: "updateWebhook",
    method: "PATCH",
    path: "/api/v1/webhooks/:webhook_id",
    key: "required",
    handle: updateWebhook,
  },
  {
    id: "deleteWebhook",
    method: "DELETE",
    path: "/api/v1/webhooks/:webhook_id",
    key: "required",
    handle: deleteWebhook,
  },
  {
    id: "rotateWebhookSecret",
    method: "POST",
    path: "/api/v1/webhooks/:webhook_id/rotate-secret",
    key: "required",
    body: "none",
    handle: rotateWebhookSecret,
  },
];
