import { expect } from "vitest";
import { type Api, expectError, KES_ORDER, later, openApi, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { temporaryFile } from "../support/folders.js";

/** Returns each status with its time in seconds. */
async function history(api: Api, id: string): Promise<[string, number][]> {
  const { status_history } = await api.charge(id);
  return status_history.map((one) => [one.status, (Date.parse(one.at) - Date.parse(START)) / 1000]);
}

it("a charge has exactly the documented fields [R9.1 R18.1 R22.1]", async ({ api }) => {
  const quote = await api.quote(KES_ORDER);
  const paid = await api.whitelabel({
    ...KES_ORDER,
    quote_id: quote.quote_id,
    customer_name: "Ada",
    metadata: { order: "A-17" },
  });
  expect(await api.charge(paid.charge_id)).toEqual({
    charge_id: paid.charge_id,
    checkout_id: paid.checkout_id,
    organization_id: "org_sandbox",
    amount: "512.50",
    currency: "KES",
    status: "PENDING",
    payment_provider: null,
    provider_reference: paid.provider_reference,
    created_at: START,
    updated_at: START,
    payment_method: "mobile_money",
    payment_rail: quote.payment_rail,
    customer_email: "ada@shop.test",
    customer_name: "Ada",
    metadata: { order: "A-17" },
    fees: quote.fees,
    exchange_rate: quote.exchange_rate,
    settlement_amount: quote.settlement_amount,
    settled_at: null,
    failure_reason: null,
    payment_instructions: paid.payment_instructions,
    expires_at: later(3600),
    status_history: [{ status: "PENDING", at: START }],
  });
});

it("a charge is the same under /charges and /payins [R1.2 R25.6]", async ({ api }) => {
  const { charge_id } = await api.pay();
  for (let moves = 0; moves < 4; moves++) {
    const one = await api.get(`/api/v1/payments/charges/${charge_id}`);
    const other = await api.get(`/api/v1/payments/payins/${charge_id}`);
    expect(one.status).toBe(200);
    expect(other.text).toBe(one.text);
    await api.advance({ until: "next" });
  }
});

it("a charge begins with the ten fields of its list entry [R8.1 R9.1]", async ({ api }) => {
  const { charge_id } = await api.pay();
  await api.advance({ by: "3s" });
  const [item] = (await api.payins()).items;
  expect(Object.entries(item!)).toEqual(Object.entries(await api.charge(charge_id)).slice(0, 10));
});

it("a charge has the exact amounts of its quote and settles the amount minus fees [R9.2 R11.3 R11.4]", async ({
  api,
}) => {
  for (const [amount, base, method, currency, more] of [
    ["12345678901234567890123.45", "NGN", "card", "NGN", { phone_number: undefined }],
    ["0.12345678", "BTC", "crypto", "BTC", { phone_number: undefined }],
    ["99.99", "USD", "mobile_money", "UGX", { phone_number: "+256700000001" }],
  ] as const) {
    const pricing = { base_currency: base, amount };
    const quote = await api.quote({ pricing, payment_method: method, to_currency: currency });
    const body = { ...KES_ORDER, pricing, payment_method: method, ...more, quote_id: quote.quote_id };
    const charge = await api.charge((await api.whitelabel(body)).charge_id);
    for (const field of [
      "amount",
      "currency",
      "exchange_rate",
      "settlement_amount",
      "fees",
      "payment_rail",
    ] as const)
      expect(charge[field]).toEqual(quote[field]);
    const units = (text: string) => BigInt(text.replace(".", ""));
    const { total_fee, fee_breakdown } = quote.fees;
    expect(units(quote.amount) - units(total_fee)).toBe(units(quote.settlement_amount));
    expect(units(fee_breakdown.platform_fee) + units(fee_breakdown.gateway_fee)).toBe(units(total_fee));
  }
});

it("GET charges returns 404 for a charge of another organization or mode [R1.12 R27.3]", async ({ api }) => {
  const { charge_id } = await api.pay();
  const path = `/api/v1/payments/charges/${charge_id}`;
  for (const key of ["sk_live_sandbox", "sk_test_other", "sk_test_unverified"]) {
    const answer = await api.as(key).get(path);
    expectError(answer, 404, "NOT_FOUND");
    expect(answer.text).toBe((await api.as(key).get("/api/v1/payments/charges/ch_unknown")).text);
    expectError(await api.as(key).get(`/api/v1/payments/payins/${charge_id}`), 404, "NOT_FOUND");
  }
  expect((await api.as("sk_test_readonly").get(path)).status).toBe(200);
});

it("a charge is found by its own id, not by the id of its checkout", async ({ api }) => {
  const { checkout_id } = await api.pay();
  expectError(await api.get(`/api/v1/payments/charges/${checkout_id}`), 404, "NOT_FOUND");
});

it("a charge completes within seconds by default [R9.5 R17.5 R22.24]", async ({ api }) => {
  const { charge_id } = await api.pay();
  await api.advance({ until: "idle" });
  expect(await history(api, charge_id)).toEqual([
    ["PENDING", 0],
    ["AWAITING_PAYMENT", 1],
    ["PROCESSING", 3],
    ["COMPLETED", 5],
  ]);
  const charge = await api.charge(charge_id);
  expect(charge).toMatchObject({ status: "COMPLETED", updated_at: later(5), settled_at: later(5) });
});

it("a charge shows each status at its scheduled time, even when read late [R1.17 R17.4]", async ({ api }) => {
  const { charge_id } = await api.pay();
  const seen: [string, string][] = [];
  for (let second = 0; second < 7; second++) {
    const { status, updated_at } = await api.charge(charge_id);
    seen.push([status, updated_at]);
    await api.advance({ by: "1s" });
  }
  expect(seen).toEqual([
    ["PENDING", later(0)],
    ["AWAITING_PAYMENT", later(1)],
    ["AWAITING_PAYMENT", later(1)],
    ["PROCESSING", later(3)],
    ["PROCESSING", later(3)],
    ["COMPLETED", later(5)],
    ["COMPLETED", later(5)],
  ]);
});

it("a failed charge has a failure reason [R17.6]", async () => {
  const api = await openApi({ scenario: "declined" });
  const { charge_id } = await api.pay();
  await api.advance({ until: "idle" });
  const charge = await api.charge(charge_id);
  expect(charge).toMatchObject({ status: "FAILED", failure_reason: "declined", settled_at: null });
  expect(charge.status_history.at(-1)).toEqual({
    status: "FAILED",
    at: charge.updated_at,
    reason: "declined",
  });
});

it("a charge expires after 60 minutes by default [R17.8 R22.18]", async () => {
  const api = await openApi({ scenario: "expired" });
  const { charge_id } = await api.pay();
  await api.advance({ until: "idle" });
  expect(await history(api, charge_id)).toEqual([
    ["PENDING", 0],
    ["AWAITING_PAYMENT", 1],
    ["EXPIRED", 3600],
  ]);
});

it("a charge that is already processing completes without expiry [R17.4]", async ({ api }) => {
  const { charge_id } = await api.pay({ customer_email: "stuck@shop.test", expires_in_minutes: 1 });
  await api.advance({ by: "2d" });
  expect((await api.charge(charge_id)).status).toBe("PROCESSING");
});

it("a charge expires when payment and expiry have the same time", async () => {
  const scenario = temporaryFile(
    "on-the-dot.yaml",
    "name: on-the-dot\ncharges:\n  - timeline:\n      - { after: 1m, to: COMPLETED }\n",
  );
  const api = await openApi({ scenario });
  const { charge_id } = await api.pay({ expires_in_minutes: 1 });
  await api.advance({ until: "idle" });
  expect(await history(api, charge_id)).toEqual([
    ["PENDING", 0],
    ["EXPIRED", 60],
  ]);
});

it("a charge can be paid after expiry with the same amounts [R18.7]", async ({ api }) => {
  const { charge_id, amount } = await api.pay({ customer_email: "late@shop.test" });
  await api.advance({ by: "1h1m" });
  expect((await api.charge(charge_id)).status).toBe("EXPIRED");
  await api.advance({ until: "idle" });
  expect((await history(api, charge_id)).map(([status]) => status)).toEqual([
    "PENDING",
    "AWAITING_PAYMENT",
    "EXPIRED",
    "PROCESSING",
    "COMPLETED",
  ]);
  expect((await api.charge(charge_id)).amount).toBe(amount);
  expect(await api.balance("KES")).toBe("500.00 / 0.00");
});

it("a charge changes status between reads", async ({ api }) => {
  const first = await api.pay();
  await api.advance({ by: "500ms" });
  const second = await api.pay();
  const { body } = await api.advance({ by: "1m" });
  expect(body.fired.map((one) => one.at)).toEqual([1, 1.5, 3, 3.5, 5, 5.5].map(later));
  expect(body.fired.map((one) => one.ref)).toEqual(
    [first, second, first, second, first, second].map((one) => one.charge_id),
  );
});
