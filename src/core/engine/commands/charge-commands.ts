import { type Actor, type Charge, needsMethod } from "../../domain/charge-transition.js";
import { isSamePricing } from "../../domain/pricing.js";
import { readWhitelabelRequest } from "../../domain/requests/payment-requests.js";
import type { ChargeStatus } from "../../schema/common.js";
import { type ErrorDetails, isRefusal, type Refusal, refuse, refuseInvalid } from "../../schema/refusals.js";
import { readRequestedScenario } from "../scenario-lookup.js";
import type { Caller, Command } from "../transaction.js";
import { beginTimeline, changeChargeStatus, setMatchingTimeline } from "./charge-life.js";
import { priceByDefaultMethod, priceCharge, quotedTerms } from "./methods.js";
import { buildCharge, refuseAboveLimit } from "./new-charge.js";
import { findValidQuote } from "./quote-commands.js";

/** Creates a checkout and starts its payment (specification: POST whitelabel). */
export function createWhitelabel(
  caller: Caller,
  raw: unknown,
  scenarioHeader: string | null,
  traceparent: string | null = null,
): Command<Charge | Refusal> {
  return (tx) => {
    const { organization } = caller;
    const requested = readRequestedScenario(tx.state, scenarioHeader, raw);
    const request = readWhitelabelRequest(tx.catalogue, organization, raw, requested.faults);
    if (isRefusal(request)) return request;
    const { body, method, pricing, phoneNumber } = request;
    const quote = findValidQuote(tx, caller, body.quote_id);
    if (isRefusal(quote)) return quote;

    const mismatches: ErrorDetails = {};
    if (quote.payment_method !== method.id)
      mismatches.payment_method = `does not match the quote, which is for ${quote.payment_method}`;
    if (!isSamePricing(pricing, quote.pricing)) mismatches.pricing = "does not match the quote";
    if ((body.payment_rail ?? quote.payment_rail) !== quote.payment_rail)
      mismatches.payment_rail = `does not match the quote, which is for ${quote.payment_rail}`;
    if (Object.keys(mismatches).length > 0) return refuseInvalid(mismatches);

    const full = refuseAboveLimit(tx);
    if (full !== undefined) return full;
    const charge = buildCharge(tx, caller, {
      kind: "whitelabel",
      body,
      pricing: quote.pricing,
      offeredMethods: [method.id],
      scenarioAsked: requested.name,
      traceparent,
    });
    const terms = quotedTerms(tx, quote, {
      method,
      currency: tx.catalogue.requireCurrency(quote.currency),
      phoneNumber,
      bankAccountNumber: body.bank_account_number ?? null,
    });
    return beginTimeline(tx, priceCharge(tx, charge, terms));
  };
}

/** Moves a charge outside its timeline. Picks the default method first if the new status needs a method. */
export function transitionCharge(
  chargeId: string,
  to: ChargeStatus,
  actor: Actor,
  reason?: string,
): Command<Charge | Refusal> {
  return (tx) => {
    const charge = tx.get("charges", chargeId);
    if (charge === undefined) return refuse("NOT_FOUND", "Charge not found");
    if (!needsMethod(charge, to)) return changeChargeStatus(tx, charge, to, actor, reason);
    const priced = priceByDefaultMethod(tx, charge);
    return changeChargeStatus(
      tx,
      priced === undefined ? charge : setMatchingTimeline(tx, priced),
      to,
      actor,
      reason,
    );
  };
}

/** Cancels a charge for its customer; called by the checkout page and the control API. */
export function cancelCharge(chargeId: string): Command<Charge | Refusal> {
  return transitionCharge(chargeId, "CANCELLED", "customer", "cancelled_by_customer");
}
