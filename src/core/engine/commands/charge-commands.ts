import { type Actor, type Charge, needsMethod } from "../../domain/charge-transition.js";
import { decimalsOf, isZero, toCanonicalAmount } from "../../domain/money.js";
import { isSamePricing, type Pricing, pricingMismatchMessage } from "../../domain/pricing.js";
import { readWhitelabelRequest } from "../../domain/requests/payment-requests.js";
import { amountSchema, type ChargeStatus } from "../../schema/common.js";
import { safeParse } from "../../schema/issues.js";
import { type ErrorDetails, isRefusal, type Refusal, refuse, refuseInvalid } from "../../schema/refusals.js";
import type { CheckoutBody } from "../../schema/service-requests.js";
import { clampInstant, iso } from "../../schema/time.js";
import { idOf, providerReferenceOf } from "../ids.js";
import type { PriceAtCreation } from "../market.js";
import { readRequestedScenario } from "../scenario-lookup.js";
import type { Caller, Command, Transaction } from "../transaction.js";
import { beginTimeline, changeChargeStatus, setMatchingTimeline } from "./charge-life.js";
import { priceByDefaultMethod, priceCharge, quotedTerms } from "./methods.js";
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
    if (!isSamePricing(pricing, quote.pricing)) mismatches.pricing = pricingMismatchMessage(quote.pricing);
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

/** Completes a charge with a payment of another amount, in the charge's currency. */
export function payAmount(chargeId: string, requested: string, actor: Actor): Command<Charge | Refusal> {
  return (tx) => {
    const found = tx.get("charges", chargeId);
    if (found === undefined) return refuse("NOT_FOUND", "Charge not found");
    const charge = (needsMethod(found, "COMPLETED") ? priceByDefaultMethod(tx, found) : undefined) ?? found;
    const { decimals, code } = tx.catalogue.requireCurrency(charge.currency);
    if (!safeParse(amountSchema, requested).ok || decimalsOf(requested) > decimals || isZero(requested))
      return refuseInvalid({
        amount: `must be a decimal number above 0, with at most ${decimals} decimals in ${code}`,
      });
    const amount_paid = toCanonicalAmount(requested, decimals);
    return changeChargeStatus(tx, { ...charge, amount_paid, currency_paid: code }, "COMPLETED", actor);
  };
}

/** Cancels a charge for its customer; called by the checkout page and the control API. */
export function cancelCharge(chargeId: string): Command<Charge | Refusal> {
  return transitionCharge(chargeId, "CANCELLED", "customer", "cancelled_by_customer");
}

const MINUTE_MS = 60_000;

interface NewCharge {
  readonly kind: Charge["kind"];
  readonly body: Omit<CheckoutBody, "pricing">;
  readonly pricing: Pricing;
  readonly price?: PriceAtCreation | undefined;
  /** Amount of a charge without a price; default: the base amount. */
  readonly amount?: string;
  readonly offeredMethods: readonly string[];
  readonly scenarioAsked: string | null;
  readonly traceparent?: string | null;
}

/** Fields that every new charge has, optional ones included. A payment of another amount sets the other two. */
type InitialField = Exclude<keyof Charge, "amount_paid" | "currency_paid">;

export function refuseAboveLimit({ state, settings }: Transaction): Refusal | undefined {
  const { charges } = settings.limits;
  const { size } = state.tables.charges;
  return size < charges ? undefined : limitReached(size, charges);
}

export function limitReached(size: number, limit: number): Refusal {
  return refuse(
    "LIMIT_REACHED",
    `The namespace holds ${size} charges, and its limit is ${limit}: reset it, delete it, or raise limits.charges.`,
  );
}

/** Creates a charge without a method and schedules its expiry. The caller must put the charge. */
export function buildCharge(tx: Transaction, caller: Caller, values: NewCharge): Charge {
  const { body, pricing, price } = values;
  const digest = tx.digest("charge");
  const lifeMs = (body.expires_in_minutes ?? tx.settings.limits.checkout_default_minutes) * MINUTE_MS;
  const expiresAtMs = clampInstant(tx.atMs + lifeMs);
  const ref = idOf("charge", digest);
  const expiry = tx.schedule({ due_ms: expiresAtMs, rank: 0, kind: "expire", ref });
  return {
    charge_id: ref,
    checkout_id: idOf("checkout", digest, 1),
    organization_id: caller.organization.organization_id,
    amount: price?.amount ?? values.amount ?? pricing.amount,
    currency: price?.currency ?? pricing.base_currency,
    status: "PENDING",
    provider_reference: providerReferenceOf(digest),
    created_at: tx.at,
    updated_at: tx.at,
    payment_method: null,
    payment_rail: null,
    customer_email: body.customer_email ?? null,
    customer_name: body.customer_name ?? null,
    metadata: body.metadata ?? {},
    fees: price?.fees ?? null,
    exchange_rate: price?.exchange_rate ?? null,
    settlement_amount: price?.settlement_amount ?? null,
    settled_at: null,
    failure_reason: null,
    payment_instructions: null,
    expires_at: iso(expiresAtMs),
    status_history: [{ status: "PENDING", at: tx.at }],
    seq: tx.next("charge_seq"),
    mode: caller.mode,
    kind: values.kind,
    success_url: body.success_url ?? null,
    cancel_url: body.cancel_url ?? null,
    offered_methods: values.offeredMethods,
    // Refers to the quote's string, so the request's copy can be freed.
    quote_id: (body.quote_id && tx.get("quotes", body.quote_id)?.quote_id) ?? body.quote_id ?? null,
    pricing,
    phone_number: null,
    bank_account_number: null,
    expires_at_ms: expiresAtMs,
    settlement_delay_ms: 0,
    scenario_asked: values.scenarioAsked,
    scenario: null,
    timeline: [],
    rule: null,
    actors: ["api"],
    overruled: false,
    traceparent: values.traceparent ?? null,
    tasks: { expiry },
    notes: [],
  } satisfies { readonly [Name in InitialField]: Charge[Name] };
}
