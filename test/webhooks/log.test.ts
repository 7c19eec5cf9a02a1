import { expect } from "vitest";
import { expectInvalid } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import type { Client } from "../support/receiver-client.js";
import { accept, hold, Receiver, refuseWith } from "../support/receiver-server.js";
import {
  deliveries,
  type Json,
  MINUTE,
  ONLY_COMPLETED,
  SECOND,
  shopAndReceiver,
  shopFor,
  since,
  useRules,
} from "./support/shop.js";

const post = (client: Client, path: string, body: object = {}) => client.ask(`POST /_sandbox/${path}`, body);
const events = async (client: Client): Promise<Json[]> =>
  (await client.ask("GET /_sandbox/events?limit=100")).json.items;

it("the delivery log returns the newest first, in pages", async () => {
  const { sandbox, client } = await shopFor([{ mailbox: "box" }]);
  for (let n = 0; n < 3; n++) await client.pay({ scenario: "instant" });
  await sandbox.settled();
  const [newest] = await deliveries(client);
  await post(client, `deliveries/${newest!.delivery_id}/redeliver`, { times: 3 });
  const list = async (query: string) =>
    (await client.ask(`GET /_sandbox/deliveries?${query}`)).json as { total: number; items: Json[] };
  for (const filter of [
    "",
    "mode=test&",
    "status=pending&",
    `event_id=${newest!.event_id}&`,
    "event_id=ev_x&",
  ]) {
    const { total, items: whole } = await list(`${filter}limit=100`);
    expect(whole).toHaveLength(total);
    const paged: Json[] = [];
    for (let offset = 0; offset < total + 2; offset += 2) {
      const page = await list(`${filter}limit=2&offset=${offset}`);
      expect(page.total).toBe(total);
      paged.push(...page.items);
    }
    expect(paged).toEqual(whole);
  }
  expect((await list(`event_id=${newest!.event_id}`)).total).toBe(4);
  expect((await list("mode=test")).items).toEqual((await list("")).items);
});

it("the delivery log has the bytes, headers and response of each attempt", async () => {
  const receiver = await Receiver.open((received) => {
    if (receiver.received.length > 1) return received.answer(204);
    setTimeout(() => received.response.writeHead(503, { "x-app": "down" }).end("büsy ✗"), 60);
  });
  const { sandbox, client } = await shopFor([{ url: receiver.url, ...ONLY_COMPLETED }]);
  const charge = await client.pay({ scenario: "instant", metadata: { note: "Zoë 𝄞" } });
  await sandbox.settled();

  const [first] = await deliveries(client);
  const [event] = await events(client);
  expect(first).toMatchObject({
    event_id: event.event_id,
    type: "charge.completed",
    mode: "test",
    url: receiver.url,
    charge_id: charge,
    status: "pending",
    answered: 503,
  });
  expect(since(first.next_attempt_at)).toBe(5 * SECOND);
  expect(first.body).toBe(receiver.received[0]!.body);
  expect(first.data).toEqual((await client.charge(charge)).json);
  const [attempt] = first.attempts;
  expect(attempt).toMatchObject({ attempt: 1, status: 503, response_body: "büsy ✗", error: null });
  expect(since(attempt.at)).toBe(0);
  expect(attempt.duration_ms).toBeGreaterThanOrEqual(50);
  expect(attempt.duration_ms).toBeLessThan(60_000);
  expect(Math.abs(Date.now() - Date.parse(attempt.sent_at))).toBeLessThan(100_000);
  // The log contains each header that the sandbox sets.
  expect(receiver.received[0]!.headers).toMatchObject(attempt.request_headers);
  expect(Object.keys(attempt.request_headers)).toEqual(
    expect.arrayContaining(["content-type", "webhook-id", "webhook-timestamp", "webhook-signature"]),
  );

  await sandbox.advance("5s");
  const { json } = await client.ask(`GET /_sandbox/deliveries/${first.delivery_id}`);
  expect(json).toMatchObject({ status: "delivered", answered: 204, next_attempt_at: null });
  expect(json.attempts[0]).toEqual(attempt);
  expect(json.attempts[1]).toMatchObject({ attempt: 2, status: 204, response_body: "" });
  expect(receiver.received[1]!.headers).toMatchObject(json.attempts[1].request_headers);
});

it("the delivery log stores the first 4 KB of a long response", async () => {
  const answer = "x".repeat(4_090) + "0123456789".repeat(10_000);
  const { sandbox, client } = await shopAndReceiver(
    (received) => received.response.writeHead(200).end(answer),
    ONLY_COMPLETED,
  );
  await client.pay({ scenario: "instant" });
  await sandbox.settled();
  const [one] = await deliveries(client);
  expect(one.attempts[0].response_body).toBe(answer.slice(0, 4_096));
});

it("the delivery log filters by type, charge, event, status and mode", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver();
  const [charge, other] = [await client.pay(), await client.pay()];
  await sandbox.advance("3s");
  const count = async (query: string) => (await deliveries(client, query)).length;
  expect(await count("")).toBe(4);
  expect(await count(`&charge_id=${charge}`)).toBe(2);
  expect(await count(`&charge_id=${other}&type=*.processing`)).toBe(1);
  expect(await count(`&event_id=${receiver.received[0]!.event.id}`)).toBe(1);
  expect([await count("&status=delivered"), await count("&status=failed")]).toEqual([4, 0]);
  expect([await count("&mode=test"), await count("&mode=live")]).toEqual([4, 0]);
  const wrong = await client.ask("GET /_sandbox/deliveries?status=lost");
  expectInvalid(wrong, "status");
});

it("POST redeliver sends the same event with a new signature", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(accept, ONLY_COMPLETED);
  const charge = await client.pay({ scenario: "instant" });
  await sandbox.settled();
  const [first] = await deliveries(client);
  // The signature's timestamp changes once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  const { status, json } = await post(client, `deliveries/${first.delivery_id}/redeliver`, { times: 2 });
  expect({ status, total: json.total }).toEqual({ status: 200, total: 2 });
  await sandbox.settled();

  expect(receiver.received).toHaveLength(3);
  for (const again of receiver.received.slice(1)) {
    expect(again.body).toBe(receiver.received[0]!.body);
    expect(again.headers["webhook-id"]).toBe(first.event_id);
    expect(Number(again.headers["webhook-timestamp"])).toBeGreaterThan(
      Number(receiver.received[0]!.headers["webhook-timestamp"]),
    );
    again.verify();
  }
  expect(await events(client)).toHaveLength(1);
  const all = await deliveries(client, `&charge_id=${charge}`);
  expect(all).toHaveLength(3);
  expect(new Set(all.map((one) => one.delivery_id)).size).toBe(3);
  expect(new Set(all.map((one) => one.event_id))).toEqual(new Set([first.event_id]));
  expect(all.map((one) => one.attempts.length)).toEqual([1, 1, 1]);
  // The charge's timeline lists the redeliveries, too.
  const story = (await client.ask(`GET /_sandbox/charges/${charge}/timeline`)).json;
  expect(JSON.stringify(story).match(/"kind":"attempt"/g)).toHaveLength(3);
});

it("POST redeliver sends at once and delays no other event", async () => {
  const { receiver, sandbox, client, sell } = await shopAndReceiver(refuseWith(500));
  await sell("1s");
  const [first] = await deliveries(client);
  receiver.handler = hold;
  const made = await post(client, `deliveries/${first.delivery_id}/redeliver`);
  expect(made.json.items[0]).toMatchObject({ status: "pending", type: "charge.awaiting_payment" });
  const again = await receiver.arrived(2);
  receiver.handler = (received) => received.answer();
  await client.transition(first.charge_id, "PROCESSING");
  expect((await receiver.arrived(3)).event.type).toBe("charge.processing");
  again.answer();
  await sandbox.settled();
});

it("POST trigger creates an event with the charge's current data", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver();
  const charge = await client.pay();
  const before = (await client.charge(charge)).text;
  const made = await post(client, "events", { type: "charge.completed", charge_id: charge });
  expect(made).toMatchObject({ status: 200, json: { type: "charge.completed", charge_id: charge } });
  await sandbox.settled();
  expect(receiver.types).toEqual(["charge.completed"]);
  receiver.received[0]!.verify();
  expect(receiver.received[0]!.event.id).toBe(made.json.event_id);
  expect(receiver.received[0]!.dataText).toBe(before);
  expect((await client.charge(charge)).text).toBe(before);
  await post(client, "events", { type: "charge.completed", charge_id: charge, data: { status: "FAILED" } });
  await sandbox.settled();
  expect(receiver.received[1]!.event.data.status).toBe("FAILED");
  expect(receiver.received[1]!.event.id).not.toBe(made.json.event_id);
});

it("POST trigger creates an event that has no charge", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver();
  expect((await post(client, "events", { type: "webhook.test" })).json.data).toEqual({});
  await sandbox.settled();
  expect(receiver.types).toEqual(["webhook.test"]);
});

it("POST retry makes the next attempt now", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(refuseWith(500), ONLY_COMPLETED);
  await client.pay({ scenario: "instant" });
  await sandbox.settled();
  const [first] = await deliveries(client);
  receiver.handler = (received) => received.answer();
  const answer = await post(client, `deliveries/${first.delivery_id}/retry`);
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({ delivery_id: first.delivery_id, status: "pending" });
  await sandbox.settled();
  const all = await deliveries(client);
  expect(all).toHaveLength(1);
  expect(all[0]).toMatchObject({ status: "delivered", next_attempt_at: null });
  expect(all[0].attempts.map((one: Json) => [one.attempt, one.status, since(one.at)])).toEqual([
    [1, 500, 0],
    [2, 200, 0],
  ]);
  receiver.received[1]!.verify();
  // The scheduled attempt is not made in addition.
  await sandbox.advance("7d");
  expect(receiver.received).toHaveLength(2);
});

it("the next retry after POST retry follows the schedule", async () => {
  const { sandbox, client, sell } = await shopAndReceiver(refuseWith(500), ONLY_COMPLETED);
  await sell("2s", { scenario: "instant" });
  const [first] = await deliveries(client);
  await post(client, `deliveries/${first.delivery_id}/retry`);
  await sandbox.settled();
  expect(since((await deliveries(client))[0].next_attempt_at)).toBe(2 * SECOND + 5 * MINUTE);
});

it("POST retry retries a failed delivery", async () => {
  const { receiver, sandbox, client, sell } = await shopAndReceiver(refuseWith(500), ONLY_COMPLETED);
  await sell("30d", { scenario: "instant" });
  const [failed] = await deliveries(client);
  expect([failed.status, failed.attempts.length]).toEqual(["failed", 10]);
  for (const [answers, status, attempts] of [
    [500, "failed", 11],
    [200, "delivered", 12],
  ] as const) {
    receiver.handler = (received) => received.answer(answers);
    expect((await post(client, `deliveries/${failed.delivery_id}/retry`)).status).toBe(200);
    await sandbox.settled();
    const [now] = await deliveries(client);
    expect([now.status, now.attempts.length, now.next_attempt_at]).toEqual([status, attempts, null]);
  }
});

it("POST retry sends a delivery that a scenario delays", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(accept, ONLY_COMPLETED);
  await useRules(client, [{ delay: "1h" }]);
  const charge = await client.pay();
  await client.transition(charge, "COMPLETED");
  const [late] = await deliveries(client);
  await post(client, `deliveries/${late.delivery_id}/retry`);
  await sandbox.advance("2h");
  expect(receiver.types).toEqual(["charge.completed"]);
});

it("POST retry returns 409 when there is nothing to retry", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(hold);
  const charge = await client.pay();
  for (const status of ["PROCESSING", "COMPLETED"]) await client.transition(charge, status);
  const held = await receiver.arrived(1);
  const [underWay, waiting] = await deliveries(client);
  const refused = async ({ delivery_id }: Json) => {
    const { status, json } = await post(client, `deliveries/${delivery_id}/retry`);
    expect({ status, code: json.error?.code }).toEqual({ status: 409, code: "INVALID_TRANSITION" });
    return json.error.message;
  };
  expect(await refused(underWay)).toContain("under way");
  expect(await refused(waiting)).toContain("waits for");
  receiver.handler = (received) => received.answer(410);
  held.answer();
  await sandbox.settled();
  expect(await refused(underWay)).toContain("has arrived");
  // The 410 disabled the endpoint.
  expect(await refused(waiting)).toContain("disabled");
  expect((await post(client, "deliveries/dlv_0/retry")).status).toBe(404);
  expect((await post(client, `deliveries/${underWay.delivery_id}/retry`, { times: 2 })).status).toBe(400);
  expect(receiver.received).toHaveLength(2);
});
