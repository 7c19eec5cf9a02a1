import { beforeAll, describe, expect } from "vitest";
import { furnish, goodCalls } from "../doors/support/good-input.js";
import { ROWS } from "../doors/support/rows.js";
import { KES_ORDER, later, okBody, openApi, TIMESTAMP } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { DECIMALS } from "../support/contract.js";
import { operationsOf, shippedDocument } from "../support/openapi-document.js";
import { Receiver } from "../support/receiver-server.js";

/** A value in a response and where it was found. */
interface Found {
  readonly field: string;
  readonly value: unknown;
  readonly within: Readonly<Record<string, unknown>>;
}

/** Returns all values, recursively. */
function* values(
  part: unknown,
  field = "",
  within: Readonly<Record<string, unknown>> = {},
): Generator<Found> {
  if (Array.isArray(part)) for (const one of part) yield* values(one, field, within);
  else if (typeof part === "object" && part !== null)
    // A fee has the currency of its charge.
    for (const [name, value] of Object.entries(part))
      yield* values(value, name, { ...within, ...(part as Record<string, unknown>) });
  else yield { field, value: part, within };
}

describe("every response of every operation", () => {
  const answers: { headers: Headers; text: string }[] = [];
  let found: Found[];

  beforeAll(async () => {
    const world = await furnish();
    const call = async <Body>(line: string, body?: object): Promise<Body> => {
      const answer = await world.api.ask<Body>(line, body);
      answers.push(answer);
      return okBody(answer);
    };
    for (const [currency, payment_method] of [
      ["NGN", "bank_transfer"],
      ["USD", "card"],
      ["USDT_TRC20", "crypto"],
      ["BTC", "crypto"],
    ]) {
      const order = { pricing: { base_currency: currency, amount: "1000" }, payment_method };
      const { quote_id } = await call<{ quote_id: string }>("POST /api/v1/payments/quotes", order);
      const customer = { customer_email: "ada@shop.test", bank_account_number: "0123456789" };
      await call("POST /api/v1/payments/whitelabel", { ...order, ...customer, quote_id });
    }
    await world.api.advance({ by: "10s" });
    for (const row of ROWS.filter(({ isService }) => isService))
      for (const { method, path, body } of goodCalls(row, world)) await call(`${method} ${path}`, body);
    found = answers.flatMap(({ text }) => [...values(JSON.parse(text))]);
  });

  it("every response is JSON [R2.6]", () => {
    for (const { headers } of answers) expect(headers.get("content-type")).toMatch(/^application\/json\b/);
  });

  it("every amount is a string with its currency's decimals [R2.1 R4.5 R24.8 R30.8]", () => {
    const amounts = found.filter(({ field }) =>
      /^(amount|fee|total_fee|platform_fee|gateway_fee|settlement_amount|base_amount|.*_balance|(min|max)_amount)$/.test(
        field,
      ),
    );
    expect(amounts.length).toBeGreaterThan(100);
    for (const { field, value, within } of amounts) {
      if (value === null) continue;
      const currency = String(field === "base_amount" ? within.base_currency : within.currency);
      // Instructions contain the asset without its network.
      const decimals = DECIMALS[currency === "USDT" ? "USDT_TRC20" : currency]!;
      expect([field, value]).toEqual([
        field,
        expect.stringMatching(new RegExp(`^(0|[1-9]\\d*)\\.\\d{${decimals}}$`)),
      ]);
    }
  });

  it("the total of a list is the only JSON number [R2.1]", () => {
    for (const { field, value } of found)
      if (typeof value === "number") expect([field, Number.isInteger(value)]).toEqual(["total", true]);
  });

  it.each([
    ["time in ISO 8601, with milliseconds and Z", /(_at|^at|_until)$/, TIMESTAMP],
    ["id as a string", /(^|_)id$/, /^\S+$/],
    ["currency code in upper case", /currency$|^currencies$|^fiat$/, /^[A-Z0-9_]+$/],
  ])("every response has every %s [R2.3 R2.4 R2.5]", (_, name, format) => {
    const values = found.filter(({ field, value }) => name.test(field) && value !== null);
    expect(values.length).toBeGreaterThan(50);
    for (const { value } of values) expect(value).toMatch(format);
  });

  it("no response reveals the payment provider [R6.5]", () => {
    const providers = found.filter(({ field }) => field === "payment_provider");
    expect(new Set(providers.map(({ value }) => value))).toEqual(new Set([null]));
  });
});

it("every operation is under /api/v1, and none is deprecated [R31.1 R31.2]", async () => {
  for (const { path, operation } of operationsOf(await shippedDocument())) {
    expect(path).toMatch(/^\/api\/v1\//);
    expect(operation).not.toHaveProperty("deprecated");
  }
});

it("a payment settles in the currency in which it was paid [R9.3 R31.4]", async () => {
  const api = await openApi({ scenario: "instant" });
  await api.pay({ pricing: { base_currency: "USD", amount: "10.00" }, to_currency: "KES" });
  expect(await api.balance("KES")).toBe("1290.00 / 0.00");
  expect(await api.balance("USD")).toBe("0.00 / 0.00");
});

it("a payout shows the same status in reads and webhooks [R1.8]", async () => {
  await using receiver = await Receiver.open();
  const api = await openApi({ scenario: "instant", webhooks: [receiver.url] });
  await api.pay({ pricing: { base_currency: "KES", amount: "2000.00" } });
  expect(await api.balance("KES")).toBe("2000.00 / 0.00");
  const destination_id = await api.destination();
  const withdrawals = "/api/v1/payouts/withdrawals";
  for (const amount of ["500.00", "600.00"]) {
    const { withdrawal_id } = okBody(
      await api.post<{ withdrawal_id: string }>(withdrawals, { destination_id, amount, currency: "KES" }),
    );
    await api.advance({ by: "10s" });
    const polled = await api.get<{ status: string }>(`${withdrawals}/${withdrawal_id}`);
    expect(polled.body.status).toBe("COMPLETED");
    const last = receiver.received.at(-1)!;
    last.verify();
    expect([last.event.type, last.dataText]).toEqual(["withdrawal.completed", polled.text]);
  }
  expect(await api.balance("KES")).toBe("900.00 / 0.00");
});

it("an expired checkout sends a webhook with the final status and metadata [R13.4 R18.6 R28.3 R28.4]", async () => {
  await using receiver = await Receiver.open();
  const api = await openApi({ scenario: "expired", webhooks: [receiver.url] });
  const metadata = { order: "A-17" };
  const hosted = okBody(
    await api.post<{ charge_id: string }>("/api/v1/payments/checkouts", {
      pricing: KES_ORDER.pricing,
      metadata,
    }),
  );
  const whitelabel = await api.pay({ metadata });
  await api.advance({ by: "1h" });
  for (const { charge_id } of [hosted, whitelabel]) {
    const last = receiver.about(charge_id).at(-1)!;
    expect(last.event).toMatchObject({
      type: "charge.expired",
      timestamp: later(3600),
      data: { charge_id, status: "EXPIRED", metadata },
    });
    last.verify();
  }
});

it("live mode returns the same responses as test mode [R1.11]", async () => {
  const run = async (key: string): Promise<string[]> => {
    const api = (await openApi()).as(key);
    const paid = await api.pay({ metadata: { order: "A-17" } });
    const texts = [JSON.stringify(paid)];
    for (const by of ["1s", "2s", "2s"]) {
      texts.push((await api.get(`/api/v1/payments/charges/${paid.charge_id}`)).text);
      texts.push((await api.tryPayins("?status_filter=PROCESSING")).text);
      await api.advance({ by });
    }
    texts.push(JSON.stringify(await api.balances()), (await api.tryQuote({})).text);
    return texts;
  };
  expect(await run("sk_live_sandbox")).toEqual(await run("sk_test_sandbox"));
});

it.for([
  ["quotes", ["quote_id"]],
  ["whitelabel", ["charge_id", "checkout_id", "provider_reference"]],
  ["checkouts", ["charge_id", "checkout_id"]],
] as const)(
  "%s ignores Idempotency-Key and creates another %j each time [R6.2 R26.1 R26.2 R26.3 R31.3]",
  async ([path, ids], { api }) => {
    const body = await api.checkoutBody();
    const send = () =>
      api.post<Record<string, string>>(`/api/v1/payments/${path}`, body, { "idempotency-key": "same" });
    const [first, second] = [await send(), await send()];
    for (const id of ids) expect(okBody(second)[id]).not.toBe(okBody(first)[id]);
    expect(second.headers.get("idempotent-replayed")).toBeNull();
  },
);
