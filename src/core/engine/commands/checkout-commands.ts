import type { Charge } from "../../domain/charge-transition.js";
import { isZero } from "../../domain/money.js";
import { isSamePricing, pricingMismatchMessage } from "../../domain/pricing.js";
import { readCheckoutRequest, readMethodChoice } from "../../domain/requests/payment-requests.js";
import type { ChargeStatus } from "../../schema/common.js";
import type { MethodFixture } from "../../schema/fixtures-file.js";
import { type ErrorDetails, isRefusal, type Refusal, refuse, refuseInvalid } from "../../schema/refusals.js";
import { refuseUnreachableStatus, willReachStatus } from "../look-ahead.js";
import { amountBeforeMethod, priceAtCreation } from "../market.js";
import { readRequestedScenario } from "../scenario-lookup.js";
import type { Caller, Command, Transaction } from "../transaction.js";
import { buildCharge, refuseAboveLimit } from "./charge-commands.js";
import { beginTimeline, changeChargeStatus, putCharge } from "./charge-life.js";
import { offeredCurrencies, priceByDefaultMethod, priceByMethod } from "./methods.js";
import { findValidQuote, refuseZeroPrice } from "./quote-commands.js";

/** Creates a hosted checkout. Its charge has a price already if the customer has no choice of method and currency. */
export function createCheckout(
  caller: Caller,
  raw: unknown,
  scenarioHeader: string | null,
  traceparent: string | null = null,
): Command<Charge | Refusal> {
  return (tx) => {
    const requested = readRequestedScenario(tx.state, scenarioHeader, raw);
    const request = readCheckoutRequest(tx.catalogue, caller.organization, raw, requested.faults);
    if (isRefusal(request)) return request;
    const { body, pricing, methods } = request;
    const quoteId = body.quote_id ?? undefined;
    const quote = quoteId === undefined ? undefined : findValidQuote(tx, caller, quoteId);
    if (isRefusal(quote)) return quote;
    if (quote !== undefined) {
      const mismatches: ErrorDetails = {};
      if (!isSamePricing(pricing, quote.pricing)) mismatches.pricing = pricingMismatchMessage(quote.pricing);
      if (!methods.includes(quote.payment_method))
        mismatches.payment_methods = `must include ${quote.payment_method}, which the quote is for`;
      if (Object.keys(mismatches).length > 0) return refuseInvalid(mismatches);
    }
    const price = priceAtCreation(tx, pricing, methods, quote);
    if (price !== undefined && isZero(price.settlement_amount)) return refuseZeroPrice(price.currency);
    const full = refuseAboveLimit(tx);
    if (full !== undefined) return full;
    const charge = buildCharge(tx, caller, {
      kind: "hosted",
      body,
      pricing,
      price,
      amount: amountBeforeMethod(tx, pricing, methods),
      offeredMethods: quote === undefined ? methods : [quote.payment_method],
      scenarioAsked: requested.name,
      traceparent,
    });
    return putCharge(tx, charge);
  };
}

/** Applies the customer's choice of method: prices the charge, moves it to AWAITING_PAYMENT, starts its timeline. */
export function chooseMethod(chargeId: string, raw: unknown): Command<Charge | Refusal> {
  return (tx) => {
    const charge = tx.get("charges", chargeId);
    if (charge === undefined) return refuse("NOT_FOUND", "Checkout not found");
    if (!needsChoice(charge))
      return refuse("INVALID_TRANSITION", `The checkout cannot be paid: its charge is ${charge.status}.`);
    const currenciesOf = (method: MethodFixture) => offeredCurrencies(charge, method);
    const choice = readMethodChoice(tx.catalogue, charge.offered_methods, currenciesOf, raw);
    if (isRefusal(choice)) return choice;
    const priced = priceByMethod(tx, charge, choice);
    return isRefusal(priced) ? priced : beginPayment(tx, priced);
  };
}

/** Picks the default method; refuses if the charge's planned tasks would not lead to the status `until`. */
export function chooseDefaultMethod(chargeId: string, until: ChargeStatus): Command<Charge | Refusal> {
  return (tx) => {
    const charge = tx.get("charges", chargeId);
    const priced = charge !== undefined && needsChoice(charge) ? priceByDefaultMethod(tx, charge) : undefined;
    const paying = priced && beginPayment(tx, priced);
    if (isRefusal(paying)) return paying;
    return paying !== undefined && willReachStatus(tx, paying, until, tx.atMs)
      ? paying
      : refuseUnreachableStatus(until);
  };
}

export function needsChoice(charge: Charge): boolean {
  return charge.status === "PENDING" && charge.payment_method === null;
}

function beginPayment(tx: Transaction, priced: Charge): Charge | Refusal {
  const awaiting = changeChargeStatus(tx, priced, "AWAITING_PAYMENT", "api");
  return isRefusal(awaiting) ? awaiting : beginTimeline(tx, awaiting);
}
