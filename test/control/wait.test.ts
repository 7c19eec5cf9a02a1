import { describe, expect, it } from "vitest";
import { expectError, expectInvalid, openApi, openSandbox } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";
import { hold, Receiver } from "../support/receiver-server.js";

const open = async () => Client.of(await openSandbox());

describe("POST /_sandbox/wait", () => {
  it("answers at once with what is there already, the newest", async () => {
    const client = await open();
    await client.pay();
    const id = await client.pay();
    const { status, json } = await client.call("POST", "/_sandbox/wait", {
      for: "charge",
      match: { customer_email: "ada@*", amount: { gte: "100" } },
    });
    expect([status, json.charge_id, json.mode]).toEqual([200, id, "test"]);
  });

  it("resolves as soon as the charge is there, not when the time is up", async () => {
    const client = await open();
    const match = { status: "COMPLETED", customer_email: "ada@shop.test" };
    let answered = false;
    const waiting = client.call("POST", "/_sandbox/wait", { for: "charge", match, timeout: "1h" });
    void waiting.then(() => (answered = true));
    const id = await client.pay();
    await client.call("GET", "/_sandbox");
    expect(answered).toBe(false);
    await client.call("POST", "/_sandbox/clock/advance", { by: "10s" });
    expect((await waiting).json).toMatchObject({ charge_id: id, status: "COMPLETED" });
  });

  it("waits for a request, and for as many as it is told to", async () => {
    const client = await open();
    const match = { operation: "createQuote", status: 200 };
    const waiting = client.call("POST", "/_sandbox/wait", { for: "request", match, count: 2, timeout: "1h" });
    await client.quote();
    const short = await client.call("POST", "/_sandbox/wait", {
      for: "request",
      match,
      count: 2,
      timeout: "10ms",
    });
    expect([short.status, short.json.error.message]).toEqual([408, expect.stringContaining("1 of 2")]);
    await client.quote();
    expect((await waiting).json).toMatchObject({ operation: "createQuote", method: "POST", status: 200 });
  });

  it("waits for a delivery", async () => {
    await using receiver = await Receiver.open();
    const sandbox = await openSandbox({ webhooks: [receiver.url] });
    const client = Client.of(sandbox);
    const waiting = client.call("POST", "/_sandbox/wait", {
      for: "delivery",
      match: { type: "charge.completed", status: "delivered" },
      timeout: "1h",
    });
    const id = await client.pay();
    await sandbox.advance("10s");
    expect((await waiting).json).toMatchObject({ charge_id: id, answered: 200, url: receiver.url });
  });

  it("waits until nothing is due and no delivery is under way", async () => {
    await using receiver = await Receiver.open(hold);
    const sandbox = await openSandbox({ webhooks: [receiver.url] });
    const client = Client.of(sandbox);
    await client.call("POST", "/_sandbox/events", { type: "webhook.test" });
    const busy = await client.call("POST", "/_sandbox/wait", { for: "idle", timeout: "20ms" });
    expect([busy.status, busy.json.error.code]).toEqual([408, "WAIT_TIMEOUT"]);
    const waiting = client.call("POST", "/_sandbox/wait", { for: "idle", timeout: "1h" });
    (await receiver.arrived(1)).answer();
    expect((await waiting).json).toMatchObject({ idle: true });
  });

  it("gives up with 408 and tells what came nearest, field by field", async () => {
    const client = await open();
    const near = await client.pay({ email: "ada@shop.test" });
    await client.pay({ email: "bob@shop.test" });
    const { status, json } = await client.call("POST", "/_sandbox/wait", {
      for: "charge",
      match: { customer_email: "ada@shop.test", status: "FAILED", metadata: { plan: "gold" } },
      timeout: "10ms",
    });
    expect([status, json.error.code]).toEqual([408, "WAIT_TIMEOUT"]);
    expect(Object.keys(json.error.details)[0]).toBe(near);
    expect(json.error.details[near]).toBe(
      'status is "PENDING", not "FAILED"; metadata.plan is absent, not "gold"',
    );
  });

  it("gives up on an empty sandbox in the service's shape", async () => {
    const api = await openApi();
    expectError(await api.post("/_sandbox/wait", { for: "charge", timeout: "1ms" }), 408, "WAIT_TIMEOUT");
  });

  it.each([
    [{}, "for"],
    [{ for: "rain" }, "for"],
    [{ for: "charge", timeout: "soon" }, "timeout"],
    [{ for: "charge", count: 0 }, "count"],
    [{ for: "charge", within: "1s" }, "within"],
  ])("refuses %j and names the field", async (body, field) => {
    expectInvalid(await (await openApi()).post("/_sandbox/wait", body), field);
  });
});
