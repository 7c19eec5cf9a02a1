export const CHARGE = {
  charge_id: "ch_0fe6adcf135a11e36eb247bc",
  checkout_id: "co_e722520ceb1a7e4acb9d54b3",
  organization_id: "org_sandbox",
  amount: "3305.63",
  currency: "KES",
  status: "COMPLETED",
  payment_provider: null,
  provider_reference: "PSBH8FHMUK5GL",
  created_at: "2026-01-31T09:00:00.000Z",
  updated_at: "2026-01-31T09:00:05.000Z",
  payment_method: "mobile_money",
  payment_rail: "simba_pesa",
  customer_email: "ada@shop.test",
  customer_name: "Ada Obi",
  metadata: { order_id: "1042" },
  fees: { total_fee: "80.63", fee_breakdown: { platform_fee: "32.25", gateway_fee: "48.38" } },
  exchange_rate: "129",
  settlement_amount: "3225.00",
  settled_at: "2026-01-31T09:00:05.000Z",
  failure_reason: null,
  payment_instructions: {
    type: "mobile_money",
    provider: "SimbaPesa Sandbox",
    phone_number: "+254000152755",
    reference: "PSBH8FHMUK5GL",
    instructions: "Send exactly 3305.63 KES (Kenyan shilling) with SimbaPesa Sandbox to +254000152755.",
  },
  expires_at: "2026-01-31T10:00:00.000Z",
  status_history: [
    { status: "PENDING", at: "2026-01-31T09:00:00.000Z" },
    { status: "COMPLETED", at: "2026-01-31T09:00:05.000Z" },
  ],
};
const WITHDRAWAL = {
  withdrawal_id: "wd_bc7f60c88949b7849b107b21",
  destination_id: "dst_987314360717883ad928acde",
  organization_id: "org_sandbox",
  amount: "1000.00",
  fee: "0.00",
  currency: "KES",
  status: "PENDING",
  failure_reason: null,
  reference: "rent-1",
  metadata: {},
  created_at: "2026-01-31T09:00:10.000Z",
  updated_at: "2026-01-31T09:00:10.000Z",
};

/** The same story as the service's examples tell, seen from behind. */
const START = "2026-01-31T09:00:00.000Z";
const COMPLETED_AT = "2026-01-31T09:00:05.000Z";
const { charge_id } = CHARGE;
const DELIVERY_ID = "dlv_1d0c5a8a2f6ce0b1d4c7a9e3";
const WEBHOOK_ID = "we_a4b8a6c7d1f04e2f9c3b5d6e";

export const HEALTH = { status: "ok", version: "1.0.0" };

export const CLOCK = { mode: "manual", speed: 1, now: START, next_due: null, advancing: false };

const keys = {
  api_key: "sk_test_sandbox",
  live_api_key: "sk_live_sandbox",
  webhook_secret: "whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE=",
  seed: "payments-sandbox",
};

export const SANDBOX = {
  version: "1.0.0",
  namespace: "default",
  keys: [{ key: keys.api_key, organization_id: "org_sandbox", permission: "full" }],
  ...keys,
  clock: CLOCK,
  counts: {
    charges: 1,
    quotes: 1,
    withdrawals: 0,
    events: 3,
    deliveries: 3,
    webhook_endpoints: 1,
    scenarios: 16,
    tasks: 0,
  },
};

export const NAMESPACE_REQUEST = { name: "worker-1", clock: "manual" };
export const NAMESPACE = {
  name: "worker-1",
  ...keys,
  api_key: "sk_test_ns_worker-1",
  live_api_key: "sk_live_ns_worker-1",
  clock: CLOCK,
  charges: 0,
};

export const STATE = {
  version: 1,
  seq: 1,
  at: Date.parse(START),
  counters: {},
  collections: {
    world: [
      [
        "world",
        {
          name: "default",
          seed: "payments-sandbox",
          start_ms: Date.parse(START),
          asked_start_ms: null,
          generation: 0,
          highest_generation: 0,
          restores: 0,
        },
      ],
    ],
  },
};

export const SNAPSHOT = { name: "paid", at: COMPLETED_AT };

export const ADVANCE_REPORT = {
  from: START,
  to: "2026-01-31T09:30:00.000Z",
  fired: [{ at: "2026-01-31T09:00:01.000Z", task: "timeline", ref: charge_id }],
  fired_total: 1,
};

export const CONTROL_CHARGE = {
  ...CHARGE,
  mode: "test",
  kind: "whitelabel",
  sandbox: {
    scenario: "default",
    scenario_asked: null,
    timeline: [
      { after: "1s", to: "AWAITING_PAYMENT" },
      { after: "2s", to: "PROCESSING" },
      { after: "2s", to: "COMPLETED" },
    ],
    notes: [],
  },
};

export const REQUEST_ENTRY = {
  request_id: 3,
  at: COMPLETED_AT,
  method: "GET",
  path: "/api/v1/accounts/balances",
  query: {},
  operation: "getBalances",
  status: 200,
  client_gone: false,
  api_key: "sk_test_…dbox",
  idempotency_key: null,
  runner: null,
  scenario: null,
  fault: null,
  request_body: null,
  request_body_bytes: null,
  response_body: { success: true, account_id: "org_sandbox", balances: [], total_balance_usd: "0.00" },
  response_body_bytes: 84,
};

const PAYLOAD = {
  id: "evt_bf97a3a164010d696c2bec1f",
  type: "charge.completed",
  timestamp: COMPLETED_AT,
  mode: "test",
  data: CHARGE,
};
export const EVENT = {
  event_id: PAYLOAD.id,
  type: PAYLOAD.type,
  at: COMPLETED_AT,
  mode: "test",
  organization_id: "org_sandbox",
  charge_id,
  data: CHARGE,
  payload: PAYLOAD,
};
const TEST_DATA = { hello: "app" };
export const TEST_EVENT = {
  event_id: "evt_7be1f0c58a3d4e6f9b2a1c0d",
  type: "webhook.test",
  at: START,
  mode: "test",
  organization_id: null,
  data: TEST_DATA,
  payload: {
    id: "evt_7be1f0c58a3d4e6f9b2a1c0d",
    type: "webhook.test",
    timestamp: START,
    mode: "test",
    data: TEST_DATA,
  },
};

const SIGNED = {
  "webhook-id": PAYLOAD.id,
  "webhook-timestamp": "1769850005",
  "webhook-signature": "v1,Wm9tYmllIHNpZ25hdHVyZSwgb25seSBhIHNhbXBsZSE=",
};
const ATTEMPT = {
  attempt: 1,
  at: COMPLETED_AT,
  sent_at: "2026-01-31T09:00:05.012Z",
  duration_ms: 4,
  request_headers: { "content-type": "application/json", ...SIGNED },
  status: 200,
  response_body: "ok",
  error: null,
};
const ABOUT = { event_id: EVENT.event_id, type: EVENT.type };
export const DELIVERY = {
  delivery_id: DELIVERY_ID,
  ...ABOUT,
  mode: "test",
  webhook_id: WEBHOOK_ID,
  url: "http://localhost:3000/webhooks",
  charge_id,
  status: "delivered",
  answered: 200,
  created_at: COMPLETED_AT,
  next_attempt_at: null,
  mishap: null,
  attempts: [ATTEMPT],
  body: JSON.stringify(PAYLOAD),
  data: CHARGE,
};
export const NEW_DELIVERY = {
  ...DELIVERY,
  delivery_id: "dlv_8c2f60d7b91e4a3c5d6f7081",
  status: "pending",
  answered: null,
  next_attempt_at: COMPLETED_AT,
  attempts: [],
};

export const MAILBOX_ITEM = {
  delivery_id: DELIVERY_ID,
  ...ABOUT,
  attempt: 1,
  ack_within_ms: 15_000,
  headers: { "content-type": "application/json", ...SIGNED },
  body: DELIVERY.body,
};

export const ENDPOINT_REQUEST = { url: "http://localhost:3000/webhooks", events: ["charge.*"] };
export const ENDPOINT = {
  webhook_id: WEBHOOK_ID,
  ...ENDPOINT_REQUEST,
  mailbox: null,
  unreachable: "hold",
  mode: "test",
  organization_id: null,
  secret: keys.webhook_secret,
  signature: "standard",
  enabled: true,
  created_at: START,
};

export const STORY = {
  charge_id,
  status: "COMPLETED",
  total: 4,
  items: [
    { kind: "transition", status: "COMPLETED", at: COMPLETED_AT },
    {
      kind: "ledger",
      at: COMPLETED_AT,
      entry_id: "le_1",
      posting: "payment",
      currency: "KES",
      postings: [
        { account: "outside", amount: "-3305.63" },
        { account: "pending", amount: "3225.00" },
        { account: "fees", amount: "80.63" },
      ],
    },
    { kind: "event", at: COMPLETED_AT, ...ABOUT },
    { kind: "attempt", delivery_id: DELIVERY_ID, ...ABOUT, webhook_id: WEBHOOK_ID, ...ATTEMPT },
  ],
};

export const BALANCE = {
  organization_id: "org_sandbox",
  mode: "test",
  currency: "KES",
  available_balance: "3225.00",
  pending_balance: "0.00",
};

export const WAIT_REQUEST = {
  for: "charge",
  match: { customer_email: "ada@*", status: "COMPLETED" },
  timeout: "10s",
};
export const WAITED_CHARGE = { ...CHARGE, mode: "test" };

export const SCENARIO_REQUEST = {
  description: "The operator declines.",
  charges: [
    { match: { currency: "KES" }, timeline: [{ after: "2s", to: "FAILED", reason: "declined_by_operator" }] },
  ],
};
export const SCENARIO = { name: "operator-declines", ...SCENARIO_REQUEST, active: false };
export const STEPS_REQUEST = {
  vars: { amount: "500.00" },
  steps: [
    {
      name: "Quote",
      request: "POST /api/v1/payments/quotes",
      body: { pricing: { base_currency: "KES", amount: `$\{amount}` }, payment_method: "mobile_money" },
      expect: { status: 200 },
    },
  ],
};
export const RUN_REPORT = {
  file: "scenario",
  name: "quote",
  outcome: "passed",
  passed: true,
  run_id: "5c1f0a",
  duration_ms: 6,
  steps: [{ number: 1, title: "Quote", kind: "request", line: 1, outcome: "passed", duration_ms: 3 }],
  warnings: [],
};

export const FAULT_REQUEST = { match: { operation: "createQuote" }, respond: { status: 503 }, times: 2 };
export const FAULT = { fault_id: "flt_3f6a1c9e8b7d5042a6c1e0f9", ...FAULT_REQUEST, applied: 0 };

export const COVERAGE = {
  operations: { met: { createQuote: 1, createWhitelabel: 1 }, not_met: ["createCheckout", "getCharge"] },
  statuses: { met: { PENDING: 1, COMPLETED: 1 }, not_met: ["FAILED", "EXPIRED"] },
  events: { met: { "charge.completed": 1 }, not_met: ["charge.failed"] },
  error_codes: { met: {}, not_met: ["VALIDATION_ERROR", "RATE_LIMIT_EXCEEDED"] },
};

export const ADVICE = {
  advice: "Read balances at most every 10 seconds; 30 to 60 are enough.",
  why: "balances were read again too soon",
  times: 1,
  example: `request 4 at ${COMPLETED_AT}`,
};

export const RATES = { rates: { USD: "1", NGN: "1600", KES: "129" } };

export const FAILED_WITHDRAWAL = { ...WITHDRAWAL, status: "FAILED", failure_reason: "account_closed" };

/** What stands on the wire. */
export const STREAM_TEXT = `event: hello\ndata: ${JSON.stringify({ namespace: "default", now: START })}\n\n`;

/** One of a list. */
export function only<Item>(item: Item): { readonly total: 1; readonly items: readonly [Item] } {
  return { total: 1, items: [item] };
}
