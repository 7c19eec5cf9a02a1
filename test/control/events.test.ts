import { describe, expect, it } from "vitest";
import { expectError, expectInvalid, openApi, openSandbox } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";

const ids = (items: { event_id: string }[]) => items.map((one) => one.event_id);

describe("events", () => {
  it("are listed newest first, by type, charge and mode", async () => {
    const sandbox = await openSandbox();
    const client = Client.of(sandbox);
    const mine = await client.pay();
    await sandbox.advance("10s");
    const live = await client.pay({ key: "sk_live_sandbox" });
    await sandbox.advance("10s");
    const list = async (query: string) => (await client.call("GET", `/_sandbox/events?${query}`)).json;
    expect((await list("")).total).toBe(6);
    expect(
      (await list("type=charge.completed")).items.map((one: { charge_id: string }) => one.charge_id),
    ).toEqual([live, mine]);
    expect((await list(`charge_id=${mine}&type=*.completed`)).items).toMatchObject([
      { type: "charge.completed", mode: "test", data: { charge_id: mine, status: "COMPLETED" } },
    ]);
    expect((await list("mode=live")).total).toBe(3);
    expect((await list("limit=1&offset=5")).items).toMatchObject([
      { type: "charge.awaiting_payment", charge_id: mine },
    ]);
  });

  it("can be made for a charge, with data of one's own on top", async () => {
    await using receiver = await Receiver.open();
    const sandbox = await openSandbox({ webhooks: [receiver.url] });
    const client = Client.of(sandbox);
    const id = await client.pay();
    const { json } = await client.call("POST", "/_sandbox/events", {
      type: "charge.completed",
      charge_id: id,
      data: { amount: "1.00" },
    });
    expect(json).toMatchObject({
      type: "charge.completed",
      charge_id: id,
      data: { charge_id: id, amount: "1.00" },
    });
    const received = await receiver.arrived(1);
    received.verify();
    expect(received.event).toMatchObject({ id: json.event_id, type: "charge.completed" });
    expect((await client.call("GET", `/_sandbox/charges/${id}`)).json.status).toBe("PENDING");
  });

  it("can be made of nothing but data, in either mode", async () => {
    const sandbox = await openSandbox();
    const client = Client.of(sandbox);
    const made = await client.call("POST", "/_sandbox/events", {
      type: "webhook.test",
      data: { a: 1 },
      mode: "live",
    });
    expect(made.json).toMatchObject({
      mode: "live",
      data: { a: 1 },
      payload: { type: "webhook.test", mode: "live" },
    });
  });

  it("are refused for what is no type and for a charge that is not there", async () => {
    const api = await openApi();
    expectInvalid(await api.post("/_sandbox/events", { type: "Charge Completed" }), "type");
    expectInvalid(await api.post("/_sandbox/events", {}), "type");
    expectError(
      await api.post("/_sandbox/events", { type: "charge.completed", charge_id: "ch_x" }),
      404,
      "NOT_FOUND",
    );
  });
});

describe("deliveries", () => {
  it("show the exact bytes, headers, answer, duration and next attempt", async () => {
    await using receiver = await Receiver.open(refuseWith(500));
    const sandbox = await openSandbox({ webhooks: [receiver.url] });
    const client = Client.of(sandbox);
    await client.call("POST", "/_sandbox/events", { type: "webhook.test", data: { n: "ä" } });
    const received = await receiver.arrived(1);
    await sandbox.advance("1s");
    const { json } = await client.call("GET", "/_sandbox/deliveries");
    const [delivery] = json.items;
    expect(delivery).toMatchObject({
      event_id: received.event.id,
      status: "pending",
      url: receiver.url,
      answered: 500,
      body: received.body,
      next_attempt_at: "2026-01-31T09:00:05.000Z",
      attempts: [{ status: 500, duration_ms: expect.any(Number), response_body: "answer" }],
    });
    expect(JSON.stringify(delivery.attempts[0])).toContain(received.headers["webhook-signature"]);
    const one = await client.call("GET", `/_sandbox/deliveries/${delivery.delivery_id}`);
    expect(one.json).toEqual(delivery);
  });

  it("are filtered by event, type, status and charge", async () => {
    await using receiver = await Receiver.open();
    const sandbox = await openSandbox({ webhooks: [receiver.url] });
    const client = Client.of(sandbox);
    const id = await client.pay();
    await sandbox.advance("10s");
    await client.pay();
    await sandbox.advance("10s");
    const list = async (query: string) => (await client.call("GET", `/_sandbox/deliveries?${query}`)).json;
    expect((await list("")).total).toBe(6);
    expect((await list(`charge_id=${id}`)).total).toBe(3);
    expect((await list("type=charge.completed&status=delivered")).total).toBe(2);
    expect((await list("status=failed")).total).toBe(0);
    const { event_id } = (await list("limit=1")).items[0];
    expect(ids((await list(`event_id=${event_id}`)).items)).toEqual([event_id]);
    const wrong = await client.call("GET", "/_sandbox/deliveries?status=lost");
    expect(wrong.json.error.details).toHaveProperty("status");
  });

  it("are made again as often as asked: same event and bytes, deliveries of their own, freshly signed", async () => {
    await using receiver = await Receiver.open();
    const sandbox = await openSandbox({ webhooks: [receiver.url] });
    const client = Client.of(sandbox);
    await client.call("POST", "/_sandbox/events", { type: "webhook.test" });
    const first = await receiver.arrived(1);
    const { json: before } = await client.call("GET", "/_sandbox/deliveries");
    const path = `/_sandbox/deliveries/${before.items[0].delivery_id}/redeliver`;
    const { json } = await client.call("POST", path, { times: 3 });
    expect(json.total).toBe(3);
    expect(new Set(json.items.map((one: { delivery_id: string }) => one.delivery_id)).size).toBe(3);
    await receiver.arrived(4);
    for (const received of receiver.received) {
      received.verify();
      expect(received.body).toBe(first.body);
      expect(received.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    }
    expect((await client.call("POST", path)).json.total).toBe(1);
  });

  it("are refused for a times that is none and a delivery that is not there", async () => {
    const api = await openApi();
    for (const times of [0, 101, 1.5, "2"])
      expectInvalid(await api.post("/_sandbox/deliveries/dl_x/redeliver", { times }), "times");
    expectError(await api.post("/_sandbox/deliveries/dl_x/redeliver", {}), 404, "NOT_FOUND");
    expectError(await api.get("/_sandbox/deliveries/dl_x"), 404, "NOT_FOUND");
  });
});
