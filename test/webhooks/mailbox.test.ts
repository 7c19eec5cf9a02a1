import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import { START } from "../support/api-client.js";
import type { Client } from "../support/receiver-client.js";
import { FakeWall, KeptStore, worldOn } from "../support/receiver-world.js";
import { deliveries, type Json, MINUTE, SECOND, shopFor, since, THREE, useRules } from "./support/shop.js";

const BOX = { mailbox: "inbox" };

async function take(client: Client, max?: number): Promise<Json[]> {
  const answer = await client.ask("POST /_sandbox/mailboxes/inbox/take", max === undefined ? {} : { max });
  expect(answer.status).toBe(200);
  expect(answer.json.total).toBe(answer.json.items.length);
  return answer.json.items;
}

function ack(client: Client, delivery: Json, status = 200, body?: string) {
  return client.ask(`POST /_sandbox/mailboxes/inbox/${delivery.delivery_id}/ack`, {
    status,
    ...(body === undefined ? {} : { body }),
  });
}

/** Takes and acknowledges deliveries until the mailbox is empty. */
async function empty(client: Client): Promise<Json[]> {
  const all: Json[] = [];
  for (let taken = await take(client); taken.length > 0; taken = await take(client))
    for (const one of taken) {
      expect((await ack(client, one)).json.status).toBe("delivered");
      all.push(one);
    }
  return all;
}

it("a mailbox returns only its own deliveries", async () => {
  const { client, sell } = await shopFor([BOX, { mailbox: "other" }]);
  await sell("1s");
  const [{ delivery_id }] = (await take(client)) as [Json];
  for (const [mailbox, status] of [
    ["other", 404],
    ["nowhere", 404],
    ["inbox", 200],
  ] as const) {
    const path = `POST /_sandbox/mailboxes/${mailbox}/${delivery_id}/ack`;
    expect([mailbox, (await client.ask(path, { status: 200 })).status]).toEqual([mailbox, status]);
  }
});

it("a mailbox returns a webhook's headers and body", async () => {
  const { client, sell } = await shopFor([BOX]);
  const charge = await sell("1s", { metadata: { note: "Zoë 𝄞 \u2028" } });
  const [first, ...others] = await take(client);
  expect(others).toEqual([]);
  expect(first).toMatchObject({ type: THREE[0], attempt: 1 });
  const verified = new Webhook(DEFAULT_WEBHOOK_SECRET).verify(first.body, first.headers) as Json;
  expect(verified).toMatchObject({ id: first.event_id, data: { charge_id: charge } });
  expect(first.headers).toMatchObject({
    "content-type": "application/json",
    "webhook-id": first.event_id,
    "user-agent": expect.stringContaining("sandbox"),
  });
  expect(first.body).toContain((await client.charge(charge)).text);
  const acknowledged = await ack(client, first, 204, "thanks");
  expect(acknowledged.json).toMatchObject({ status: "delivered", answered: 204, url: null });
  expect(acknowledged.json.attempts[0]).toMatchObject({
    status: 204,
    response_body: "thanks",
    request_headers: first.headers,
    error: null,
  });
});

it("a mailbox does not delay an advance", async () => {
  const { sandbox, client } = await shopFor([BOX]);
  await client.pay();
  const report = await sandbox.advance("30d");
  expect(since(report.to)).toBe(30 * 24 * 60 * MINUTE);
  expect((await deliveries(client)).map((one) => [one.status, one.attempts.length])).toEqual(
    Array(3).fill(["pending", 0]),
  );
  expect((await empty(client)).map((one) => one.type)).toEqual(THREE);
});

it("a mailbox returns the events of one charge in order", async () => {
  const { sandbox, client } = await shopFor([BOX]);
  const charges = [await client.pay(), await client.pay(), await client.pay()];
  await sandbox.advance("10s");
  for (const type of THREE) {
    const taken = await take(client);
    expect(taken.map((one) => [one.type, JSON.parse(one.body).data.charge_id])).toEqual(
      charges.map((charge) => [type, charge]),
    );
    expect(await take(client)).toEqual([]);
    // A failed first attempt also releases the next event.
    for (const [index, one] of taken.entries()) await ack(client, one, index === 1 ? 500 : 200);
  }
});

it("a mailbox returns at most the requested number of deliveries", async () => {
  const { sandbox, client } = await shopFor([{ ...BOX, events: ["charge.awaiting_payment"] }]);
  const charges: string[] = [];
  for (let made = 0; made < 5; made++) charges.push(await client.pay());
  await sandbox.advance("1s");
  const about = (one: Json) => JSON.parse(one.body).data.charge_id;
  const [two, rest] = [await take(client, 2), await take(client)];
  expect([two.map(about), rest.map(about)]).toEqual([charges.slice(0, 2), charges.slice(2)]);
});

it("a mailbox follows the Retry-After of an acknowledgement", async () => {
  const { client, sell } = await shopFor([BOX]);
  await sell("1s");
  const [first] = await take(client);
  const path = `POST /_sandbox/mailboxes/inbox/${first.delivery_id}/ack`;
  const { json } = await client.ask(path, { status: 503, headers: { "Retry-After": "90" } });
  expect(since(json.next_attempt_at) - since((await client.clock()).json.now)).toBe(90 * SECOND);
});

it("a 410 disables a mailbox", async () => {
  const { sandbox, client, sell } = await shopFor([BOX]);
  await sell("10s");
  const [first] = await take(client);
  expect((await ack(client, first, 410)).json.status).toBe("failed");
  expect(await take(client)).toEqual([]);
  const { json } = await client.ask("GET /_sandbox/webhook-endpoints");
  expect(json.items[0]).toMatchObject({ mailbox: "inbox", enabled: false });
  // The deliveries behind it are dropped.
  await sandbox.settled();
  expect((await deliveries(client)).map((one) => one.status)).toEqual(["failed", "dropped", "dropped"]);
});

it.each([
  ["deleted", "DELETE", undefined],
  ["switched off", "PATCH", { enabled: false }],
] as const)("a mailbox that is %s drops its pending deliveries", async (_how, verb, body) => {
  const { sandbox, client, sell } = await shopFor([BOX, { mailbox: "other" }]);
  await sell("1s");
  const { items } = (await client.ask("GET /_sandbox/webhook-endpoints")).json;
  const { webhook_id } = items.find((one: Json) => one.mailbox === "inbox");
  await client.ask(`${verb} /_sandbox/webhook-endpoints/${webhook_id}`, body);
  await sandbox.settled();
  expect((await deliveries(client)).map((one) => [one.webhook_id === webhook_id, one.status])).toEqual([
    [true, "dropped"],
    [false, "pending"],
  ]);
  const { json } = await client.ask("POST /_sandbox/mailboxes/other/take", {});
  expect(json.items).toMatchObject([{ type: THREE[0], attempt: 1 }]);
});

it("a mailbox accepts one acknowledgement per delivery", async () => {
  const { client, sell } = await shopFor([BOX]);
  await sell("1s");
  const [known] = await deliveries(client);
  expect((await ack(client, known)).status).toBe(404);
  const [taken] = await take(client);
  expect((await ack(client, taken)).status).toBe(200);
  expect((await ack(client, taken)).status).toBe(404);
  for (const status of [0, 99, 600, 200.5, "200", undefined])
    expect(
      (await client.ask(`POST /_sandbox/mailboxes/inbox/${taken.delivery_id}/ack`, { status })).status,
    ).toBe(400);
  expect((await client.ask("POST /_sandbox/mailboxes/other/take", {})).status).toBe(404);
  for (const max of [0, 1001, 1.5, "1"])
    expect((await client.ask("POST /_sandbox/mailboxes/inbox/take", { max })).status).toBe(400);
});

it("a mailbox is empty after a reset", async () => {
  const { client, sell } = await shopFor([BOX]);
  await sell("1s");
  const [taken] = await take(client);
  await client.reset({ ids: "repeat" });
  expect((await ack(client, taken)).status).toBe(404);
  expect(await take(client)).toEqual([]);
  await sell("10s");
  expect((await empty(client)).map((one) => one.type)).toEqual(THREE);
});

it("scenarios apply to deliveries to a mailbox", async () => {
  const { sandbox, client, sell } = await shopFor([{ ...BOX, events: ["charge.completed"] }]);
  await useRules(client, [{ copies: 2, bad_signature: true, fail_first: 1 }]);
  await sell("5s");
  expect(await take(client)).toEqual([]);
  await sandbox.advance("5s");
  const taken = await take(client);
  expect(taken.map((one) => one.attempt)).toEqual([2, 2]);
  expect(new Set(taken.map((one) => one.headers["webhook-id"])).size).toBe(1);
  const library = new Webhook(DEFAULT_WEBHOOK_SECRET);
  for (const one of taken) expect(() => library.verify(one.body, one.headers)).toThrow("No matching");
});

const LATE = { status: null, response_body: null, error: "not acknowledged within 15 s" };

async function boxOn(clockText: string, store = new KeptStore()) {
  const wall = new FakeWall(Date.parse(START));
  const { world, sandbox, client, errors } = await worldOn(wall, { clockText, store, webhooks: [BOX] });
  const charge = await client.pay();
  await client.transition(charge, "COMPLETED");
  return { wall, world, sandbox, client, charge, store, errors };
}

it.each(["manual", "real"])(
  "a delivery without acknowledgement fails after 15 s, on a %s clock",
  async (clock) => {
    const { wall, world, client } = await boxOn(clock);
    const [taken] = await take(client);
    expect(taken.ack_within_ms).toBe(15_000);
    wall.elapse(14_999);
    await world.whenIdle();
    expect((await deliveries(client))[0].attempts).toEqual([]);
    wall.elapse(1);
    await world.whenIdle();
    const [late] = await deliveries(client);
    expect(late).toMatchObject({ status: "pending", answered: null });
    expect(late.attempts).toMatchObject([{ ...LATE, duration_ms: 15_000, request_headers: taken.headers }]);
    expect(since(late.next_attempt_at) - since(late.attempts[0].at)).toBe(5 * SECOND);
    const answer = await ack(client, taken);
    expect([answer.status, answer.json.error.message]).toEqual([404, expect.stringContaining("too late")]);
  },
);

it("a delivery without acknowledgement is retried with a new signature", async () => {
  const { wall, client, charge } = await boxOn("manual");
  await client.ask(`POST /_sandbox/charges/${charge}/refund`, {});
  const [first, ...others] = await take(client);
  expect(others).toEqual([]);
  wall.elapse(15_000);
  const [next] = await take(client);
  expect([first.type, next.type]).toEqual(["charge.completed", "charge.refunded"]);
  await ack(client, next);
  await client.advance({ by: "5s" });
  const [again] = await take(client);
  expect(again).toMatchObject({ delivery_id: first.delivery_id, body: first.body, attempt: 2 });
  expect(again.headers["webhook-timestamp"]).toBe(String(Number(first.headers["webhook-timestamp"]) + 15));
  expect((await ack(client, again)).json.status).toBe("delivered");
  expect((await deliveries(client)).map((one) => one.attempts.length)).toEqual([2, 1]);
});

it("a delivery that is acknowledged in time does not fail", async () => {
  const { wall, world, client } = await boxOn("manual");
  const [taken] = await take(client);
  wall.elapse(14_000);
  expect((await ack(client, taken)).json.status).toBe("delivered");
  wall.elapse(60_000);
  await world.whenIdle();
  expect((await deliveries(client))[0]).toMatchObject({ status: "delivered", attempts: [{ status: 200 }] });
  expect(wall.armed).toEqual([]);
});

it("a delivery without acknowledgement fails after --webhook-timeout", async () => {
  const wall = new FakeWall(Date.parse(START));
  const { world, client } = await worldOn(wall, {
    clockText: "manual",
    webhooks: [BOX],
    webhookTimeoutMs: 400,
  });
  await client.transition(await client.pay(), "COMPLETED");
  expect((await take(client))[0].ack_within_ms).toBe(400);
  wall.elapse(400);
  await world.whenIdle();
  expect((await deliveries(client))[0].attempts).toMatchObject([
    { error: "not acknowledged within 0.4 s", duration_ms: 400 },
  ]);
});

it("a reset drops deliveries without acknowledgement", async () => {
  const { wall, world, client } = await boxOn("manual");
  await take(client);
  await client.reset({ ids: "repeat" });
  await client.transition(await client.pay(), "COMPLETED");
  wall.elapse(60_000);
  await world.whenIdle();
  expect((await deliveries(client))[0].attempts).toEqual([]);
  expect(await take(client)).toHaveLength(1);
});

it("a delivery that times out on a full disk is recorded later", async () => {
  const { wall, world, client, store, errors } = await boxOn("real");
  await take(client);
  store.refuses = true;
  wall.elapse(15_000);
  expect(errors.length).toBeGreaterThan(0);
  store.refuses = false;
  wall.elapse(SECOND);
  await world.whenIdle();
  expect((await deliveries(client))[0].attempts).toMatchObject([LATE]);
});

it("an acknowledgement with an error fails the attempt", async () => {
  const { client, sell } = await shopFor([BOX]);
  await sell("1s");
  const [taken] = await take(client);
  const path = `/_sandbox/mailboxes/inbox/${taken.delivery_id}/ack`;
  for (const body of [{}, { error: "" }, { status: 200, error: "both" }])
    expect((await client.post(path, body)).status).toBe(400);
  const { json } = await client.post(path, { error: "connect ECONNREFUSED" });
  expect(json).toMatchObject({ status: "pending", answered: null });
  expect(json.attempts).toMatchObject([{ status: null, error: "connect ECONNREFUSED" }]);
  expect(since(json.next_attempt_at)).toBe(6 * SECOND);
});

const leased = { mailbox: "inbox", lease: "30s" };
const world = async () => {
  const wall = new FakeWall(Date.parse(START));
  const { client } = await worldOn(wall);
  const ids = async () => (await client.get("/_sandbox/webhook-endpoints")).json.total;
  return { wall, client, ids };
};

it("a mailbox with a lease is removed when nobody reads it", async () => {
  const { wall, client, ids } = await world();
  const made = await client.ask("POST /_sandbox/webhook-endpoints", leased);
  expect(made.json).toMatchObject({ mailbox: "inbox", lease_ms: 30_000 });
  wall.elapse(29 * SECOND);
  expect(await take(client)).toEqual([]);
  wall.elapse(29 * SECOND);
  await client.reset();
  wall.elapse(29 * SECOND);
  expect(await ids()).toBe(1);
  wall.elapse(SECOND);
  expect(await ids()).toBe(0);
  expect((await client.ask("POST /_sandbox/mailboxes/inbox/take", {})).status).toBe(404);
});

it("an acknowledgement extends the lease of a mailbox", async () => {
  const { wall, client, ids } = await world();
  await client.ask("POST /_sandbox/webhook-endpoints", leased);
  await client.pay({ scenario: "instant" });
  const [one] = await take(client);
  wall.elapse(14 * SECOND);
  expect((await ack(client, one)).json.status).toBe("delivered");
  await client.pay({ scenario: "instant" });
  wall.elapse(30 * SECOND);
  expect(await ids()).toBe(1);
  wall.elapse(SECOND);
  expect(await ids()).toBe(0);
  const statuses = async () => (await deliveries(client)).map(({ status }) => status).sort();
  await expect.poll(statuses).toEqual(["delivered", "dropped"]);
});

it("a mailbox lease lasts at most ten minutes", async () => {
  const { client } = await world();
  for (const body of [
    { url: "http://127.0.0.1:9/", lease: "30s" },
    { mailbox: "inbox", lease: "11m" },
  ])
    expect((await client.ask("POST /_sandbox/webhook-endpoints", body)).json.error.details).toEqual({
      lease: expect.any(String),
    });
});
