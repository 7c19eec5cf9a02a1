import { expect } from "vitest";
import { auditLedger } from "../simulation/audit.js";
import { type Api, expectError, expectInvalid, okBody } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { failed, pays, runSteps } from "../support/scenario-run.js";

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
type Json = any;

const PRICING = { base_currency: "KES", amount: "500.00" };

/** Creates a charge of 512.50 that pays the shop 500.00. */
async function charge(api: Api, scenario = "instant"): Promise<string> {
  const body = await api.checkoutBody({ pricing: PRICING });
  return (await api.whitelabel(body, { "sandbox-scenario": scenario })).charge_id;
}

async function read(api: Api, path: string): Promise<Json> {
  return okBody(await api.get<Json>(path));
}

async function available(api: Api): Promise<string> {
  const { balances } = await read(api, "/api/v1/accounts/balances");
  return balances.find((one: Json) => one.currency === "KES").available_balance;
}

async function events(api: Api): Promise<Json[]> {
  return (await read(api, "/_sandbox/events?type=sandbox.*")).items;
}

function audit(api: Api): Promise<void> {
  return auditLedger({ get: async (path) => ({ json: await read(api, path) }) });
}

it("a partial refund sends an event and keeps the charge's status", async ({ api }) => {
  const id = await charge(api);
  const before = await read(api, `/api/v1/payments/charges/${id}`);
  const reversal = okBody(
    await api.post(`/_sandbox/charges/${id}/partial-refund`, { amount: "100", reason: "one_item_missing" }),
  );
  expect(reversal).toEqual({
    kind: "partial_refund",
    entry_id: expect.stringMatching(/^le_/),
    object_id: id,
    amount: "100.00",
    currency: "KES",
    reason: "one_item_missing",
    at: expect.any(String),
  });
  expect(await available(api)).toBe("402.44");
  expect(await read(api, `/api/v1/payments/charges/${id}`)).toEqual(before);
  const [event] = await events(api);
  expect(event).toMatchObject({ type: "sandbox.charge.partially_refunded", charge_id: id });
  expect(event.data).toEqual({ ...before, sandbox_extension: reversal });
  await audit(api);
});

it("a refund with an amount returns that part, and the refund of the rest ends the charge", async ({
  api,
}) => {
  const id = await charge(api);
  const refund = (amount: string) => api.post<Json>(`/_sandbox/charges/${id}/refund`, { amount });
  expect(okBody(await refund("100.00"))).toMatchObject({ charge_id: id, status: "COMPLETED" });
  expect(await available(api)).toBe("402.44");
  expectInvalid(await refund("412.51"), "amount");
  expect(okBody(await refund("412.5"))).toMatchObject({ charge_id: id, status: "REFUNDED" });
  expect(await available(api)).toBe("0.00");
  expectError(await refund("1.00"), 409, "INVALID_TRANSITION");
  await audit(api);
});

it("partial refunds share settlement amount and fee exactly", async ({ api }) => {
  const id = await charge(api);
  for (const amount of ["100.00", "0.01", "0.01"])
    okBody(await api.post(`/_sandbox/charges/${id}/partial-refund`, { amount }));
  okBody(await api.post(`/_sandbox/charges/${id}/refund`, {}));
  expect(await available(api)).toBe("0.00");
  const { items } = await read(api, `/_sandbox/charges/${id}/timeline`);
  const entries = items.filter((item: Json) => item.kind === "ledger");
  const amounts = (one: Json) => one.postings.map(({ account, amount }: Json) => `${account} ${amount}`);
  // The shop's share is 97.5609… of 100.00, 97.5707… of 100.01, 97.5804… of 100.02.
  expect(entries.slice(2).map(amounts)).toEqual([
    ["available -97.56", "fees -2.44", "outside 100.00"],
    ["available -0.01", "fees 0.00", "outside 0.01"],
    ["available -0.01", "fees 0.00", "outside 0.01"],
    ["available -402.42", "fees -10.06", "outside 412.48"],
  ]);
  await audit(api);
});

it("a partial refund is refused when no amount is left", async ({ api }) => {
  const open = await charge(api, "stuck");
  const part = (id: string, amount: unknown) =>
    api.post(`/_sandbox/charges/${id}/partial-refund`, { amount });
  expectError(await part(open, "1.00"), 409, "INVALID_TRANSITION");
  expectError(await part("ch_0", "1.00"), 404, "NOT_FOUND");
  const id = await charge(api);
  for (const amount of ["0.00", "512.50", "1.001", "-1", 5, undefined])
    expectInvalid(await part(id, amount), "amount");
  expect(await available(api)).toBe("500.00");
  expect(await events(api)).toEqual([]);
  okBody(await api.post(`/_sandbox/charges/${id}/refund`, {}));
  expectError(await part(id, "1.00"), 409, "INVALID_TRANSITION");
});

it("a partial refund is possible only after settlement", async ({ api }) => {
  const order = { pricing: { base_currency: "USD", amount: "100.00" }, payment_method: "crypto" };
  const { quote_id } = await api.quote({ ...order, to_currency: "BTC" });
  const body = { ...order, quote_id, customer_email: "ada@shop.test" };
  const { charge_id } = await api.whitelabel(body, { "sandbox-scenario": "instant" });
  const path = `/_sandbox/charges/${charge_id}/partial-refund`;
  expectError(await api.post(path, { amount: "0.0001" }), 409, "INVALID_TRANSITION");
  await api.sandbox.advance("1d");
  okBody(await api.post(path, { amount: "0.0001" }));
  await audit(api);
});

it.for(["partial-refund", "chargeback", "refund"])(
  "a %s above the available balance returns 409 and changes nothing",
  async (path, { api }) => {
    const id = await charge(api);
    const destination_id = await api.destination();
    const withdrawal = { destination_id, amount: "500.00", currency: "KES" };
    const order = () => api.post<Json>("/api/v1/payouts/withdrawals", withdrawal);
    okBody(await order());
    const refused = await api.post(
      `/_sandbox/charges/${id}/${path}`,
      path === "partial-refund" ? { amount: "1.00" } : {},
    );
    expectError(refused, 409, "INSUFFICIENT_BALANCE");
    expect([await available(api), await events(api)]).toEqual(["0.00", []]);
    expectError(await order(), 400, "INSUFFICIENT_BALANCE");
  },
);

it("a full refund after a partial one returns the rest", async ({ api }) => {
  const body = await api.checkoutBody({ pricing: PRICING });
  const { charge_id } = await api.whitelabel(body, { "sandbox-scenario": "refunded" });
  await api.sandbox.advance("5s");
  okBody(await api.post(`/_sandbox/charges/${charge_id}/partial-refund`, { amount: "100.00" }));
  const refunded = await api.post<Json>(`/_sandbox/charges/${charge_id}/advance`, { until: "REFUNDED" });
  expect(okBody(refunded).status).toBe("REFUNDED");
  expect(await available(api)).toBe("0.00");
});

it("a chargeback takes what is left of the payment, and the fee only once", async ({ api }) => {
  await charge(api);
  const id = await charge(api);
  okBody(await api.post(`/_sandbox/charges/${id}/partial-refund`, { amount: "12.50" }));
  const { amount } = okBody(await api.post<Json>(`/_sandbox/charges/${id}/chargeback`, {}));
  expect(amount).toBe("500.00");
  expect(await available(api)).toBe("500.00");
  for (const path of ["chargeback", "refund"])
    expectError(await api.post(`/_sandbox/charges/${id}/${path}`, {}), 409, "INVALID_TRANSITION");
  const [event] = await events(api);
  expect(event.data).toMatchObject({
    status: "COMPLETED",
    sandbox_extension: { kind: "chargeback", reason: null },
  });
  await audit(api);
});

it("a bounced payout is credited once and stays COMPLETED", async ({ api }) => {
  for (const _payment of [1, 2]) await charge(api);
  const destination_id = await api.destination();
  const { withdrawal_id } = okBody(
    await api.post<Json>("/api/v1/payouts/withdrawals", {
      destination_id,
      amount: "600.00",
      currency: "KES",
    }),
  );
  const path = `/_sandbox/withdrawals/${withdrawal_id}/bounce`;
  expectError(await api.post(path, {}), 409, "INVALID_TRANSITION");
  await api.sandbox.advance("30d");
  expect(await available(api)).toBe("400.00");
  expect(okBody(await api.post<Json>(path, { reason: "account_closed" }))).toMatchObject({
    kind: "bounce",
    object_id: withdrawal_id,
    amount: "600.00",
  });
  expect(await available(api)).toBe("1000.00");
  expectError(await api.post(path, {}), 409, "INVALID_TRANSITION");
  expect((await read(api, `/api/v1/payouts/withdrawals/${withdrawal_id}`)).status).toBe("COMPLETED");
  const [event] = await events(api);
  expect(event).toMatchObject({
    type: "sandbox.withdrawal.bounced",
    withdrawal_id,
    data: { withdrawal_id, sandbox_extension: { reason: "account_closed" } },
  });
  await audit(api);
});

it("scenario steps can create refunds and chargebacks", async () => {
  const report = await runSteps(`${pays("ada@shop.test")}
  - partial_refund: { charge_id: "$\{charge}", amount: "1.00" }
    expect: { error: INVALID_TRANSITION }
  - advance: 1h
  - partial_refund: { charge_id: "$\{charge}", amount: "1.00" }
    save: { entry: entry_id }
  - trigger: { type: sandbox.charge.charged_back, charge_id: "$\{charge}" }
  - expect_webhook: { type: sandbox.charge.*, count: 2 }
  - bounce: { withdrawal_id: wd_0 }`);
  expect(failed(report)).toMatchObject({ kind: "bounce", failure: { message: "status 404, not 2xx" } });
});
