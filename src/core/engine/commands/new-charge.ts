import type { Charge } from "../../domain/charge-transition.js";
import type { Pricing } from "../../domain/pricing.js";
import { type Refusal, refuse } from "../../schema/refusals.js";
import type { CheckoutBody } from "../../schema/service-requests.js";
import { clampInstant, iso } from "../../schema/time.js";
import { idOf, providerReferenceOf } from "../ids.js";
import type { PriceAtCreation } from "../market.js";
import type { Caller, Transaction } from "../transaction.js";

const MINUTE_MS = 60_000;

export interface NewCharge {
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

/** Refuses a further charge in a namespace that holds as many as its limit. */
export function refuseAboveLimit({ state, settings }: Transaction): Refusal | undefined {
  const { charges } = settings.limits;
  return state.tables.charges.size < charges ? undefined : limitReached(charges);
}

export function limitReached(charges: number): Refusal {
  return refuse(
    "LIMIT_REACHED",
    `The namespace holds ${charges} charges, its limit: reset it, delete it, or raise limits.charges.`,
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
