import { deriveWalletAddress } from "../../domain/fictional-accounts.js";
import { METHOD_KINDS } from "../../domain/method-kinds.js";
import { isZero } from "../../domain/money.js";
import { readQuoteRequest } from "../../domain/requests/payment-requests.js";
import type { CurrencyFixture, MethodFixture } from "../../schema/fixtures-file.js";
import { isRefusal, type Refusal, refuseInvalid } from "../../schema/refusals.js";
import { clampInstant } from "../../schema/time.js";
import { idOf } from "../ids.js";
import { currentPrice } from "../market.js";
import type { Quote } from "../records.js";
import { readRequestedScenario } from "../scenario-lookup.js";
import type { Caller, Command, Transaction } from "../transaction.js";

/** Maximum number of expired quotes removed per new quote. Removing just one would never shrink a backlog. */
const FORGET_MAX_QUOTES = 2;

/** Creates a quote. The scenario header can select faults for the call, so an unknown scenario name is refused. */
export function createQuote(
  caller: Caller,
  body: unknown,
  scenarioHeader: string | null,
): Command<Quote | Refusal> {
  return (tx) => {
    const requested = readRequestedScenario(tx.state, scenarioHeader, undefined);
    const request = readQuoteRequest(tx.catalogue, caller.organization, body, requested.faults);
    if (isRefusal(request)) return request;
    const { pricing, method, currency, rail } = request;
    const priced = currentPrice(tx, pricing, currency, method);
    if (isZero(priced.settlement_amount)) return refuseZeroPrice(currency.code);
    const digest = tx.digest("quote");
    const quote: Quote = {
      quote_id: idOf("quote", digest),
      seq: tx.next("quote_seq"),
      mode: caller.mode,
      organization_id: caller.organization.organization_id,
      pricing,
      payment_method: method.id,
      payment_rail: rail?.id ?? null,
      amount: priced.amount,
      currency: currency.code,
      exchange_rate: priced.exchange_rate,
      fees: priced.fees,
      settlement_amount: priced.settlement_amount,
      ...walletFor(method, currency, digest),
      customer_email: request.customerEmail,
      created_at_ms: tx.atMs,
      expires_at_ms: clampInstant(tx.atMs + tx.settings.limits.quote_valid_ms),
      locked_until_ms: clampInstant(tx.atMs + tx.settings.limits.quote_locked_ms),
    };
    tx.put("quotes", quote.quote_id, quote);
    forgetOldQuotes(tx);
    return quote;
  };
}

export function refuseZeroPrice(currency: string): Refusal {
  return refuseInvalid({ "pricing.amount": `is too small: it is zero in ${currency}` });
}

/** Wallet to which the customer sends crypto, and the wallet's network (default: the currency code). */
export function walletFor(
  method: MethodFixture,
  currency: CurrencyFixture,
  digest: string,
): { wallet_address: string | null; network: string | null } {
  if (METHOD_KINDS[method.kind].hasWallet === undefined) return { wallet_address: null, network: null };
  const network = currency.network ?? currency.code;
  return { wallet_address: deriveWalletAddress(network, Buffer.from(digest, "hex")), network };
}

/** Removes a few expired quotes. Clients cannot tell, because expired and unknown quotes get the same response. */
function forgetOldQuotes(tx: Transaction): void {
  for (const [, quote] of tx.state.oldestOf("quotes", FORGET_MAX_QUOTES))
    if (Math.max(quote.expires_at_ms, quote.locked_until_ms) <= tx.atMs) tx.remove("quotes", quote.quote_id);
}

const QUOTE_GONE = "Quote expired or not found. Please get a new quote.";

export function findValidQuote(tx: Transaction, caller: Caller, quoteId: string): Quote | Refusal {
  const quote = tx.get("quotes", quoteId);
  if (
    quote === undefined ||
    quote.mode !== caller.mode ||
    quote.organization_id !== caller.organization.organization_id ||
    tx.atMs >= quote.expires_at_ms
  )
    return refuseInvalid({ quote_id: QUOTE_GONE });
  return quote;
}
