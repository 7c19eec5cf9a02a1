import { expect } from "vitest";
import type * as z from "zod/mini";
import type { paymentRailListSchema } from "../../src/core/schema/responses/catalogue-responses.js";
import { expectInvalid, KES_ORDER, okBody, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { METHOD_CURRENCIES } from "../support/contract.js";
import { temporaryFile } from "../support/folders.js";

const RAILS = "/api/v1/payments/payment-rails";

type Rails = z.infer<typeof paymentRailListSchema>;

const PAIRS = Object.entries(METHOD_CURRENCIES).flatMap(([method, codes]) =>
  codes.map((code) => [method, code] as const),
);

it("GET payment-rails returns an id, a name and a country for each rail", async ({ api }) => {
  const { payment_rails } = okBody(await api.get<Rails>(RAILS));
  for (const { display_name, payment_method, country, max_amount } of payment_rails) {
    expect([display_name, max_amount]).toEqual([expect.stringMatching(/./), null]);
    expect(country).toEqual(payment_method === "crypto" ? null : expect.stringMatching(/^[A-Z]{2}$/));
  }
  expect(new Set(payment_rails.map((rail) => rail.id)).size).toBe(payment_rails.length);
});

it("GET payment-rails returns one rail for each method and currency", async () => {
  const { payment_rails } = okBody(await (await openApi()).get<Rails>(RAILS));
  const found = new Set(payment_rails.map((rail) => `${rail.payment_method} ${rail.currency}`));
  expect([...found].sort()).toEqual(PAIRS.map((pair) => pair.join(" ")).sort());
});

it.for(PAIRS)(
  "GET payment-rails filters by %s and %s, and a quote accepts every listed rail [R25.8]",
  async ([payment_method, currency], { api }) => {
    const query = `?payment_method=${payment_method}&currency=${currency}`;
    const { payment_rails } = okBody(await api.get<Rails>(RAILS + query));
    expect(payment_rails.length).toBeGreaterThan(0);
    const pricing = { base_currency: currency, amount: "100" };
    for (const rail of payment_rails) {
      expect(rail).toMatchObject({ payment_method, currency });
      const quote = await api.quote({ pricing, payment_method, payment_rail: rail.id });
      expect(quote.payment_rail).toBe(rail.id);
    }
    expect((await api.quote({ pricing, payment_method })).payment_rail).toBe(payment_rails[0]!.id);
  },
);

it("GET payment-rails filters by one parameter", async ({ api }) => {
  const byMethod = okBody(await api.get<Rails>(`${RAILS}?payment_method=card`)).payment_rails;
  expect(byMethod.map((rail) => rail.currency).sort()).toEqual([...METHOD_CURRENCIES.card!].sort());
  const byCurrency = okBody(await api.get<Rails>(`${RAILS}?currency=GHS`)).payment_rails;
  expect(new Set(byCurrency.map((rail) => rail.payment_method))).toEqual(
    new Set(["bank_transfer", "mobile_money", "card"]),
  );
});

it("GET payment-rails is empty for a method that does not support the currency", async ({ api }) => {
  expect(okBody(await api.get(`${RAILS}?payment_method=card&currency=TZS`))).toEqual({ payment_rails: [] });
});

it("GET payment-rails lists only rails of enabled methods", async () => {
  const api = (await openApi()).as("sk_test_unverified");
  const { payment_rails } = okBody(await api.get<Rails>(RAILS));
  expect(new Set(payment_rails.map((rail) => rail.payment_method))).toEqual(
    new Set(["bank_transfer", "mobile_money"]),
  );
  expectInvalid(await api.get(`${RAILS}?payment_method=card`), "payment_method");
});

it("GET payment-rails lists rails of the user's fixtures", async () => {
  const fixtures = temporaryFile(
    "rails.yaml",
    "rails: [{ id: ussd_ngn, display_name: USSD, payment_method: mobile_money, currency: NGN, country: NG, min_amount: '100', max_amount: '5000.5' }]\n",
  );
  const api = await openApi({ fixtures });
  const { payment_rails } = okBody(await api.get<Rails>(`${RAILS}?payment_method=mobile_money&currency=NGN`));
  expect(payment_rails[1]).toEqual({
    id: "ussd_ngn",
    display_name: "USSD",
    payment_method: "mobile_money",
    currency: "NGN",
    country: "NG",
    min_amount: "100.00",
    max_amount: "5000.50",
  });
  const pricing = { base_currency: "NGN", amount: "1.00" };
  const quote = await api.quote({ ...KES_ORDER, pricing, payment_rail: "ussd_ngn" });
  expect(quote.payment_rail).toBe("ussd_ngn");
});
