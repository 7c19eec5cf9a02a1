import { SERVICE_EVENT_TYPES, TEST_EVENT_TYPE } from "../../core/schema/event-types.js";
import { bodySchema } from "../http/operation-row.js";
import { OPERATIONS } from "../service/operations.js";
import type { OpenApiJson } from "./document.js";
import { type DocumentExamples, ExampleRecorder } from "./example-recorder.js";

/**
 * Records the service's examples: a shop charges 25 US dollars, a customer pays in Kenyan shillings by mobile money,
 * the shop withdraws part of the money. `fetch` calls a sandbox with the default fixtures and a stopped clock.
 */
export async function recordServiceExamples(
  fetch: (request: Request) => Promise<Response>,
): Promise<DocumentExamples> {
  const recorder = new ExampleRecorder(OPERATIONS, fetch);
  await recordCatalogue(recorder);
  const charge = await recordPayment(recorder);
  await recorder.send("POST", "/_sandbox/clock/advance", { by: "5s" });
  const params = { charge_id: charge.charge_id };
  await recorder.call("getPayin", "completed", { params });
  await recorder.call("getCharge", "completed", { params });
  await recorder.call("listPayins", "one payment");
  await recorder.call("listPayins", "limit out of range", { query: { limit: "500" } });
  await recorder.call("getBalances", "after a payment");
  await recordWithdrawal(recorder);
  await recordCheckout(recorder);
  for (const type of SERVICE_EVENT_TYPES)
    await recorder.event(type, type === TEST_EVENT_TYPE ? { data: { hello: "receiver" } } : {});
  await recordWebhooks(recorder);
  await recordErrors(recorder);
  return recorder.examples;
}

const pricing = { base_currency: "USD", amount: "25.00" };
const QUOTE_REQUEST = { pricing, payment_method: "mobile_money", to_currency: "KES" };
const WHITELABEL_REQUEST = {
  pricing,
  customer_email: "ada@shop.test",
  customer_name: "Ada Obi",
  payment_method: "mobile_money",
  phone_number: "+254700000001",
  metadata: { order_id: "1042" },
};
const CHECKOUT_REQUEST = {
  pricing,
  customer_email: "ada@shop.test",
  payment_methods: ["mobile_money", "card"],
  success_url: "https://shop.test/orders/1043",
  metadata: { order_id: "1043" },
  expires_in_minutes: 30,
};
const DESTINATION_REQUESTS = {
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
const WITHDRAWAL_REQUEST = { amount: "1000.00", currency: "KES", reference: "rent-1" };
const WEBHOOK_REQUEST = { url: "http://localhost:3000/webhooks", events: ["charge.*"] };

async function recordCatalogue(recorder: ExampleRecorder): Promise<void> {
  await recorder.call("listPaymentMethods", "methods");
  await recorder.call("listSupportedCurrencies", "currencies");
  await recorder.call("listPayoutCurrencies", "currencies");
  const query = { payment_method: "mobile_money", currency: "KES" };
  await recorder.call("listPaymentRails", "rails", { query });
  await recorder.call("listPaymentRails", "unknown currency", { query: { currency: "XXX" } });
  await recorder.call("getOrganization", "the sandbox's");
}

async function recordPayment(recorder: ExampleRecorder): Promise<OpenApiJson> {
  const { quote_id } = await recorder.call("createQuote", "mobile money", { body: QUOTE_REQUEST });
  const crypto = { ...QUOTE_REQUEST, payment_method: "crypto", to_currency: "USDT_TRC20" };
  await recorder.call("createQuote", "crypto", { body: crypto });
  const free = { ...QUOTE_REQUEST, pricing: { ...pricing, amount: "0.00" } };
  await recorder.call("createQuote", "nothing to pay", { body: free });
  const body = { ...WHITELABEL_REQUEST, quote_id };
  const otherMethod = { ...body, payment_method: "card" };
  await recorder.call("createWhitelabel", "another method than the quote's", { body: otherMethod });
  const unknown = { ...body, quote_id: "qt_000000000000000000000000" };
  await recorder.call("createWhitelabel", "quote expired or unknown", { body: unknown });
  return recorder.call("createWhitelabel", "mobile money", { body });
}

async function recordWithdrawal(recorder: ExampleRecorder): Promise<void> {
  for (const [name, body] of Object.entries(DESTINATION_REQUESTS))
    await recorder.call("createDestination", name, { body });
  const { bank_code, ...incomplete } = DESTINATION_REQUESTS["bank account"];
  await recorder.call("createDestination", "a field is missing", { body: incomplete });
  const { items } = await recorder.call("listDestinations", "three destinations");
  const { destination_id } = (items as OpenApiJson[]).at(-1)!;
  await recorder.call("getDestination", "mobile money", { params: { destination_id } });
  const body = { destination_id, ...WITHDRAWAL_REQUEST };
  const headers = { "idempotency-key": "rent-1-first-try" };
  const withdrawal = await recorder.call("createWithdrawal", "pending", {
    body,
    headers,
    bodyName: "to mobile money",
  });
  await recorder.call("createWithdrawal", "another body", { body: { ...body, amount: "1100.00" }, headers });
  await recorder.call("createWithdrawal", "too little money", { body: { ...body, amount: "90000.00" } });
  await recorder.call("createWithdrawal", "below the minimum", { body: { ...body, amount: "1.00" } });
  await recorder.call("listWithdrawals", "one withdrawal");
  const params = { withdrawal_id: withdrawal.withdrawal_id };
  await recorder.call("getWithdrawal", "pending", { params });
}

async function recordCheckout(recorder: ExampleRecorder): Promise<void> {
  await recorder.call("createCheckout", "two methods", { body: CHECKOUT_REQUEST });
  const unknown = { ...CHECKOUT_REQUEST, quote_id: "qt_000000000000000000000000" };
  await recorder.call("createCheckout", "quote expired or unknown", { body: unknown });
}

async function recordWebhooks(recorder: ExampleRecorder): Promise<void> {
  const { webhook_id } = await recorder.call("createWebhook", "charges only", { body: WEBHOOK_REQUEST });
  await recorder.call("createWebhook", "no web address", { body: { url: "localhost:3000/webhooks" } });
  await recorder.call("listWebhooks", "one endpoint");
  const params = { webhook_id };
  await recorder.call("getWebhook", "charges only", { params });
  await recorder.call("updateWebhook", "charges only", {
    params,
    body: { enabled: true },
    bodyName: "turn it on",
  });
  await recorder.call("updateWebhook", "no list", { params, body: { events: "charge.*" } });
  await recorder.call("rotateWebhookSecret", "charges only", { params });
  await recorder.call("deleteWebhook", "gone", { params });
}

async function recordErrors(recorder: ExampleRecorder): Promise<void> {
  const unknownId = "000000000000000000000000";
  const params = {
    charge_id: `ch_${unknownId}`,
    destination_id: `dst_${unknownId}`,
    withdrawal_id: `wd_${unknownId}`,
    webhook_id: `we_${unknownId}`,
  };
  for (const row of OPERATIONS)
    if (row.call.includes("{"))
      await recorder.call(row.id, "no such id", {
        params,
        ...(bodySchema(row) === undefined ? {} : { body: {} }),
      });
  for (const id of ["listPayins", "listDestinations", "listWithdrawals", "listWebhooks"])
    await recorder.call(id, "offset out of range", { query: { offset: "-1" } });
}
