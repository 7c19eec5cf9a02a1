import { oneOfMessage } from "../../core/domain/requests/body-check.js";
import { payoutCurrencies } from "../../core/domain/requests/payout-requests.js";
import { readBalances } from "../../core/engine/commands/account-commands.js";
import { currencyCodes, organizationView, paymentMethodView, railView } from "../../core/engine/queries.js";
import { INVALID_QUERY_MESSAGE, refuseInvalid } from "../../core/schema/refusals.js";
import { railQuerySchema } from "../../core/schema/service-requests.js";
import { ASSUMED_CALL_NOTE, defineOperation } from "./operation.js";

export const listPaymentMethods = defineOperation({
  id: "listPaymentMethods",
  call: "GET /api/v1/payments/payment-methods",
  tag: "Catalogue",
  summary: "List payment methods",
  description: "With an API key, the payment methods its organization may use; without one, all of them.",
  assumed:
    "With a key: the methods the key's organization has enabled. A key that is sent must be valid. With the key of a deactivated organization: all methods.",
  key: "optional",
  output: "PaymentMethodList",
  run: ({ namespace, caller }) => {
    const { catalogue } = namespace.engine;
    const methods =
      caller === undefined ? catalogue.fixtures.methods : catalogue.enabledMethods(caller.organization);
    return { payment_methods: methods.map(paymentMethodView) };
  },
});

export const listSupportedCurrencies = defineOperation({
  id: "listSupportedCurrencies",
  call: "GET /api/v1/payments/supported-currencies",
  tag: "Catalogue",
  summary: "List payment currencies",
  description: "The currencies customers can pay in: the same for everyone, in both modes.",
  key: "none",
  output: "CurrencyCodes",
  run: ({ namespace }) => currencyCodes(namespace.engine.catalogue.fixtures.currencies),
});

export const listPaymentRails = defineOperation({
  id: "listPaymentRails",
  call: "GET /api/v1/payments/payment-rails",
  tag: "Catalogue",
  summary: "List payment rails",
  description: "The bank networks and operators a method can take in a currency. Both filters are optional.",
  assumed: ASSUMED_CALL_NOTE,
  input: railQuerySchema,
  output: "PaymentRailList",
  run: ({ namespace, caller, input: { payment_method, currency } }) => {
    const { catalogue } = namespace.engine;
    const enabled = catalogue.enabledMethods(caller.organization).map((method) => method.id);
    const details: Record<string, string> = {};
    if (payment_method !== undefined && !enabled.includes(payment_method))
      details.payment_method = oneOfMessage(payment_method, enabled);
    if (currency !== undefined && catalogue.currency(currency) === undefined)
      details.currency = oneOfMessage(
        currency,
        catalogue.fixtures.currencies.map(({ code }) => code),
      );
    if (Object.keys(details).length > 0) return refuseInvalid(details, INVALID_QUERY_MESSAGE);
    const rails = catalogue.fixtures.rails.filter(
      (rail) =>
        enabled.includes(rail.payment_method) &&
        (payment_method === undefined || rail.payment_method === payment_method) &&
        (currency === undefined || rail.currency === currency),
    );
    return { payment_rails: rails.map((rail) => railView(catalogue, rail)) };
  },
});

export const listPayoutCurrencies = defineOperation({
  id: "listPayoutCurrencies",
  call: "GET /api/v1/payouts/supported-currencies",
  tag: "Catalogue",
  summary: "List payout currencies",
  description: "The currencies of withdrawals: fewer than those of payments.",
  assumed: `${ASSUMED_CALL_NOTE} They are the currencies with a stated minimum withdrawal.`,
  output: "CurrencyCodes",
  run: ({ namespace }) => currencyCodes(payoutCurrencies(namespace.engine.catalogue)),
});

export const getBalances = defineOperation({
  id: "getBalances",
  call: "GET /api/v1/accounts/balances",
  tag: "Account",
  summary: "Get balances",
  description:
    "The organization's balances by currency. The first read opens accounts in US dollars and in the currency of " +
    "the organization's country; others are opened by the first payment in them. Do not poll more often than every 10 seconds.",
  runsDueTasks: true,
  output: "Balances",
  run: ({ namespace, caller }) => namespace.read(readBalances(caller)),
});

export const getOrganization = defineOperation({
  id: "getOrganization",
  call: "GET /api/v1/organizations/me",
  tag: "Account",
  summary: "Get the organization",
  description: "The merchant the key belongs to.",
  assumed: "Fields beyond `enabled_payment_methods`.",
  output: "Organization",
  run: ({ namespace, caller }) => organizationView(caller.organization, namespace.engine.namespace.start_ms),
});
