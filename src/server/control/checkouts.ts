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
import { limitAndOffset } from "../http/operation-row.js";
import { viewOrRefusal } from "../http/reply.js";
import { chargeReply } from "./charges.js";
import { defineControlOperation } from "./control-operation.js";

export const QUOTE_OPERATIONS = [
  defineControlOperation({
    id: "listQuotes",
    call: "GET /_sandbox/quotes",
    summary: "List quotes",
    description: "Quotes of every organization, newest first.",
    input: pageQuerySchema,
    runsDueTasks: true,
    output: "ControlQuoteList",
    run: ({ namespace: { engine }, input }) => {
      const { limit, offset } = limitAndOffset(input);
      const items = engine.state.page("quotes", "quotes", offset, limit);
      return { total: engine.state.count("quotes"), items: items.map(controlQuoteView) };
    },
  }),
  defineControlOperation({
    id: "listControlDestinations",
    call: "GET /_sandbox/destinations",
    summary: "List payout destinations",
    description: "Destinations of every organization, newest first.",
    input: pageQuerySchema,
    runsDueTasks: true,
    output: "ControlDestinationList",
    run: ({ namespace: { engine }, input }) => {
      const { limit, offset } = limitAndOffset(input);
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
    call: "POST /_sandbox/checkouts/{checkout_id}/pay",
    summary: "Pay a checkout",
    description:
      "Does what the customer does on the hosted page: picks a method and pays. The scenario decides the outcome.",
    input: payRequestSchema,
    runsDueTasks: true,
    output: "Charge",
    errors: ["INVALID_TRANSITION"],
    example: { payment_method: "mobile_money", currency: "KES", phone_number: "+254700000001" },
    run: ({ namespace, input, param }) =>
      onChargeOf(namespace, param("checkout_id"), (chargeId) => chooseMethod(chargeId, input)),
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

function onChargeOf(
  namespace: Namespace,
  checkoutId: string,
  command: (chargeId: string) => Command<Charge | Refusal>,
) {
  const charge = namespace.engine.state.chargeOfCheckout(checkoutId);
  if (charge === undefined) return refuse("NOT_FOUND", "Checkout not found");
  return viewOrRefusal(namespace.execute(command(charge.charge_id)), chargeReply);
}
