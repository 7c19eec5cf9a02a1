import fc from "fast-check";
import { expect } from "vitest";
import { type Api, expectError, KES_ORDER, okBody, openApi, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { DECIMALS, METHOD_CURRENCIES } from "../support/contract.js";
import { decimalText } from "../support/fraction.js";
import { inUsd, units } from "../support/prices.js";

const METHOD_OF = Object.fromEntries(
  Object.entries(METHOD_CURRENCIES).flatMap(([method, codes]) => codes.map((code) => [code, method])),
);

/** Completes a payment that credits this amount. */
async function receive(api: Api, currency: string, amount: string): Promise<string> {
  const body = {
    ...KES_ORDER,
    pricing: { base_currency: currency, amount },
    payment_method: METHOD_OF[currency]!,
    bank_account_number: "0123456789",
  };
  const { charge_id } = await api.pay(body);
  expect((await api.transition(charge_id, { to: "COMPLETED" })).status).toBe(200);
  return charge_id;
}

it("the first GET balances opens accounts in US dollars and the local currency [R10.1 R24.3 R24.5 R24.7]", async () => {
  expect(await (await openApi()).balances()).toEqual({
    success: true,
    account_id: "org_sandbox",
    balances: [
      { currency: "USD", available_balance: "0.00", pending_balance: "0.00" },
      { currency: "NGN", available_balance: "0.00", pending_balance: "0.00" },
    ],
    total_balance_usd: "0.00",
  });
});

it.each([
  ["sk_test_other", "org_other", "KES"],
  ["sk_test_unverified", "org_unverified", "GHS"],
  ["sk_test_readonly", "org_sandbox", "NGN"],
  ["sk_live_sandbox", "org_sandbox", "NGN"],
])(
  "the first GET balances with the key %s returns the accounts of %s in US dollars and %s [R14.3 R24.5]",
  async (key, organization, currency) => {
    const { account_id, balances } = await (await openApi()).as(key).balances();
    expect(account_id).toBe(organization);
    expect(balances.map((one) => one.currency).sort()).toEqual([currency, "USD"].sort());
  },
);

it("repeated reads of balances return the same [R24.2]", async ({ api }) => {
  const path = "/api/v1/accounts/balances";
  const first = await api.get(path);
  expect((await api.get(`${path}?limit=x&limit=y`)).text).toBe(first.text);
});

it("a payment opens an account in its currency when it completes [R1.1 R24.6]", async ({ api }) => {
  const { charge_id } = await api.pay();
  expect(await api.balance("KES")).toBeUndefined();
  await api.transition(charge_id, { to: "PROCESSING" });
  expect(await api.balance("KES")).toBeUndefined();
  await api.transition(charge_id, { to: "COMPLETED" });
  expect(await api.balance("KES")).toBe("500.00 / 0.00");
});

it("a payment that fails, is cancelled or expires leaves the balances unchanged [R19.5]", async ({ api }) => {
  for (const to of ["FAILED", "CANCELLED", "EXPIRED"])
    await api.transition((await api.pay()).charge_id, { to });
  expect((await api.balances()).balances.map((one) => one.currency)).toEqual(["USD", "NGN"]);
});

it("a payment does not change balances of other organizations or modes [R1.12 R24.7]", async ({ api }) => {
  await receive(api, "KES", "500");
  const { balances, total_balance_usd } = await api.as("sk_live_sandbox").balances();
  expect([balances.map(({ currency }) => currency), total_balance_usd]).toEqual([["USD", "NGN"], "0.00"]);
  expect(await api.as("sk_test_other").balance("KES")).toBe("0.00 / 0.00");
  expect(await api.as("sk_test_readonly").balance("KES")).toBe("500.00 / 0.00");
});

it("total_balance_usd is rounded once, after the sum [R24.4]", async ({ api }) => {
  // The exact sum is 0.0069754…; rounding each term first would give 0.00.
  await receive(api, "NGN", "3.00");
  await receive(api, "GHS", "0.05");
  await receive(api, "KES", "0.13");
  expect((await api.balances()).total_balance_usd).toBe("0.01");
});

it("total_balance_usd follows the exchange rates [R24.4]", async ({ api }) => {
  await receive(api, "NGN", "1550.00");
  expect((await api.balances()).total_balance_usd).toBe("1.00");
  expect((await api.put("/_sandbox/rates", { NGN: "775" })).status).toBe(200);
  expect((await api.balances()).total_balance_usd).toBe("2.00");
});

it("total_balance_usd is exact for any payments [R1.1 R9.4]", async ({ api }) => {
  const payment = fc
    .tuple(fc.constantFrom(...Object.keys(DECIMALS)), fc.bigInt({ min: 1n, max: 10n ** 31n }))
    .map(([currency, minor]) => ({ currency, minor, amount: decimalText(minor, DECIMALS[currency]!) }));
  await fc.assert(
    fc.asyncProperty(fc.array(payment, { minLength: 1, maxLength: 8 }), async (payments) => {
      await api.sandbox.reset();
      for (const { currency, amount } of payments) await receive(api, currency, amount);
      const { balances, total_balance_usd } = await api.balances();
      for (const { currency, available_balance, pending_balance } of balances) {
        const received = payments.filter((one) => one.currency === currency);
        expect(units(available_balance, currency) + units(pending_balance, currency)).toBe(
          received.reduce((total, { minor }) => total + minor, 0n),
        );
      }
      expect(total_balance_usd).toBe(
        inUsd(payments.map(({ currency, minor }) => [currency, minor] as const)),
      );
    }),
    { numRuns: 30 },
  );
});

it("GET organizations/me returns exactly the documented fields [R14.1 R14.2 R25.7]", async ({ api }) => {
  expect(okBody(await api.get("/api/v1/organizations/me"))).toEqual({
    organization_id: "org_sandbox",
    name: expect.stringMatching(/./),
    country: "NG",
    status: "active",
    verified: true,
    enabled_payment_methods: ["bank_transfer", "mobile_money", "card", "crypto"],
    created_at: START,
  });
});

it("GET organizations/me is the only path under /organizations", async ({ api }) => {
  expectError(await api.get("/api/v1/organizations/org_sandbox"), 404, "NOT_FOUND");
});
