import type { Charge } from "../../core/domain/charge-transition.js";
import { cancelCharge } from "../../core/engine/commands/charge-commands.js";
import { chooseMethod } from "../../core/engine/commands/checkout-commands.js";
import type { Destination, Quote } from "../../core/engine/records.js";
import type { Command } from "../../core/engine/transaction.js";
import { destinationView, quoteView } from "../../core/engine/wire-views.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { payRequestSchema } from "../../core/schema/control-requests.js";
import { type Refusal, refuse } from "../../core/schema/refusals.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { limitAndOffset } from "../http/operation-spec.js";
import { chargeReply } from "./charges.js";
import { defineControlOperation, viewOrRefusal } from "./control-operation.js";

export const QUOTE_OPERATIONS = [
  defineControlOperation({
    id: "listQuotes",
    call: "GET /_sandbox/quotes",
    query: pageQuerySchema,
    runsDueTasks: true,
    response: "ControlQuoteList",
    docs: { summary: "List quotes", description: "Quotes of every organization, newest first." },
    handle: ({ namespace: { engine }, query }) => {
      const { limit, offset } = limitAndOffset(query);
      const items = engine.state.page("quotes", "quotes", offset, limit);
      return { total: engine.state.count("quotes"), items: items.map(controlQuoteView) };
    },
  }),
  defineControlOperation({
    id: "listControlDestinations",
    call: "GET /_sandbox/destinations",
    query: pageQuerySchema,
    runsDueTasks: true,
    response: "ControlDestinationList",
    docs: {
      summary: "List payout destinations",
      description: "Destinations of every organization, newest first.",
    },
    handle: ({ namespace: { engine }, query }) => {
      const { limit, offset } = limitAndOffset(query);
      const items = engine.state.page("destinations", "destinations", offset, limit);
      return { total: engine.state.count("destinations"), items: items.map(controlDestinationView) };
    },
  }),
];

function controlQuoteView(quote: Quote) {
  return { ...quoteView(quote), mode: quote.mode, organization_id: quote.organization_id };
}

function controlDestinationView(destination: Destination) {
  const { mode, organization_id } = destination;
  return { ...destinationView(destination), mode, organization_id };
}

export const CHECKOUT_OPERATIONS = [
  defineControlOperation({
    id: "payCheckout",
    call: "POST /_sandbox/checkouts/:checkout_id/pay",
    body: payRequestSchema,
    runsDueTasks: true,
    response: "Charge",
    docs: {
      summary: "Pay a checkout",
      description:
        "Does what the customer does on the hosted page: picks a method and pays. The scenario decides the outcome.",
      errorCodes: ["INVALID_TRANSITION"],
      example: { payment_method: "mobile_money", currency: "KES", phone_number: "+254700000001" },
    },
    handle: ({ namespace, body, param }) =>
      onChargeOf(namespace, param("checkout_id"), (chargeId) => chooseMethod(chargeId, body)),
  }),
  defineControlOperation({
    id: "cancelCheckout",
    call: "POST /_sandbox/checkouts/:checkout_id/cancel",
    runsDueTasks: true,
    response: "Charge",
    docs: {
      summary: "Cancel a checkout",
      description: "The customer cancels.",
      errorCodes: ["INVALID_TRANSITION"],
    },
    handle: ({ namespace, param }) => onChargeOf(namespace, param("checkout_id"), cancelCharge),
  }),
];

function onChargeOf(
  namespace: Namespace,
  checkoutId: string,
  command: (chargeId: string) => Command<Charge | Refusal>,
): object {
  const charge = namespace.engine.state.chargeOfCheckout(checkoutId);
  if (charge === undefined) return refuse("NOT_FOUND", "Checkout not found");
  return viewOrRefusal(namespace.execute(command(charge.charge_id)), chargeReply);
}
