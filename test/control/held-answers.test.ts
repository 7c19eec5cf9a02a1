import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../src/index.js";
import { openShop } from "../support/receiver-client.js";
import { accept, type Received, Receiver } from "../support/receiver-server.js";
import { eventually } from "../webhooks/support/shop.js";

/** A shop whose checkouts meet a fault, and the order in which things came to it. */
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
  /** A checkout over the port, which its client can leave. */
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
  it("webhook: the answer comes after the charge's next webhook has been answered", async () => {
    const { order, pay } = await shopWith({ hold: "webhook" });
    await pay("instant");
    expect(order).toEqual(["charge.completed", "answer"]);
  });

  it("idle: it comes when nothing more is planned for the charge, and all its webhooks have arrived", async () => {
    const { sandbox, order, pay, made } = await shopWith({ hold: "idle" });
    const paid = pay();
    await made();
    for (const by of ["2s", "2s", "2s"]) await sandbox.advance(by);
    await paid;
    expect(order).toEqual(["charge.awaiting_payment", "charge.processing", "charge.completed", "answer"]);
  });

  it("ends at the limit where nobody hears of the charge, and for a call that is about none", async () => {
    const { order, pay, client } = await shopWith({ match: {}, hold: "webhook" }, { holdLimit: "30ms" });
    await pay();
    expect(order).toEqual(["answer"]);
    const before = performance.now();
    expect(
      (await client.get("/api/v1/accounts/balances", { authorization: "Bearer sk_test_sandbox" })).status,
    ).toBe(200);
    expect(performance.now() - before).toBeLessThan(30_000);
  });

  it("of a time is so long, and ends with the sandbox", async () => {
    const { sandbox, checkout, made } = await shopWith({ hold: "1h" }, { holdLimit: "1h" });
    const { answer } = await checkout();
    const cut = expect(answer).rejects.toThrow();
    await made();
    await sandbox.close();
    await cut;
  });
});

describe("delay_answer", () => {
  it("does the work first, and the journal says that the client had gone", async () => {
    const { checkout, made, requests } = await shopWith({ delay_answer: "1h" });
    const { answer, leave } = await checkout();
    await made();
    leave();
    await expect(answer).rejects.toThrow();
    await eventually(async () => (await requests()).length > 0);
    expect((await requests())[0]).toMatchObject({ status: null, client_gone: true });
  });
});

describe("drop: hang", () => {
  it("does the work and never answers, until the client leaves", async () => {
    const { checkout, made, charges, requests } = await shopWith({ drop: "hang" });
    const { answer, leave } = await checkout();
    await made();
    leave();
    await expect(answer).rejects.toThrow();
    expect(await charges()).toBe(1);
    expect((await requests())[0]).toMatchObject({
      status: null,
      fault: expect.stringMatching(/^fault_|^flt_/),
    });
  });

  it("cuts the connection at the limit", async () => {
    const { checkout, charges } = await shopWith({ drop: "hang" }, { holdLimit: "20ms" });
    const { answer } = await checkout();
    await expect(answer).rejects.toThrow();
    expect(await charges()).toBe(1);
  });
});

describe("stale", () => {
  it("answers a charge as it was, and has not heard of a new one", async () => {
    const { sandbox, client, pay } = await shopWith({ match: { operation: "getCharge" }, stale: "2s" });
    const charge = await pay();
    expect((await client.charge(charge)).status).toBe(404);
    await sandbox.advance("5s");
    const seen = (await client.charge(charge)).json;
    expect([seen.status, seen.settled_at, seen.status_history.length]).toEqual(["PROCESSING", null, 3]);
    expect(seen.updated_at).toBe(seen.status_history.at(-1).at);
    await sandbox.advance("2s");
    expect((await client.charge(charge)).json.status).toBe("COMPLETED");
  });
});
