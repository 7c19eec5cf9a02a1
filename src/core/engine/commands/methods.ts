import type { Charge } from "../../domain/charge-transition.js";
import { METHOD_KINDS } from "../../domain/method-kinds.js";
import { isZero } from "../../domain/money.js";
import type { Price } from "../../domain/pricing.js";
import type { ChosenMethod } from "../../domain/requests/payment-requests.js";
import type { CurrencyFixture, MethodFixture } from "../../schema/fixtures-file.js";
import { type Refusal, refuseInvalid } from "../../schema/refusals.js";
import { isOpen } from "../../schema/statuses.js";
import { durationToMs } from "../../schema/time.js";
import { digestOf } from "../ids.js";
import { currentPrice } from "../market.js";
import type { Quote } from "../records.js";
import type { Transaction } from "../transaction.js";
import { walletFor } from "./quote-commands.js";

interface PaymentTerms extends ChosenMethod {
  readonly price: Price;
  readonly walletAddress: string | null;
}

export function priceCharge(tx: Transaction, charge: Charge, terms: PaymentTerms): Charge {
  const { method, currency, rail, price } = terms;
  const organization = tx.catalogue.organization(charge.organization_id);
  return {
    ...charge,
    amount: price.amount,
    currency: currency.code,
    payment_method: method.id,
    payment_rail: rail?.id ?? null,
    fees: price.fees,
    exchange_rate: price.exchange_rate,
    settlement_amount: price.settlement_amount,
    payment_instructions: METHOD_KINDS[method.kind].createInstructions({
      rail: rail ?? null,
      currency,
      amount: price.amount,
      reference: charge.provider_reference,
      merchantName: organization?.name ?? charge.organization_id,
      walletAddress: terms.walletAddress,
      phoneNumber: terms.phoneNumber,
      diallingCode: rail?.country ? tx.catalogue.diallingCode(rail.country) : undefined,
      digest: Buffer.from(digestOf(charge.charge_id), "hex"),
    }),
    phone_number: terms.phoneNumber,
    bank_account_number: terms.bankAccountNumber,
    settlement_delay_ms: settlementDelayMs(currency),
  };
}

/** Fiat settles on COMPLETED unless the currency has a delay; crypto settles after its confirmations. */
function settlementDelayMs(currency: CurrencyFixture): number {
  const { confirmations, settlement_delay } = currency;
  const confirmingMs =
    confirmations === undefined ? 0 : confirmations.count * durationToMs(confirmations.interval);
  return confirmingMs + (settlement_delay === undefined ? 0 : durationToMs(settlement_delay));
}

function lockedQuote(tx: Transaction, charge: Charge): Quote | undefined {
  const quote = charge.quote_id === null ? undefined : tx.get("quotes", charge.quote_id);
  return quote !== undefined && tx.atMs < quote.locked_until_ms ? quote : undefined;
}

/** Currencies in which the customer may pay by a method, the default first. A charge with a price has one. */
export function offeredCurrencies(charge: Charge, method: MethodFixture): readonly string[] {
  if (charge.settlement_amount !== null) return [charge.currency];
  const base = charge.pricing.base_currency;
  const { currencies } = method;
  return currencies.includes(base) ? [base, ...currencies.filter((code) => code !== base)] : currencies;
}

export function quotedTerms(tx: Transaction, quote: Quote, choice: Omit<ChosenMethod, "rail">): PaymentTerms {
  const { method, currency, phoneNumber, bankAccountNumber } = choice;
  const rails = tx.catalogue.rails(method.id, quote.currency);
  return {
    method,
    currency,
    rail: rails.find(({ id }) => id === quote.payment_rail),
    phoneNumber,
    bankAccountNumber,
    price: quote,
    walletAddress: quote.wallet_address,
  };
}

/** Prices a charge at current exchange rates, with the method's first rail. */
export function priceAtMarket(tx: Transaction, charge: Charge, choice: Omit<ChosenMethod, "rail">): Charge {
  const rail = tx.catalogue.rails(choice.method.id, choice.currency.code)[0];
  return priceCharge(tx, charge, marketTerms(tx, charge, { ...choice, rail }));
}

function marketTerms(tx: Transaction, charge: Charge, choice: ChosenMethod): PaymentTerms {
  const { method, currency } = choice;
  return {
    ...choice,
    price: currentPrice(tx, charge.pricing, currency, method),
    walletAddress: walletFor(method, currency, digestOf(charge.charge_id)).wallet_address,
  };
}

/**
 * Returns the quote's terms while they are locked; else terms at current exchange rates. A price from creation stays
 * if it came without a quote, and for a late payment.
 */
function termsOf(tx: Transaction, charge: Charge, choice: ChosenMethod): PaymentTerms {
  const quote = lockedQuote(tx, charge);
  if (quote !== undefined) return quotedTerms(tx, quote, choice);
  const terms = marketTerms(tx, charge, choice);
  return hasPrice(charge) && (charge.quote_id === null || !isOpen(charge.status))
    ? { ...terms, price: charge }
    : terms;
}

function hasPrice(charge: Charge): charge is Charge & Price {
  return charge.settlement_amount !== null;
}

export function priceByMethod(tx: Transaction, charge: Charge, choice: ChosenMethod): Charge | Refusal {
  const terms = termsOf(tx, charge, choice);
  if (isZero(terms.price.settlement_amount))
    return refuseInvalid({ currency: `the price is zero in ${choice.currency.code}` });
  return priceCharge(tx, charge, terms);
}

/** Payment terms of a method in each of the currencies. Skips currencies in which the price is zero. */
function offersOf(
  tx: Transaction,
  charge: Charge,
  method: MethodFixture,
  currencies: readonly string[],
): PaymentTerms[] {
  return currencies.flatMap((code) => {
    const currency = tx.catalogue.currency(code);
    if (currency === undefined) return [];
    const rail = tx.catalogue.rails(method.id, code)[0];
    const terms = termsOf(tx, charge, { method, currency, rail, phoneNumber: null, bankAccountNumber: null });
    return isZero(terms.price.settlement_amount) ? [] : [terms];
  });
}

/** Current payment terms of each method in each of its currencies, for the hosted page. */
export function paymentOffers(tx: Transaction, charge: Charge): PaymentTerms[] {
  return offeredMethods(tx, charge).flatMap((method) =>
    offersOf(tx, charge, method, offeredCurrencies(charge, method)),
  );
}

function offeredMethods(tx: Transaction, charge: Charge): MethodFixture[] {
  return charge.offered_methods.flatMap((id) => tx.catalogue.method(id) ?? []);
}

/** Prices a charge by the first offered method with a price above zero in its default currency. */
export function priceByDefaultMethod(tx: Transaction, charge: Charge): Charge | undefined {
  const [terms] = offeredMethods(tx, charge).flatMap((method) =>
    offersOf(tx, charge, method, offeredCurrencies(charge, method).slice(0, 1)),
  );
  return terms && priceCharge(tx, charge, terms);
}
