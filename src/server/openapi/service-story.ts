import { EVENT_TYPES, TEST_EVENT_TYPE } from "../../core/schema/event-types.js";
import { OPERATIONS } from "../service/operations.js";
import type { Json } from "./document.js";
import { type Played, Story } from "./story.js";

/**
 * One story told by all examples: a shop asks 25 US dollars, Ada pays in Kenyan shillings by mobile money, the shop
 * withdraws some of it. `fetch` is that of a sandbox with the shipped fixtures whose clock stands.
 */
export async function playService(fetch: (request: Request) => Promise<Response>): Promise<Played> {
  const story = new Story(OPERATIONS, fetch);
  await browse(story);
  const charge = await pay(story);
  await story.send("POST", "/_sandbox/clock/advance", { by: "5s" });
  const params = { charge_id: charge.charge_id };
  await story.call("getPayin", "completed", { params });
  await story.call("getCharge", "completed", { params });
  await story.call("listPayins", "one payment");
  await story.call("listPayins", "limit out of range", { query: { limit: "500" } });
  await story.call("getBalances", "after a payment");
  await withdraw(story);
  await host(story);
  for (const type of EVENT_TYPES)
    await story.event(type, type === TEST_EVENT_TYPE ? { data: { hello: "receiver" } } : {});
  await register(story);
  await stray(story);
  return story.played;
}

const pricing = { base_currency: "USD", amount: "25.00" };
export const QUOTE_REQUEST = { pricing, payment_method: "mobile_money", to_currency: "KES" };
export const WHITELABEL_REQUEST = {
  pricing,
  customer_email: "ada@shop.test",
  customer_name: "Ada Obi",
  payment_method: "mobile_money",
  phone_number: "+254700000001",
  metadata: { order_id: "1042" },
};
export const CHECKOUT_REQUEST = {
  pricing,
  customer_email: "ada@shop.test",
  payment_methods: ["mobile_money", "card"],
  success_url: "https://shop.test/orders/1043",
  metadata: { order_id: "1043" },
  expires_in_minutes: 30,
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
export const WITHDRAWAL_REQUEST = { amount: "1000.00", currency: "KES", reference: "rent-1" };
export const WEBHOOK_REQUEST = { url: "http://localhost:3000/webhooks", events: ["charge.*"] };

async function browse(story: Story): Promise<void> {
  await story.call("listPaymentMethods", "methods");
  await story.call("listSupportedCurrencies", "currencies");
  await story.call("listPayoutCurrencies", "currencies");
  const query = { payment_method: "mobile_money", currency: "KES" };
  await story.call("listPaymentRails", "rails", { query });
  await story.call("listPaymentRails", "unknown currency", { query: { currency: "XXX" } });
  await story.call("getOrganization", "the sandbox's");
}

async function pay(story: Story): Promise<Json> {
  const { quote_id } = await story.call("createQuote", "mobile money", { body: QUOTE_REQUEST });
  const dear = { ...QUOTE_REQUEST, payment_method: "crypto", to_currency: "USDT_TRC20" };
  await story.call("createQuote", "crypto", { body: dear });
  const nothing = { ...QUOTE_REQUEST, pricing: { ...pricing, amount: "0.00" } };
  await story.call("createQuote", "nothing to pay", { body: nothing });
  const body = { ...WHITELABEL_REQUEST, quote_id };
  const other = { ...body, payment_method: "card" };
  await story.call("createWhitelabel", "another method than the quote's", { body: other });
  const unknown = { ...body, quote_id: "qt_000000000000000000000000" };
  await story.call("createWhitelabel", "quote expired or unknown", { body: unknown });
  return story.call("createWhitelabel", "mobile money", { body });
}

async function withdraw(story: Story): Promise<void> {
  for (const [name, body] of Object.entries(DESTINATION_REQUESTS))
    await story.call("createDestination", name, { body });
  const { bank_code, ...incomplete } = DESTINATION_REQUESTS["bank account"];
  await story.call("createDestination", "a field is missing", { body: incomplete });
  const { items } = await story.call("listDestinations", "three destinations");
  const { destination_id } = (items as Json[]).at(-1)!;
  await story.call("getDestination", "mobile money", { params: { destination_id } });
  const body = { destination_id, ...WITHDRAWAL_REQUEST };
  const headers = { "idempotency-key": "rent-1-first-try" };
  const withdrawal = await story.call("createWithdrawal", "pending", {
    body,
    headers,
    named: "to mobile money",
  });
  await story.call("createWithdrawal", "another body", { body: { ...body, amount: "1100.00" }, headers });
  await story.call("createWithdrawal", "too little money", { body: { ...body, amount: "90000.00" } });
  await story.call("createWithdrawal", "below the minimum", { body: { ...body, amount: "1.00" } });
  await story.call("listWithdrawals", "one withdrawal");
  const params = { withdrawal_id: withdrawal.withdrawal_id };
  await story.call("getWithdrawal", "pending", { params });
}

async function host(story: Story): Promise<void> {
  await story.call("createCheckout", "two methods", { body: CHECKOUT_REQUEST });
  const unknown = { ...CHECKOUT_REQUEST, quote_id: "qt_000000000000000000000000" };
  await story.call("createCheckout", "quote expired or unknown", { body: unknown });
}

async function register(story: Story): Promise<void> {
  const { webhook_id } = await story.call("createWebhook", "charges only", { body: WEBHOOK_REQUEST });
  await story.call("createWebhook", "no web address", { body: { url: "localhost:3000/webhooks" } });
  await story.call("listWebhooks", "one endpoint");
  const params = { webhook_id };
  await story.call("getWebhook", "charges only", { params });
  await story.call("updateWebhook", "charges only", { params, body: { enabled: true }, named: "turn it on" });
  await story.call("updateWebhook", "no list", { params, body: { events: "charge.*" } });
  await story.call("rotateWebhookSecret", "charges only", { params });
  await story.call("deleteWebhook", "gone", { params });
}

/** What is not there, and a page that begins before the first. */
async function stray(story: Story): Promise<void> {
  const nobody = "000000000000000000000000";
  const params = {
    charge_id: `ch_${nobody}`,
    destination_id: `dst_${nobody}`,
    withdrawal_id: `wd_${nobody}`,
    webhook_id: `we_${nobody}`,
  };
  for (const { id, path, body } of OPERATIONS)
    if (path.includes(":"))
      await story.call(id, "no such id", { params, ...(body === undefined ? {} : { body: {} }) });
  for (const id of ["listPayins", "listDestinations", "listWithdrawals", "listWebhooks"])
    await story.call(id, "offset out of range", { query: { offset: "-1" } });
}
