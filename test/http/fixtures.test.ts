import { expect, it } from "vitest";
import {
  type Api,
  expectError,
  expectInvalid,
  KES_ORDER,
  later,
  okBody,
  openApi,
  START,
} from "../support/api-client.js";
import { temporaryFile } from "../support/folders.js";

/** Opens a sandbox with additional fixtures. */
const withFixtures = (yaml: string): Promise<Api> =>
  openApi({ fixtures: temporaryFile("fixtures.yaml", yaml) });

interface Methods {
  payment_methods: { id: string; enabled_by_default: boolean; currencies: string[] }[];
}
const METHODS = "/api/v1/payments/payment-methods";
const ME = "/api/v1/organizations/me";

it("a fixture with a known id changes only the given fields [R14.3]", async () => {
  const api = await withFixtures(
    "organizations: [{ organization_id: org_sandbox, name: Duka, country: UG }]\n",
  );
  const shipped = await openApi();
  const before = okBody(await shipped.get<Record<string, unknown>>(ME));
  expect(okBody(await api.get(ME))).toEqual({ ...before, name: "Duka", country: "UG" });
  expect((await api.as("sk_test_other").get(ME)).text).toBe((await shipped.as("sk_test_other").get(ME)).text);
  expect((await api.balances()).balances.map((one) => one.currency)).toEqual(["USD", "UGX"]);
});

it("a fixture can change the permission of a default key", async () => {
  const api = await withFixtures("keys: [{ key: sk_test_other, permission: read_only }]\n");
  expectError(await api.as("sk_test_other").tryQuote(KES_ORDER), 403, "FORBIDDEN");
  expect((await api.tryQuote(KES_ORDER)).status).toBe(200);
});

it("a fixture can deactivate a default organization", async () => {
  const api = await withFixtures("organizations: [{ organization_id: org_other, status: deactivated }]\n");
  expectError(await api.as("sk_test_other").get(ME), 404, "NOT_FOUND");
});

it("a fixture can set the methods of a default organization [R3.6 R14.2]", async () => {
  const api = await withFixtures(
    "organizations: [{ organization_id: org_sandbox, enabled_payment_methods: [card] }]\n",
  );
  const { payment_methods } = okBody(await api.get<Methods>(METHODS));
  expect(payment_methods.map((one) => one.id)).toEqual(["card"]);
  expectInvalid(await api.tryQuote(KES_ORDER), "payment_method");
});

it("a fixture can set the fees and currencies of a method", async () => {
  const api = await withFixtures(
    'methods: [{ id: card, currencies: [USD], fees: { platform_percent: "2", gateway_percent: "0" } }]\n',
  );
  const pricing = { base_currency: "USD", amount: "100.00" };
  expect(await api.quote({ pricing, payment_method: "card" })).toMatchObject({
    amount: "102.00",
    fees: { total_fee: "2.00", fee_breakdown: { platform_fee: "2.00", gateway_fee: "0.00" } },
  });
  expectInvalid(await api.tryQuote({ pricing, payment_method: "card", to_currency: "KES" }), "to_currency");
});

it("a fixture can set the rate of a currency", async () => {
  const api = await withFixtures('currencies: [{ code: KES, rate: "150" }]\n');
  const order = { ...KES_ORDER, pricing: { base_currency: "USD", amount: "1.00" }, to_currency: "KES" };
  expect(await api.quote(order)).toMatchObject({ exchange_rate: "150", settlement_amount: "150.00" });
});

it("a fixture can set the decimals of a currency to 0 [R4.6]", async () => {
  const api = await withFixtures("currencies: [{ code: UGX, decimals: 0 }]\n");
  const ask = (amount: string) =>
    api.tryQuote({ pricing: { base_currency: "UGX", amount }, payment_method: "mobile_money" });
  expect(okBody(await ask("1001"))).toMatchObject({
    base_amount: "1001",
    settlement_amount: "1001",
    // 1.0 % and 1.5 % of the amount, each rounded separately.
    fees: { total_fee: "25", fee_breakdown: { platform_fee: "10", gateway_fee: "15" } },
    amount: "1026",
  });
  expectInvalid(await ask("1001.0"), "pricing.amount");
  const { charge_id } = await api.pay({ pricing: { base_currency: "UGX", amount: "1001" } });
  okBody(await api.transition(charge_id, { to: "COMPLETED" }));
  expect(await api.balance("UGX")).toBe("1001 / 0");
});

it("a fixture can set the minimum and fee of withdrawals", async () => {
  const api = await withFixtures(
    'currencies: [{ code: KES, minimum_withdrawal: "7", withdrawal_fee: "0.5" }]\n' +
      "balances: [{ id: a, organization_id: org_sandbox, mode: test, currency: KES, available_balance: '8' }]\n",
  );
  const destination_id = await api.destination();
  const withdraw = (amount: string) =>
    api.post("/api/v1/payouts/withdrawals", { destination_id, currency: "KES", amount });
  expectInvalid(await withdraw("6.99"), "amount");
  expect(okBody(await withdraw("7"))).toMatchObject({ amount: "7.00", fee: "0.50" });
  expect(await api.balance("KES")).toBe("0.50 / 0.00");
});

it("a fixture can add an organization with keys of both modes", async () => {
  const api = await withFixtures(`
organizations:
  - { organization_id: org_duka, name: Duka, country: TZ, status: active, verified: false, enabled_payment_methods: [mobile_money] }
keys:
  - { key: sk_test_duka, organization_id: org_duka, permission: full }
  - { key: sk_live_duka, organization_id: org_duka, permission: full }
`);
  const duka = api.as("sk_test_duka");
  expect(okBody(await duka.get(ME))).toEqual({
    organization_id: "org_duka",
    name: "Duka",
    country: "TZ",
    status: "active",
    verified: false,
    enabled_payment_methods: ["mobile_money"],
    created_at: START,
  });
  expect((await duka.balances()).balances.map((one) => one.currency)).toEqual(["USD", "TZS"]);
  await duka.pay();
  expect([(await duka.payins()).total, (await api.payins()).total]).toEqual([1, 0]);
  expect((await api.as("sk_live_duka").payins()).total).toBe(0);
});

it("an organization in a country without a supported currency has only dollars", async () => {
  const api = await withFixtures("organizations: [{ organization_id: org_sandbox, country: FR }]\n");
  expect((await api.balances()).balances.map((one) => one.currency)).toEqual(["USD"]);
});

it("a fixture can add a currency and a method [R3.5]", async () => {
  const api = await withFixtures(`
currencies:
  - { code: RWF, type: fiat, name: Rwandan franc, decimals: 0, rate: "1300" }
countries:
  - { code: RW, currency: RWF, dialling_code: "+250" }
methods:
  - id: ussd
    display_name: USSD
    icon: phone
    description: Dial a code
    type: fiat
    enabled_by_default: false
    currencies: [RWF, NGN]
    kind: mobile_money
    fees: { platform_percent: "1", gateway_percent: "1" }
organizations:
  - { organization_id: org_sandbox, country: RW, enabled_payment_methods: [ussd] }
`);
  expect(okBody(await api.get("/api/v1/payments/supported-currencies"))).toMatchObject({
    fiat: ["GHS", "KES", "NGN", "RWF", "TZS", "UGX", "USD", "ZAR"],
  });
  const { payment_methods } = okBody(await api.get<Methods>(METHODS));
  expect(payment_methods.map((one) => [one.id, one.currencies])).toEqual([["ussd", ["RWF", "NGN"]]]);
  const pricing = { base_currency: "RWF", amount: "1000" };
  const { charge_id, payment_instructions } = await api.pay({ pricing, payment_method: "ussd" });
  expect(payment_instructions.type).toBe("mobile_money");
  await api.advance({ by: "10s" });
  expect((await api.charge(charge_id)).status).toBe("COMPLETED");
  expect((await api.balances()).balances).toEqual([
    { currency: "USD", available_balance: "0.00", pending_balance: "0.00" },
    { currency: "RWF", available_balance: "1000", pending_balance: "0" },
  ]);
});

it.each([
  ["currencies", "currencies: [{ code: RWF, type: fiat }]", "is required"],
  ["organizations", "organizations: [{ organization_id: org_duka }]", "is required"],
  ["keys", "keys: [{ key: sk_test_duka, organization_id: org_sandbox }]", "is required"],
])("a new fixture in %s is refused when a field is missing", async (_, yaml, message) => {
  await expect(withFixtures(`${yaml}\n`)).rejects.toThrow(message);
});

it.each([
  ["keys: [{ key: sk_test_x, organization_id: org_x, permission: full }]", "no organization org_x"],
  ["methods: [{ id: card, currencies: [USD, XXX] }]", "no currency XXX"],
  ["organizations: [{ organization_id: org_other, enabled_payment_methods: [ussd] }]", "no method ussd"],
  ["rails: [{ id: bank_usd, payment_method: ussd }]", "no method ussd"],
  ["rails: [{ id: bank_usd, currency: XXX }]", "no currency XXX"],
  [
    "balances: [{ id: a, organization_id: org_x, mode: test, currency: KES, available_balance: '1' }]",
    "no organization org_x",
  ],
  [
    "charges: [{ id: a, organization_id: org_sandbox, mode: test, currency: KES, amount: '1', payment_method: crypto, customer_email: a@b.test, status: PENDING }]",
    "crypto does not take KES",
  ],
  [
    "balances: [{ id: a, organization_id: org_sandbox, mode: test, currency: KES, available_balance: '1.005' }]",
    "available_balance: must have at most 2 decimals, as KES has",
  ],
  [
    'charges: [{ id: a, organization_id: org_sandbox, mode: test, currency: KES, amount: "0.001", payment_method: mobile_money, customer_email: a@b.test, status: PENDING }]',
    "amount: must have at most 2 decimals, as KES has",
  ],
  [
    "currencies: [{ code: KES, withdrawal_fee: '0.001' }]",
    "withdrawal_fee: must have at most 2 decimals, as KES has",
  ],
])("refuses contradictory fixtures: %s", async (yaml, message) => {
  await expect(withFixtures(`${yaml}\n`)).rejects.toThrow(message);
});

it("starting balances are available immediately", async () => {
  const api = await withFixtures(`
balances:
  - { id: a, organization_id: org_sandbox, mode: test, currency: USD, available_balance: "10" }
  - { id: b, organization_id: org_sandbox, mode: live, currency: KES, available_balance: "129.00" }
  - { id: c, organization_id: org_sandbox, mode: test, currency: UGX, available_balance: "36500.5" }
`);
  expect(await api.balances()).toMatchObject({
    balances: expect.arrayContaining([
      { currency: "USD", available_balance: "10.00", pending_balance: "0.00" },
      { currency: "UGX", available_balance: "36500.50", pending_balance: "0.00" },
    ]),
    total_balance_usd: "20.00",
  });
  const live = await api.as("sk_live_sandbox").balances();
  expect(live.total_balance_usd).toBe("1.00");
  expect(await api.as("sk_live_sandbox").balance("KES")).toBe("129.00 / 0.00");
});

it("a reset restores the starting balances", async () => {
  const api = await withFixtures(
    "balances: [{ id: a, organization_id: org_sandbox, mode: test, currency: KES, available_balance: '10' }]\n",
  );
  const { charge_id } = await api.pay();
  okBody(await api.transition(charge_id, { to: "COMPLETED" }));
  expect(await api.balance("KES")).toBe("510.00 / 0.00");
  await api.sandbox.reset();
  expect(await api.balance("KES")).toBe("10.00 / 0.00");
});

const one = (id: string, more: string) =>
  `  - { id: ${id}, organization_id: org_sandbox, mode: test, currency: KES, amount: "500", payment_method: mobile_money, customer_email: ada@shop.test, phone_number: "+254700000001", ${more} }\n`;
const STATUSES = ["PENDING", "AWAITING_PAYMENT", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"];

it("starting charges have the given status and current prices", async () => {
  const api = await withFixtures(
    `charges:\n${STATUSES.map((status) => one(status, `status: ${status}, metadata: { order: "7" }`)).join("")}`,
  );
  const { total, items } = await api.payins();
  expect(total).toBe(6);
  expect(items.map((item) => item.status)).toEqual([...STATUSES].reverse());
  for (const { charge_id, status } of items)
    expect(await api.charge(charge_id)).toMatchObject({
      status,
      amount: "512.50",
      settlement_amount: "500.00",
      created_at: START,
      updated_at: START,
      customer_email: "ada@shop.test",
      metadata: { order: "7" },
      settled_at: status === "COMPLETED" ? START : null,
      payment_instructions: { type: "mobile_money" },
    });
  expect(await api.balance("KES")).toBe("500.00 / 0.00");
});

it("starting charges follow no scenario, and open ones expire", async () => {
  const api = await withFixtures(`charges:\n${one("a", "status: PENDING")}${one("b", "status: PROCESSING")}`);
  await api.advance({ by: "59m" });
  const statuses = async () => (await api.payins()).items.map((item) => item.status);
  expect(await statuses()).toEqual(["PROCESSING", "PENDING"]);
  await api.advance({ by: "1m" });
  expect(await statuses()).toEqual(["PROCESSING", "EXPIRED"]);
  expect((await api.payins("?status_filter=EXPIRED")).items[0]!.updated_at).toBe(later(3600));
});

it("starting charges can be moved and refunded like other charges", async () => {
  const api = await withFixtures(`charges:\n${one("a", "status: COMPLETED")}`);
  const { charge_id } = (await api.payins()).items[0]!;
  okBody(await api.transition(charge_id, { to: "REFUNDED" }));
  expect(await api.balance("KES")).toBe("0.00 / 0.00");
});

it("starting crypto charges have a wallet and a pending settlement", async () => {
  const api = await withFixtures(
    'charges: [{ id: a, organization_id: org_sandbox, mode: live, currency: BTC, amount: "0.5", payment_method: crypto, customer_email: a@b.test, status: COMPLETED }]\n',
  );
  const live = api.as("sk_live_sandbox");
  expect((await api.payins()).total).toBe(0);
  const { charge_id } = (await live.payins()).items[0]!;
  expect((await live.charge(charge_id)).payment_instructions.wallet_address).toMatch(/^tb1/);
  expect(await live.balance("BTC")).toBe("0.00000000 / 0.50000000");
  await api.advance({ by: "20m" });
  expect(await live.balance("BTC")).toBe("0.50000000 / 0.00000000");
});

it("accepts a JSON fixtures file, and an empty one", async () => {
  const json = temporaryFile("fixtures.json", '{"currencies":[{"code":"KES","rate":"100"}]}');
  const api = await openApi({ fixtures: json });
  const order = { ...KES_ORDER, pricing: { base_currency: "USD", amount: "1.00" }, to_currency: "KES" };
  expect((await api.quote(order)).exchange_rate).toBe("100");
  expect((await (await withFixtures("{}\n")).quote(order)).exchange_rate).toBe("129");
});
