import type { Charge } from "../../domain/charge.js";
import { isZero } from "../../domain/money.js";
import { type Price, price, samePricing } from "../../domain/pricing.js";
import { type ChosenMethod, readCheckoutRequest, readMethodChoice } from "../../domain/requests.js";
import { invalid, isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import type { Caller } from "../caller.js";
import { digestOf } from "../ids.js";
import { termsFor } from "../market.js";
import { askedScenario } from "../scenarios.js";
import type { Command, Transaction } from "../transaction.js";
import { beginExpiry, beginTimeline, moveCharge, newCharge, priceCharge } from "./charges.js";
import { validQuote, walletFor } from "./quotes.js";

/**
 * A standard checkout: the charge is there from the start, in the base currency and without a price, until the
 * customer picks a method on the hosted page (contract section 2: standard checkout).
 */
export function createCheckout(
  caller: Caller,
  raw: unknown,
  scenarioHeader: string | null,
): Command<Charge | Refusal> {
  return (tx) => {
    const asked = askedScenario(tx.state, scenarioHeader, (raw as { metadata?: unknown } | null)?.metadata);
    const request = readCheckoutRequest(
      tx.catalogue,
      caller.organization,
      raw,
      asked.fault === undefined ? {} : { sandbox_scenario: asked.fault },
    );
    if (isRefusal(request)) return request;
    const { body, pricing, methods } = request;
    if (body.quote_id !== undefined) {
      const quote = validQuote(tx, caller, body.quote_id);
      if (isRefusal(quote)) return quote;
      if (!samePricing(pricing, quote.pricing)) return invalid({ pricing: "does not match the quote" });
      if (!methods.includes(quote.payment_method))
        return invalid({ payment_methods: `must include ${quote.payment_method}, which the quote is for` });
    }
    const charge = beginExpiry(
      tx,
      newCharge(tx, caller, {
        kind: "hosted",
        body,
        pricing,
        offeredMethods: methods,
        scenarioAsked: asked.name,
      }),
    );
    tx.put("charges", charge.charge_id, charge);
    return charge;
  };
}

/**
 * The customer picks a method on the hosted page: the charge is priced, its scenario is matched and its
 * timeline starts, and it becomes AWAITING_PAYMENT.
 */
export function chooseMethod(chargeId: string, raw: unknown): Command<Charge | Refusal> {
  return (tx) => {
    const charge = tx.get("charges", chargeId);
    if (charge === undefined) return refuse("NOT_FOUND", "Checkout not found");
    if (charge.status !== "PENDING" || charge.payment_method !== null)
      return refuse("INVALID_TRANSITION", `The checkout cannot be paid: its charge is ${charge.status}.`);
    const choice = readMethodChoice(tx.catalogue, charge.offered_methods, charge.pricing.base_currency, raw);
    if (isRefusal(choice)) return choice;
    const bytes = digestOf(charge.charge_id);
    const held = heldQuote(tx, charge, choice);
    const priced: Price =
      held ??
      price(
        charge.pricing,
        choice.currency.code,
        termsFor(tx, charge.pricing.base_currency, choice.currency, choice.method),
      );
    if (isZero(priced.settlement_amount))
      return invalid({ currency: `the price comes to nothing in ${choice.currency.code}` });
    const wallet = held?.wallet_address ?? walletFor(choice.method, choice.currency, bytes).wallet_address;
    const awaiting = moveCharge(
      tx,
      priceCharge(tx, charge, { ...choice, price: priced, walletAddress: wallet }),
      "AWAITING_PAYMENT",
      "api",
    );
    return isRefusal(awaiting) ? awaiting : beginTimeline(tx, awaiting);
  };
}

/** What each method would come to in each of its currencies, as of now: what the hosted page shows. */
export function offers(tx: Transaction, charge: Charge): { choice: ChosenMethod; price: Price }[] {
  return charge.offered_methods.flatMap((id) => {
    const method = tx.catalogue.method(id);
    return (method?.currencies ?? []).flatMap((code) => {
      const currency = tx.catalogue.currency(code);
      if (method === undefined || currency === undefined) return [];
      const choice: ChosenMethod = {
        method,
        currency,
        rail: tx.catalogue.rails(id, code)[0],
        phoneNumber: null,
        bankAccountNumber: null,
      };
      const offered =
        heldQuote(tx, charge, choice) ??
        price(charge.pricing, code, termsFor(tx, charge.pricing.base_currency, currency, method));
      return isZero(offered.settlement_amount) ? [] : [{ choice, price: offered }];
    });
  });
}

/** The quote the checkout was made with, if it is for that choice and its price is still held. */
function heldQuote(tx: Transaction, charge: Charge, { method, currency }: ChosenMethod) {
  const quote = charge.quote_id === null ? undefined : tx.get("quotes", charge.quote_id);
  return quote !== undefined &&
    tx.atMs < quote.locked_until_ms &&
    quote.payment_method === method.id &&
    quote.currency === currency.code
    ? quote
    : undefined;
}
