import type { ChargeStatus } from "../../schema/common.js";

/**
 * One story told by all examples: a shop asks 25 US dollars, Ada pays in Kenyan shillings by mobile money, the
 * shop withdraws some of it. The numbers are the shipped fixtures' own.
 */
const pricing = { base_currency: "USD", amount: "25.00" };
const metadata = { order_id: "1042" };
const times = { created_at: "2026-01-31T09:00:00.000Z", expires_at: "2026-01-31T10:00:00.000Z" };
const fees = { total_fee: "80.63", fee_breakdown: { platform_fee: "32.25", gateway_fee: "48.38" } };

export const QUOTE_REQUEST = { pricing, payment_method: "mobile_money", to_currency: "KES" };

export const QUOTE = {
  quote_id: "qt_2a1e58a0b2be40422e267c4f",
  payment_method: "mobile_money",
  payment_rail: "simba_pesa",
  base_currency: "USD",
  base_amount: "25.00",
  amount: "3305.63",
  currency: "KES",
  exchange_rate: "129",
  fees,
  settlement_amount: "3225.00",
  expires_at: "2026-01-31T09:00:30.000Z",
  locked_until: "2026-01-31T09:10:00.000Z",
  created_at: times.created_at,
};

export const CRYPTO_QUOTE = {
  ...QUOTE,
  quote_id: "qt_38cd4c3cfe850ff7afedcb67",
  payment_method: "crypto",
  payment_rail: "crypto_usdt_trc20",
  amount: "25.250000",
  currency: "USDT_TRC20",
  exchange_rate: "1",
  fees: { total_fee: "0.250000", fee_breakdown: { platform_fee: "0.125000", gateway_fee: "0.125000" } },
  settlement_amount: "25.000000",
  wallet_address: "TSandboxFakeMoneyX4oDm3XXiLNAZ2Lvq",
  network: "TRC20",
};

export const WHITELABEL_REQUEST = {
  pricing,
  customer_email: "ada@shop.test",
  customer_name: "Ada Obi",
  quote_id: QUOTE.quote_id,
  payment_method: "mobile_money",
  phone_number: "+254700000001",
  metadata,
};

const payment_instructions = {
  type: "mobile_money",
  provider: "SimbaPesa Sandbox",
  phone_number: "+254000152755",
  reference: "PSBH8FHMUK5GL",
  instructions:
    "Send exactly 3305.63 KES (Kenyan shilling) from +254700000001 with SimbaPesa Sandbox to +254000152755 " +
    "(Sandbox Shop), and quote the reference PSBH8FHMUK5GL. This is a sandbox: no real money moves, and none must be sent.",
};

const paid = {
  amount: QUOTE.amount,
  currency: QUOTE.currency,
  payment_provider: null,
  provider_reference: payment_instructions.reference,
};

export const WHITELABEL_RESULT = {
  checkout_id: "co_e722520ceb1a7e4acb9d54b3",
  charge_id: "ch_0fe6adcf135a11e36eb247bc",
  status: "PENDING",
  ...paid,
  payment_method: "mobile_money",
  payment_instructions,
  ...times,
};

export const CHECKOUT_REQUEST = {
  pricing,
  customer_email: "ada@shop.test",
  payment_methods: ["mobile_money", "card"],
  success_url: "https://shop.test/orders/1043",
  metadata: { order_id: "1043" },
  expires_in_minutes: 30,
};

export const CHECKOUT = {
  checkout_id: "co_f2a5ed6a38de6871f3183cfa",
  checkout_url: "http://127.0.0.1:4402/checkout/co_f2a5ed6a38de6871f3183cfa",
  charge_id: "ch_c950e014826f3fba3bd750d1",
  status: "PENDING",
  amount: "25.00",
  currency: "USD",
  payment_methods: ["mobile_money", "card"],
  metadata: { order_id: "1043" },
  expires_at: "2026-01-31T09:30:00.000Z",
  created_at: times.created_at,
};

const summary = {
  charge_id: WHITELABEL_RESULT.charge_id,
  checkout_id: WHITELABEL_RESULT.checkout_id,
  organization_id: "org_sandbox",
  ...paid,
  status: "COMPLETED",
  created_at: times.created_at,
  updated_at: "2026-01-31T09:00:05.000Z",
};
export const PAYIN_LIST = { total: 1, items: [summary] };

export const CHARGE = {
  ...summary,
  payment_method: "mobile_money",
  payment_rail: "simba_pesa",
  customer_email: "ada@shop.test",
  customer_name: "Ada Obi",
  metadata,
  fees,
  exchange_rate: "129",
  settlement_amount: "3225.00",
  settled_at: "2026-01-31T09:00:05.000Z",
  failure_reason: null,
  payment_instructions,
  expires_at: times.expires_at,
  status_history: [
    { status: "PENDING", at: times.created_at },
    { status: "AWAITING_PAYMENT", at: "2026-01-31T09:00:01.000Z" },
    { status: "PROCESSING", at: "2026-01-31T09:00:03.000Z" },
    { status: "COMPLETED", at: "2026-01-31T09:00:05.000Z" },
  ],
};

/** When each status comes in the story, and why where there is a reason. */
const STEPS: Readonly<
  Record<ChargeStatus, { readonly at: string; readonly after?: ChargeStatus; readonly reason?: string }>
> = {
  PENDING: { at: "2026-01-31T09:00:00.000Z" },
  AWAITING_PAYMENT: { at: "2026-01-31T09:00:01.000Z", after: "PENDING" },
  PROCESSING: { at: "2026-01-31T09:00:03.000Z", after: "AWAITING_PAYMENT" },
  COMPLETED: { at: "2026-01-31T09:00:05.000Z", after: "PROCESSING" },
  FAILED: { at: "2026-01-31T09:00:03.000Z", after: "AWAITING_PAYMENT", reason: "declined" },
  CANCELLED: { at: "2026-01-31T09:00:03.000Z", after: "AWAITING_PAYMENT", reason: "cancelled_by_customer" },
  EXPIRED: { at: "2026-01-31T10:00:00.000Z", after: "AWAITING_PAYMENT" },
  REFUNDED: { at: "2026-01-31T09:01:05.000Z", after: "COMPLETED", reason: "requested_by_merchant" },
};

function history(status: ChargeStatus): { status: ChargeStatus; at: string; reason?: string }[] {
  const { after, ...step } = STEPS[status];
  return [...(after === undefined ? [] : history(after)), { status, ...step }];
}

/** The charge as it is when it has just got that status. */
export function chargeExample(status: ChargeStatus) {
  const status_history = history(status);
  return {
    ...CHARGE,
    status,
    updated_at: STEPS[status].at,
    settled_at: status_history.find((step) => step.status === "COMPLETED")?.at ?? null,
    failure_reason: status === "FAILED" ? (STEPS.FAILED.reason ?? null) : null,
    status_history,
  };
}

export const BALANCES = {
  success: true,
  account_id: "org_sandbox",
  balances: [
    { currency: "USD", available_balance: "0.00", pending_balance: "0.00" },
    { currency: "KES", available_balance: "3225.00", pending_balance: "0.00" },
    { currency: "NGN", available_balance: "0.00", pending_balance: "0.00" },
  ],
  total_balance_usd: "25.00",
};

export const ORGANIZATION = {
  organization_id: "org_sandbox",
  name: "Sandbox Shop",
  country: "NG",
  status: "active",
  verified: true,
  enabled_payment_methods: ["bank_transfer", "mobile_money", "card", "crypto"],
  created_at: times.created_at,
};

export const PAYMENT_METHOD_LIST = {
  payment_methods: [
    {
      id: "mobile_money",
      display_name: "Mobile money",
      icon: "mobile",
      description: "Pay from a mobile money wallet",
      type: "fiat",
      enabled_by_default: true,
      currencies: ["NGN", "GHS", "KES", "TZS", "UGX"],
    },
  ],
};

export const CURRENCY_CODES = {
  fiat: ["GHS", "KES", "NGN", "TZS", "UGX", "USD", "ZAR"],
  crypto: ["BTC", "ETH", "USDT_ERC20", "USDT_TRC20"],
};
export const PAYOUT_CURRENCY_CODES = {
  fiat: ["GHS", "KES", "NGN", "USD"],
  crypto: ["USDT_ERC20", "USDT_TRC20"],
};

export const PAYMENT_RAIL_LIST = {
  payment_rails: [
    {
      id: "simba_pesa",
      display_name: "SimbaPesa Sandbox",
      payment_method: "mobile_money",
      currency: "KES",
      country: "KE",
      min_amount: "0.01",
      max_amount: null,
    },
  ],
};

export const DESTINATION_REQUESTS = {
  "mobile money": {
    type: "mobile_money",
    currency: "KES",
    country: "KE",
    phone_number: "+254700000001",
    provider: "SimbaPesa Sandbox",
  },
  "bank account": {
    type: "bank_account",
    currency: "NGN",
    bank_code: "058",
    account_number: "0123456789",
    account_name: "Ada Obi",
  },
  "crypto wallet": {
    type: "crypto_wallet",
    currency: "USDT_TRC20",
    wallet_address: "TSandboxFakeMoneyX4oDm3XXiLNAZ2Lvq",
  },
};

export const DESTINATION = {
  destination_id: "dst_987314360717883ad928acde",
  ...DESTINATION_REQUESTS["mobile money"],
  created_at: "2026-01-31T09:00:10.000Z",
};
export const DESTINATION_LIST = { total: 1, items: [DESTINATION] };

export const WITHDRAWAL_REQUEST = {
  destination_id: DESTINATION.destination_id,
  amount: "1000.00",
  currency: "KES",
  reference: "rent-1",
};

export const WITHDRAWAL = {
  withdrawal_id: "wd_bc7f60c88949b7849b107b21",
  destination_id: DESTINATION.destination_id,
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
export const WITHDRAWAL_LIST = { total: 1, items: [WITHDRAWAL] };

export const WEBHOOK_REQUEST = { url: "http://localhost:3000/webhooks", events: ["charge.*"] };
export const WEBHOOK = {
  webhook_id: "we_7da4d0ff92ae575917d17fa5",
  ...WEBHOOK_REQUEST,
  secret: "whsec_esys8OGsAAUWS7kf9O/m3emNB8wEzjf+/Yk6NqrTmjQ=",
  enabled: true,
  created_at: times.created_at,
};
export const WEBHOOK_LIST = { total: 1, items: [WEBHOOK] };
export const WEBHOOK_DELETED = { webhook_id: WEBHOOK.webhook_id, deleted: true };
