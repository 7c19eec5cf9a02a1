import type { Charge } from "../../core/domain/charge-transition.js";
import { cancelCharge, transitionCharge } from "../../core/engine/commands/charge-commands.js";
import { chooseMethod, needsChoice } from "../../core/engine/commands/checkout-commands.js";
import { paymentOffers } from "../../core/engine/commands/methods.js";
import { settableStatuses } from "../../core/engine/look-ahead.js";
import type { Collections } from "../../core/engine/records.js";
import type { State } from "../../core/engine/state.js";
import type { Command } from "../../core/engine/transaction.js";
import { destinationView, quoteView } from "../../core/engine/wire-views.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { payRequestSchema } from "../../core/schema/control-requests.js";
import { pickFields } from "../../core/schema/descriptions.js";
import { isRefusal, type Refusal, refuse } from "../../core/schema/refusals.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { limitAndOffset, type PageQuery } from "../http/operation-row.js";
import { RawJson, viewOrRefusal } from "../http/reply.js";
import { chargeReply, controlChargeJson } from "./charges.js";
import { type ControlCall, defineControlOperation } from "./control-operation.js";

export const QUOTE_OPERATIONS = [
  defineControlOperation({
    id: "listQuotes",
    call: "GET /_sandbox/quotes",
    summary: "List quotes",
    description: "Quotes of every organization, newest first.",
    input: pageQuerySchema,
    runsDueTasks: true,
    output: "ControlQuoteList",
    run: (call) => listOwned(call, "quotes", quoteView),
  }),
  defineControlOperation({
    id: "listControlDestinations",
    call: "GET /_sandbox/destinations",
    summary: "List payout destinations",
    description: "Destinations of every organization, newest first.",
    input: pageQuerySchema,
    runsDueTasks: true,
    output: "ControlDestinationList",
    run: (call) => listOwned(call, "destinations", destinationView),
  }),
];

/** The service's view of records, with mode and organization. */
function listOwned<Name extends "quotes" | "destinations", View>(
  { namespace, input }: Pick<ControlCall<PageQuery>, "namespace" | "input">,
  name: Name,
  view: (record: Collections[Name]) => View,
) {
  const { state } = namespace.engine;
  const { limit, offset } = limitAndOffset(input);
  const items = state.page(name, name, offset, limit).map((record) => {
    const { mode, organization_id } = record;
    return { ...view(record), mode, organization_id };
  });
  return { total: state.count(name), items };
}

export const CHECKOUT_OPERATIONS = [
  defineControlOperation({
    id: "getControlCheckout",
    call: "GET /_sandbox/checkouts/{checkout_id}",
    summary: "Get a checkout",
    description: "What the hosted page shows: the charge, the prices to choose from, and where the shop is.",
    runsDueTasks: true,
    output: "ControlCheckout",
    run: ({ namespace, param }) =>
      viewOrRefusal(
        namespace.engine.state.chargeOfCheckout(param("checkout_id")) ??
          refuse("NOT_FOUND", "Checkout not found"),
        (charge) => checkoutJson(namespace, charge),
      ),
  }),
  defineControlOperation({
    id: "payCheckout",
    call: "POST /_sandbox/checkouts/{checkout_id}/pay",
    summary: "Pay a checkout",
    description:
      "Does what the customer does on the hosted page: picks a method and pays. The scenario decides the outcome.",
    input: payRequestSchema,
    runsDueTasks: true,
    output: "Charge",
    errors: ["INVALID_TRANSITION"],
    example: { payment_method: "mobile_money", currency: "KES", phone_number: "+254700000001" },
    run: ({ namespace, actor, input, param }) =>
      onChargeOf(namespace, param("checkout_id"), (chargeId) => (tx) => {
        const { to, reason, ...choice } = input;
        const paying = chooseMethod(chargeId, choice)(tx);
        return to === undefined || isRefusal(paying)
          ? paying
          : transitionCharge(chargeId, to, actor, reason)(tx);
      }),
  }),
  defineControlOperation({
    id: "cancelCheckout",
    call: "POST /_sandbox/checkouts/{checkout_id}/cancel",
    summary: "Cancel a checkout",
    description: "The customer cancels.",
    runsDueTasks: true,
    output: "Charge",
    errors: ["INVALID_TRANSITION"],
    run: ({ namespace, param }) => onChargeOf(namespace, param("checkout_id"), cancelCharge),
  }),
];

function checkoutJson(namespace: Namespace, charge: Charge): RawJson {
  const { catalogue, state } = namespace.engine;
  const { checkout_id, organization_id, pricing, offered_methods, payment_method, currency } = charge;
  const terms = needsChoice(charge) ? namespace.execute((tx) => paymentOffers(tx, charge)) : [];
  const offers = terms.map(({ method, currency, price }) => {
    const shown = pickFields(price, "amount", "fees", "exchange_rate", "settlement_amount");
    return { payment_method: method.id, currency: currency.code, ...shown };
  });
  const methods = new Set([...offered_methods, ...(payment_method === null ? [] : [payment_method])]);
  const currencies = new Set([pricing.base_currency, currency, ...offers.map((offer) => offer.currency)]);
  const rest = JSON.stringify({
    checkout_id,
    merchant: catalogue.organization(organization_id)?.name ?? organization_id,
    pricing,
    offered_methods,
    ...pickFields(charge, "phone_number", "bank_account_number", "success_url", "cancel_url"),
    offers,
    settable: settableStatuses(state, charge),
    returns: returnsOf(state, charge),
    methods: [...methods].flatMap((id) => {
      const method = catalogue.method(id);
      return method === undefined ? [] : pickFields(method, "id", "kind", "display_name", "description");
    }),
    currencies: [...currencies].flatMap((code) => {
      const currency = catalogue.currency(code);
      return currency === undefined ? [] : pickFields(currency, "code", "name", "asset", "network");
    }),
  });
  return new RawJson(`${rest.slice(0, -1)},"charge":${controlChargeJson(namespace, charge)}}`);
}

/** Ledger entries that return money to the customer. */
function returnsOf(state: State, { charge_id }: Charge) {
  return state.entriesOf(charge_id).flatMap(({ kind, at, postings }) => {
    if (kind !== "partial_refund" && kind !== "refund" && kind !== "chargeback") return [];
    const { amount } = postings.find(({ account }) => account === "outside")!;
    return [{ kind, at, amount }];
  });
}

function onChargeOf(
  namespace: Namespace,
  checkoutId: string,
  command: (chargeId: string) => Command<Charge | Refusal>,
) {
  const charge = namespace.engine.state.chargeOfCheckout(checkoutId);
  if (charge === undefined) return refuse("NOT_FOUND", "Checkout not found");
  return viewOrRefusal(namespace.execute(command(charge.charge_id)), chargeReply);
}
