import type { Charge } from "../../src/core/domain/charge-transition.js";
import { iso } from "../../src/core/schema/time.js";

export const CREATED_MS = Date.UTC(2026, 0, 31, 9);

/** Returns a frozen charge that awaits its payment, with the given changes. */
export function chargeWith(differs: Partial<Charge> = {}): Charge {
  const status = differs.status ?? "PENDING";
  const charge: Charge = {
    charge_id: "ch_1",
    checkout_id: "co_1",
    organization_id: "org_sandbox",
    amount: "102.50",
    currency: "KES",
    status,
    provider_reference: "PSB2345678",
    created_at: iso(CREATED_MS),
    updated_at: iso(CREATED_MS),
    payment_method: "mobile_money",
    payment_rail: "simba_pesa",
    customer_email: "ada@shop.test",
    customer_name: null,
    metadata: {},
    fees: { total_fee: "2.50", fee_breakdown: { platform_fee: "1.00", gateway_fee: "1.50" } },
    exchange_rate: "1",
    settlement_amount: "100.00",
    settled_at: null,
    failure_reason: null,
    payment_instructions: null,
    expires_at: iso(CREATED_MS + 3_600_000),
    status_history: Object.freeze([{ status, at: iso(CREATED_MS) }]),
    seq: 1,
    mode: "test",
    kind: "whitelabel",
    success_url: null,
    cancel_url: null,
    offered_methods: ["mobile_money"],
    quote_id: "qt_1",
    pricing: { base_currency: "KES", amount: "100.00" },
    phone_number: "+254700000001",
    bank_account_number: null,
    expires_at_ms: CREATED_MS + 3_600_000,
    settlement_delay_ms: 0,
    scenario_asked: null,
    scenario: null,
    timeline: [],
    rule: null,
    actors: ["api"],
    overruled: false,
    traceparent: null,
    tasks: {},
    notes: [],
    ...differs,
  };
  return Object.freeze(charge);
}
