import { expect } from "vitest";
import type * as z from "zod/mini";
import type { paymentMethodListSchema } from "../../src/core/schema/responses/catalogue-responses.js";
import { okBody, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { METHOD_CURRENCIES } from "../support/contract.js";

const METHODS = "/api/v1/payments/payment-methods";
const CURRENCIES = "/api/v1/payments/supported-currencies";

type Methods = z.infer<typeof paymentMethodListSchema>;

it("GET payment-methods lists the four methods without a key [R1.6 R3.1 R3.2 R3.3 R3.4 R3.9 R20.5]", async ({
  api,
}) => {
  const { payment_methods } = okBody(await api.as(null).get<Methods>(METHODS));
  expect(payment_methods.map(({ id, type, enabled_by_default }) => [id, type, enabled_by_default])).toEqual([
    ["bank_transfer", "fiat", true],
    ["mobile_money", "fiat", true],
    ["card", "fiat", false],
    ["crypto", "crypto", false],
  ]);
  for (const { id, currencies, display_name, icon, description } of payment_methods) {
    expect(currencies).toEqual(METHOD_CURRENCIES[id]);
    for (const text of [display_name, icon, description]) expect(text).not.toBe("");
  }
});

it("GET supported-currencies lists seven fiat and four crypto codes in order [R1.6 R4.1 R4.2 R21.3]", async () => {
  const api = (await openApi()).as(null);
  expect(okBody(await api.get(CURRENCIES))).toEqual({
    fiat: ["GHS", "KES", "NGN", "TZS", "UGX", "USD", "ZAR"],
    crypto: ["BTC", "ETH", "USDT_ERC20", "USDT_TRC20"],
  });
});

it("GET supported-currencies returns the same list with a valid, invalid or no key [R4.3 R21.1 R27.6]", async ({
  api,
}) => {
  const anonymous = (await api.as(null).get(CURRENCIES)).text;
  for (const key of ["sk_test_sandbox", "sk_live_sandbox", "sk_test_unverified", "sk_test_deactivated"])
    expect((await api.as(key).get(CURRENCIES)).text).toBe(anonymous);
  expect((await api.as("sk_test_nobody").get(CURRENCIES)).text).toBe(anonymous);
});
