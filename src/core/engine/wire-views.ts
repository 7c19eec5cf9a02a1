import type * as z from "zod/mini";
import type { Charge } from "../domain/charge-transition.js";
import { bookedPayment } from "../domain/ledger-postings.js";
import type { Withdrawal } from "../domain/withdrawal.js";
import type { DeepReadonly } from "../schema/records/record-fields.js";
import type { chargeDetailSchema } from "../schema/responses/charge-responses.js";
import type { destinationSchema } from "../schema/responses/payout-responses.js";
import { durationToMs, iso } from "../schema/time.js";
import type { Destination, Endpoint, Quote } from "./records.js";

/* Response bodies of the service. Records are immutable, so the JSON of the two most-read views of a charge is cached by record. */

function payinSummary(charge: Charge) {
  return {
    charge_id: charge.charge_id,
    checkout_id: charge.checkout_id,
    organization_id: charge.organization_id,
    amount: charge.amount,
    currency: charge.currency,
    status: charge.status,
    payment_provider: null,
    provider_reference: charge.provider_reference,
    created_at: charge.created_at,
    updated_at: charge.updated_at,
  };
}

/** Specification: Charge detail. `Object.assign`, because Node 20 is slow to add fields to a spread. */
export function chargeDetailView(charge: Charge) {
  const detail = {
    payment_method: charge.payment_method,
    payment_rail: charge.payment_rail,
    customer_email: charge.customer_email,
    customer_name: charge.customer_name,
    metadata: charge.metadata,
    fees: charge.fees,
    exchange_rate: charge.exchange_rate,
    settlement_amount: charge.settlement_amount,
    settled_at: charge.settled_at,
    failure_reason: charge.failure_reason,
    payment_instructions: charge.payment_instructions,
    expires_at: charge.expires_at,
    status_history: charge.status_history,
  } satisfies Record<Exclude<keyof z.infer<typeof chargeDetailSchema>, SummaryField | PaidField>, unknown>;
  return Object.assign(payinSummary(charge), detail, paidFields(charge));
}

type SummaryField = keyof ReturnType<typeof payinSummary>;

type PaidField = "amount_paid" | "currency_paid";

/** Money of a payment that has arrived in another amount or currency; empty before, and for any other payment. */
function paidFields(charge: Charge) {
  const { amount_paid, currency_paid, status_history } = charge;
  const hasArrived =
    amount_paid !== undefined && status_history.some(({ status }) => PAYMENT_ARRIVED.includes(status));
  const booked = hasArrived ? bookedPayment(charge) : undefined;
  if (booked === undefined) return {};
  const { fees, settlement_amount } = booked;
  return { fees, settlement_amount, amount_paid, currency_paid };
}

const PAYMENT_ARRIVED: readonly string[] = ["PROCESSING", "COMPLETED"];

/** Texts of charges by record: without them, a GET takes three times the processor time. */
const texts = new WeakMap<Charge, { summary?: string; detail?: string }>();

export function payinSummaryJson(charge: Charge): string {
  return (textsOf(charge).summary ??= JSON.stringify(payinSummary(charge)));
}

export function chargeDetailJson(charge: Charge): string {
  return (textsOf(charge).detail ??= JSON.stringify(chargeDetailView(charge)));
}

function textsOf(charge: Charge) {
  let found = texts.get(charge);
  if (found === undefined) texts.set(charge, (found = {}));
  return found;
}

/** Whitelabel checkout result. The status is AWAITING_PAYMENT if the timeline sets that status without delay. */
export function whitelabelResultView(charge: Charge) {
  const [first] = charge.timeline;
  const awaitsAtOnce =
    first?.to === "AWAITING_PAYMENT" && "after" in first && durationToMs(first.after) === 0;
  return {
    checkout_id: charge.checkout_id,
    charge_id: charge.charge_id,
    status: awaitsAtOnce ? "AWAITING_PAYMENT" : "PENDING",
    amount: charge.amount,
    currency: charge.currency,
    payment_method: charge.payment_method,
    payment_provider: null,
    provider_reference: charge.provider_reference,
    payment_instructions: charge.payment_instructions,
    expires_at: charge.expires_at,
    created_at: charge.created_at,
  };
}

/** Quote as the service returns it; a crypto quote also has a wallet and its network. */
export function quoteView(quote: Quote) {
  return {
    quote_id: quote.quote_id,
    payment_method: quote.payment_method,
    payment_rail: quote.payment_rail,
    base_currency: quote.pricing.base_currency,
    base_amount: quote.pricing.amount,
    amount: quote.amount,
    currency: quote.currency,
    exchange_rate: quote.exchange_rate,
    fees: quote.fees,
    settlement_amount: quote.settlement_amount,
    expires_at: iso(quote.expires_at_ms),
    locked_until: iso(quote.locked_until_ms),
    created_at: iso(quote.created_at_ms),
    ...(quote.wallet_address === null
      ? {}
      : { wallet_address: quote.wallet_address, network: quote.network! }),
  };
}

/** Hosted checkout as the service returns it, with the URL of its page. */
export function checkoutView(charge: Charge, checkoutUrl: string) {
  return {
    checkout_id: charge.checkout_id,
    checkout_url: checkoutUrl,
    charge_id: charge.charge_id,
    status: charge.status,
    amount: charge.amount,
    currency: charge.currency,
    payment_methods: charge.offered_methods,
    metadata: charge.metadata,
    expires_at: charge.expires_at,
    created_at: charge.created_at,
  };
}

export function destinationView(destination: Destination) {
  return {
    destination_id: destination.destination_id,
    ...destination.fields,
    created_at: destination.created_at,
  } as DeepReadonly<z.infer<typeof destinationSchema>>;
}

export function withdrawalView(withdrawal: Withdrawal) {
  return {
    withdrawal_id: withdrawal.withdrawal_id,
    destination_id: withdrawal.destination_id,
    organization_id: withdrawal.organization_id,
    amount: withdrawal.amount,
    fee: withdrawal.fee,
    currency: withdrawal.currency,
    status: withdrawal.status,
    failure_reason: withdrawal.failure_reason,
    reference: withdrawal.reference,
    metadata: withdrawal.metadata,
    created_at: withdrawal.created_at,
    updated_at: withdrawal.updated_at,
  };
}

export function endpointView(endpoint: Endpoint) {
  return {
    webhook_id: endpoint.webhook_id,
    url: endpoint.url ?? `mailbox:${endpoint.mailbox}`,
    events: endpoint.events,
    secret: endpoint.secret,
    enabled: endpoint.enabled,
    created_at: endpoint.created_at,
  };
}
