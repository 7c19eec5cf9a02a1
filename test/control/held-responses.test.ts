import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../src/library/index.js";
import { expectInvalid } from "../support/api-client.js";
import { openShop } from "../support/receiver-client.js";
import { accept, type Received, Receiver } from "../support/receiver-server.js";
import { eventually } from "../webhooks/support/shop.js";

/** Opens a shop that records the order of responses and webhooks. */
async function shopWith(rule: object, options: SandboxOptions = {}) {
  const order: string[] = [];
  const receiver = await Receiver.open((received: Received) => {
    order.push(received.event.type);
    accept(received);
  });
  const shop = await openShop({ webhooks: [receiver.url], ...options });
  await shop.sandbox.listen({ port: 0 });
  const fault = { match: { operation: "createWhitelabel" }, ...rule };
  const set = await shop.client.ask("POST /_sandbox/faults", fault);
  expect(set.status, set.text).toBe(200);
  const pay = async (scenario?: string) => {
    const charge = await shop.client.pay(scenario === undefined ? {} : { scenario });
    order.push("answer");
    return charge;
  };
  /** Creates a checkout over HTTP, so that it can be aborted. */
  const checkout = async () => {
    const { quote_id } = (await shop.client.quote()).json;
    const leaving = new AbortController();
    const answer = fetch(`${shop.sandbox.url}/api/v1/payments/whitelabel`, {
      method: "POST",
      signal: leaving.signal,
      headers: { authorization: "Bearer sk_test_sandbox", "content-type": "application/json" },
      body: JSON.stringify({
        pricing: { base_currency: "NGN", amount: "100.00" },
        payment_method: "bank_transfer",
        bank_account_number: "0123456789",
        customer_email: "ada@shop.test",
        quote_id,
      }),
    });
    return { answer, leave: () => leaving.abort() };
  };
  const charges = async () => (await shop.client.get("/_sandbox/charges")).json.total as number;
  const made = () => eventually(async () => (await charges()) > 0);
  const requests = async () =>
    (await shop.client.get("/_sandbox/requests?operation=createWhitelabel")).json.items;
  return { ...shop, order, pay, checkout, made, charges, requests };
}

describe("hold", () => {
  it("`hold: webhook` delays the response until the next webhook", async () => {
    const { order, pay } = await shopWith({ hold: "webhook" });
    await pay("instant");
    expect(order).toEqual(["charge.completed", "answer"]);
  });

  it("`hold: idle` delays the response until the last webhook", async () => {
    const { sandbox, order, pay, made } = await shopWith({ hold: "idle" });
    const paid = pay();
    await made();
    for (const by of ["2s", "2s", "2s"]) await sandbox.advance(by);
    await paid;
    expect(order).toEqual(["charge.awaiting_payment", "charge.processing", "charge.completed", "answer"]);
  });

  it("a held response is sent when its fault is deleted", async () => {
    const { client, checkout, made } = await shopWith({ hold: "1h" }, { holdLimit: "1h" });
    const { answer } = await checkout();
    await made();
    await client.ask("DELETE /_sandbox/faults");
    expect((await answer).status).toBe(200);
  });

  it("a held response is sent at the limit if there is no webhook to wait for", async () => {
    const { order, pay, client } = await shopWith({ match: {}, hold: "webhook" }, { holdLimit: "30ms" });
    await pay();
    expect(order).toEqual(["answer"]);
    const before = performance.now();
    expect(
      (await client.get("/api/v1/accounts/balances", { authorization: "Bearer sk_test_sandbox" })).status,
    ).toBe(200);
    expect(performance.now() - before).toBeLessThan(30_000);
  });

  describe.each(["webhook", "idle"])("%s, with a receiver that never responds", (hold) => {
    async function silent(holdLimit: string) {
      const heard: Received[] = [];
      const receiver = await Receiver.open((received) => void heard.push(received));
      const shop = await shopWith({ hold, times: 1 }, { webhooks: [receiver.url], holdLimit });
      return { ...shop, isTold: () => eventually(async () => heard.length > 0) };
    }

    it("a held response blocks no other call", async () => {
      const { sandbox, client, pay, isTold } = await silent("1h");
      const held = expect(pay("instant")).rejects.toThrow();
      await isTold();
      expect((await client.charge(await pay("instant"))).json.status).toBe("COMPLETED");
      await sandbox.close();
      await held;
    });

    it("a response is held at most until the limit", async () => {
      const { client, pay, isTold } = await silent("50ms");
      const held = pay("instant");
      await isTold();
      expect((await client.charge(await held)).json.status).toBe("COMPLETED");
    });
  });

  it("does not hold the response without a registered receiver", async () => {
    const { client, pay } = await shopWith({ hold: "webhook" }, { webhooks: [], holdLimit: "1h" });
    expect((await client.charge(await pay("instant"))).json.status).toBe("COMPLETED");
  });

  it("`hold` with a duration ends early when the sandbox closes", async () => {
    const { sandbox, checkout, made } = await shopWith({ hold: "1h" }, { holdLimit: "1h" });
    const { answer } = await checkout();
    const cut = expect(answer).rejects.toThrow();
    await made();
    await sandbox.close();
    await cut;
  });
});

it("`delay_answer` does the work before the delay", async () => {
  const { checkout, made, requests } = await shopWith({ delay_answer: "1h" });
  const { answer, leave } = await checkout();
  await made();
  leave();
  await expect(answer).rejects.toThrow();
  await eventually(async () => (await requests())[0].client_gone);
  expect(await requests()).toMatchObject([{ status: null, in_flight: false, client_gone: true }]);
});

it("the request log contains a request before its response", async () => {
  const { sandbox, client, checkout, made, requests } = await shopWith({ hold: "idle" });
  const { answer } = await checkout();
  await made();
  const [held] = await requests();
  expect(held).toMatchObject({ in_flight: true, status: null, client_gone: false, response_body: null });
  expect(held.request_body).toMatchObject({ customer_email: "ada@shop.test" });
  await client.quote();
  expect((await client.get("/_sandbox/coverage")).json.operations.met).toEqual({ createQuote: 2 });
  for (const by of ["2s", "2s", "2s"]) await sandbox.advance(by);
  const { charge_id } = await (await answer).json();
  const [answered] = await requests();
  expect(answered).toMatchObject({ in_flight: false, status: 200, response_body: { charge_id } });
  expect([answered.request_id, answered.at]).toEqual([held.request_id, held.at]);
  const all = (await client.get("/_sandbox/requests")).json.items;
  expect(all.map((one: { request_id: number }) => one.request_id)).toEqual([3, 2, 1]);
});

it.each(["", "?operation=createWhitelabel"])(
  "clearing the request log removes a request in progress %s",
  async (query) => {
    const { sandbox, client, checkout, made, requests } = await shopWith({ hold: "webhook" });
    const { answer } = await checkout();
    await made();
    await client.ask(`DELETE /_sandbox/requests${query}`);
    await sandbox.advance("6s");
    await answer;
    expect(await requests()).toEqual([]);
  },
);

it("a charge's timeline contains its request even when the response is lost", async () => {
  const { client, checkout, made } = await shopWith({ drop: "after" });
  const { answer } = await checkout();
  await expect(answer).rejects.toThrow();
  await made();
  const [{ charge_id }] = (await client.get("/_sandbox/charges")).json.items;
  const { items } = (await client.get(`/_sandbox/charges/${charge_id}/timeline`)).json;
  expect(items[0]).toMatchObject({ kind: "request", operation: "createWhitelabel", status: null });
});

it("`drop: hang` does the work but never responds", async () => {
  const { checkout, made, charges, requests } = await shopWith({ drop: "hang" });
  const { answer, leave } = await checkout();
  await made();
  expect(await requests()).toMatchObject([{ status: null, in_flight: true }]);
  leave();
  await expect(answer).rejects.toThrow();
  expect(await charges()).toBe(1);
  await eventually(async () => !(await requests())[0].in_flight);
  expect((await requests())[0]).toMatchObject({
    status: null,
    fault: expect.stringMatching(/^fault_|^flt_/),
  });
});

it("`drop: hang` closes the connection at the limit", async () => {
  const { checkout, charges } = await shopWith({ drop: "hang" }, { holdLimit: "20ms" });
  const { answer } = await checkout();
  await expect(answer).rejects.toThrow();
  expect(await charges()).toBe(1);
});

const behind = (operation: string | string[]) => shopWith({ match: { operation }, stale: "2s" });

it("a stale read returns an earlier version of a charge", async () => {
  const { sandbox, client, pay } = await behind("getCharge");
  const charge = await pay();
  expect((await client.charge(charge)).status).toBe(404);
  await sandbox.advance("5s");
  const seen = (await client.charge(charge)).json;
  expect([seen.status, seen.settled_at, seen.status_history.length]).toEqual(["PROCESSING", null, 3]);
  expect(seen.updated_at).toBe(seen.status_history.at(-1).at);
  await sandbox.advance("2s");
  expect((await client.charge(charge)).json.status).toBe("COMPLETED");
});

it("a fault with `stale` applies to nothing but reads that can be stale", async () => {
  const { client } = await shopWith({ match: {}, stale: "2s" });
  await client.get("/api/v1/accounts/balances");
  expect((await client.ask("GET /_sandbox/faults")).json.items).toMatchObject([{ applied: 0 }]);
  const rule = { match: { operation: ["getBalances", "createQuote"] }, stale: "2s" };
  expectInvalid(await client.ask("POST /_sandbox/faults", rule), "stale");
});

it("a stale read returns a charge as it was before its last change", async () => {
  const { sandbox, client, pay } = await shopWith({
    match: { operation: ["getCharge", "listPayins"] },
    stale: "last_change",
  });
  const charge = await pay();
  const seen = async () => {
    const { status, settled_at, status_history } = (await client.charge(charge)).json;
    const [listed] = (await client.get("/api/v1/payments/payins")).json.items;
    return [status, settled_at, status_history.length, listed.status];
  };
  expect(await seen()).toEqual(["PENDING", null, 1, "PENDING"]);
  await sandbox.advance("1s");
  expect(await seen()).toEqual(["PENDING", null, 1, "PENDING"]);
  await sandbox.advance("30d");
  expect(await seen()).toEqual(["PROCESSING", null, 3, "PROCESSING"]);
});

it("a stale read lists charges with their earlier statuses", async () => {
  const { sandbox, client, pay } = await behind("listPayins");
  const list = async (query = "") => {
    const { total, items } = (await client.get(`/api/v1/payments/payins${query}`)).json;
    return [total, ...items.map(({ status }: { status: string }) => status)];
  };
  await pay();
  expect(await list()).toEqual([0]);
  await sandbox.advance("5s");
  await pay("instant");
  expect(await list()).toEqual([1, "PROCESSING"]);
  expect(await list("?status_filter=COMPLETED")).toEqual([0]);
  await sandbox.advance("2s");
  expect(await list()).toEqual([2, "COMPLETED", "COMPLETED"]);
  expect(await list("?status_filter=COMPLETED&limit=1&offset=1")).toEqual([2, "COMPLETED"]);
});

it("a stale read returns a hosted charge without its method", async () => {
  const { sandbox, client } = await behind("getPayin");
  const pricing = { base_currency: "NGN", amount: "100.00" };
  const { checkout_id, charge_id } = (await client.post("/api/v1/payments/checkouts", { pricing })).json;
  await sandbox.advance("3s");
  await client.post(`/_sandbox/checkouts/${checkout_id}/pay`, { payment_method: "card" });
  const read = async () => (await client.get(`/api/v1/payments/payins/${charge_id}`)).json;
  const unpriced = { status: "PENDING", amount: "100.00", payment_method: null, fees: null };
  expect(await read()).toMatchObject({ ...unpriced, payment_instructions: null });
  await sandbox.advance("2s");
  expect(await read()).toMatchObject({ status: "AWAITING_PAYMENT", payment_method: "card" });
});

it("a stale read returns the original price of a hosted charge", async () => {
  const rule = { match: { operation: "getCharge" }, stale: "last_change" };
  const { sandbox, client } = await shopWith(rule, { amounts: { before_method: "dearest" } });
  const pricing = { base_currency: "USD", amount: "25.00" };
  const made = (await client.post("/api/v1/payments/checkouts", { pricing })).json;
  const read = async () => (await client.charge(made.charge_id)).json;
  const before = await read();
  expect([before.status, before.amount === pricing.amount]).toEqual(["PENDING", false]);
  await sandbox.advance("1s");
  const choice = { payment_method: "mobile_money", currency: "KES", phone_number: "+254700000001" };
  await client.post(`/_sandbox/checkouts/${made.checkout_id}/pay`, choice);
  expect(await read()).toEqual(before);
});

it("a stale read returns the quoted price of a hosted charge", async () => {
  const rule = { match: { operation: "getCharge" }, stale: "last_change" };
  const { sandbox, client } = await shopWith(rule);
  const pricing = { base_currency: "USD", amount: "25.00" };
  const order = { pricing, payment_method: "card", to_currency: "KES" };
  const { quote_id } = (await client.post("/api/v1/payments/quotes", order)).json;
  const made = (await client.post("/api/v1/payments/checkouts", { pricing, quote_id })).json;
  const read = async () => (await client.charge(made.charge_id)).json;
  const before = await read();
  expect(before).toMatchObject({ status: "PENDING", currency: "KES", settlement_amount: "3225.00" });
  await sandbox.advance("1s");
  await client.post(`/_sandbox/checkouts/${made.checkout_id}/pay`, { payment_method: "card" });
  expect(await read()).toEqual(before);
});

it("a stale read returns earlier withdrawals but current balances", async () => {
  const { sandbox, client } = await behind(["*Withdrawal*", "*Destination*", "getBalances"]);
  const account = {
    type: "bank_account",
    currency: "NGN",
    bank_code: "044",
    account_number: "1",
    account_name: "A",
  };
  await client.ask("POST /_sandbox/balances", { currency: "NGN", amount: "9000.00" });
  const made = (await client.post("/api/v1/payouts/destinations", account)).json;
  const order = {
    destination_id: made.destination_id,
    amount: "5000.00",
    currency: "NGN",
    reference: "fail-1",
  };
  const { withdrawal_id } = (await client.post("/api/v1/payouts/withdrawals", order)).json;
  const read = async () => (await client.get(`/api/v1/payouts/withdrawals/${withdrawal_id}`)).json;
  const total = async (what: string) => (await client.get(`/api/v1/payouts/${what}`)).json.total;
  const destination = () => client.get(`/api/v1/payouts/destinations/${made.destination_id}`);
  expect([await total("withdrawals"), await total("destinations")]).toEqual([0, 0]);
  expect([(await read()).error.code, (await destination()).status]).toEqual(["NOT_FOUND", 404]);
  await sandbox.advance("2s");
  expect(await read()).toMatchObject({ status: "PENDING", failure_reason: null });
  expect([await total("withdrawals"), (await destination()).status]).toEqual([1, 200]);
  await sandbox.advance("1s");
  expect(await read()).toMatchObject({ status: "PROCESSING", failure_reason: null });
  expect((await client.get("/api/v1/accounts/balances")).json.balances).toContainEqual({
    currency: "NGN",
    available_balance: "9000.00",
    pending_balance: "0.00",
  });
  await sandbox.advance("2s");
  expect(await read()).toMatchObject({ status: "FAILED", failure_reason: "rejected_by_bank" });
});

it.each([
  ["COMPLETED", ["PROCESSING", "COMPLETED"], "PROCESSING"],
  ["FAILED", ["PROCESSING", "FAILED"], "PROCESSING"],
  ["PROCESSING", ["PROCESSING"], "PENDING"],
  ["CANCELLED", ["CANCELLED"], "PENDING"],
])("a stale read returns a withdrawal as it was before %s", async (_, statuses, before) => {
  const rule = { match: { operation: "getWithdrawal" }, stale: "last_change" };
  const { sandbox, client } = await shopWith(rule, { retention: { events: 1 }, webhooks: [] });
  const account = { type: "mobile_money", currency: "KES", phone_number: "+254700000001", provider: "p" };
  await client.ask("POST /_sandbox/balances", { currency: "KES", amount: "5000.00" });
  const { destination_id } = (await client.post("/api/v1/payouts/destinations", account)).json;
  const order = { destination_id, amount: "1000.00", currency: "KES" };
  const { withdrawal_id } = (await client.post("/api/v1/payouts/withdrawals", order)).json;
  for (const to of statuses) {
    await sandbox.advance("100ms");
    await client.ask(`POST /_sandbox/withdrawals/${withdrawal_id}/transition`, { to });
  }
  for (const type of ["webhook.test", "webhook.test"]) await client.ask("POST /_sandbox/events", { type });
  const seen = (await client.get(`/api/v1/payouts/withdrawals/${withdrawal_id}`)).json;
  expect(seen).toMatchObject({ status: before, failure_reason: null });
});
