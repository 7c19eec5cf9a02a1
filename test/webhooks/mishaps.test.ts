import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { eventToSend, invalidSignatureMishap } from "../../src/core/engine/event-mishaps.js";
import type { EventRecord } from "../../src/core/engine/records.js";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import { DEFAULT_SETTINGS } from "../../src/core/schema/settings.js";
import { START } from "../support/api-client.js";
import type { Client } from "../support/receiver-client.js";
import { accept, hold, type Received, Receiver } from "../support/receiver-server.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";
import {
  deliveries,
  eventually,
  HOUR,
  MINUTE,
  SECOND,
  shopAndReceiver,
  shopFor,
  since,
  THREE,
  useRules,
} from "./support/shop.js";

interface Arrival {
  readonly at: number;
  readonly type: string;
  readonly id: string;
}

/** Starts a shop with these webhook rules and returns the received events. */
async function shopWith(rules: object[], options?: { name?: string; activate?: boolean }) {
  const { receiver, ...shop } = await shopAndReceiver();
  const arrivals: Arrival[] = [];
  receiver.handler = async (received) => {
    const at = since((await shop.client.clock()).json.now);
    arrivals.push({ at, type: received.event.type, id: String(received.headers["webhook-id"]) });
    received.answer();
  };
  await useRules(shop.client, rules, options);
  return { ...shop, receiver, arrivals };
}

const shown = (arrivals: readonly Arrival[]) => arrivals.map(({ at, type }) => [at / SECOND, type]);

it("copies of an event have the same webhook-id and bytes", async () => {
  const { client, receiver, sell } = await shopWith([{ match: { type: "*.completed" }, copies: 3 }]);
  await sell("10s");
  expect(receiver.types).toEqual([...THREE.slice(0, 2), ...Array(3).fill("charge.completed")]);
  const copies = receiver.received.slice(2);
  expect(new Set(copies.map((one) => one.headers["webhook-id"])).size).toBe(1);
  expect(new Set(copies.map((one) => one.body)).size).toBe(1);
  for (const one of copies) one.verify();
  const made = await deliveries(client, "&type=charge.completed");
  expect(made.map((one) => one.status)).toEqual(Array(3).fill("delivered"));
  expect(new Set(made.map((one) => one.delivery_id)).size).toBe(3);
  expect(new Set(made.map((one) => one.event_id))).toEqual(new Set([copies[0]!.event.id]));
});

it("`delay` delays only one event", async () => {
  const { sandbox, receiver, arrivals, sell } = await shopWith([
    { match: { type: "charge.awaiting_payment" }, delay: "10m" },
  ]);
  await sell("9m");
  expect(shown(arrivals)).toEqual([
    [3, "charge.processing"],
    [5, "charge.completed"],
  ]);
  await sandbox.advance("2m");
  expect(shown(arrivals)[2]).toEqual([601, "charge.awaiting_payment"]);
  // The body has the time of the event; the signature is new.
  expect(since(receiver.received[2]!.event.timestamp)).toBe(SECOND);
  receiver.received[2]!.verify();
});

it("a dropped event is never sent, but can be redelivered", async () => {
  const { sandbox, client, receiver, sell } = await shopWith([
    { match: { type: "charge.completed" }, drop: true },
  ]);
  await sell("7d");
  expect(receiver.types).toEqual(THREE.slice(0, 2));
  const [dropped] = await deliveries(client, "&type=charge.completed");
  expect(dropped).toMatchObject({ status: "dropped", attempts: [], next_attempt_at: null });
  const again = await client.ask(`POST /_sandbox/deliveries/${dropped.delivery_id}/redeliver`, {});
  expect(again.status).toBe(200);
  await sandbox.settled();
  expect(receiver.types).toEqual(THREE);
});

it("`swap` sends two events of a charge in reverse order", async () => {
  const { arrivals, sell } = await shopWith([{ match: { type: "charge.processing" }, swap: true }]);
  await sell("10s");
  expect(shown(arrivals)).toEqual([
    [1, "charge.awaiting_payment"],
    [5, "charge.completed"],
    [5, "charge.processing"],
  ]);
});

it("`swap` sends the event after 60 s when no other event follows", async () => {
  const { sandbox, arrivals, sell } = await shopWith([{ match: { type: "charge.completed" }, swap: true }]);
  await sell("64999ms");
  expect(shown(arrivals)).toEqual([
    [1, "charge.awaiting_payment"],
    [3, "charge.processing"],
  ]);
  await sandbox.advance("1ms");
  expect(shown(arrivals)[2]).toEqual([65, "charge.completed"]);
  await sandbox.advance("1d");
  expect(arrivals).toHaveLength(3);
});

it("`swap` sends the event once when the next event happens during an attempt", async () => {
  const { sandbox, client, receiver } = await shopWith([{ match: { type: "charge.completed" }, swap: true }]);
  const charge = await client.pay();
  const { handler } = receiver;
  receiver.handler = async (received) => {
    if (received.event.type === "charge.completed" && receiver.received.length === 3)
      expect((await client.transition(charge, "REFUNDED")).status).toBe(200);
    return handler(received);
  };
  await sandbox.advance("10m");
  expect([...receiver.types].sort()).toEqual([...THREE, "charge.refunded"].sort());
});

it("`swap` sends the event once on a running clock", async () => {
  const receiver = await Receiver.open(hold);
  const wall = new FakeWall(Date.parse(START));
  const { world, client } = await worldOn(wall, { clockText: "real", webhooks: [{ url: receiver.url }] });
  await useRules(client, [{ match: { type: "charge.completed" }, swap: true }]);
  const charge = await client.pay();
  await client.transition(charge, "COMPLETED");
  wall.elapse(MINUTE);
  const first = await receiver.arrived(1);
  await client.transition(charge, "REFUNDED");
  (await receiver.arrived(2)).answer();
  await eventually(async () => (await deliveries(client))[1].status === "delivered");
  first.answer();
  receiver.handler = accept;
  await world.whenIdle();
  wall.elapse(10 * MINUTE);
  await world.whenIdle();
  expect(receiver.types).toEqual(["charge.completed", "charge.refunded"]);
  expect((await deliveries(client)).map((one) => [one.status, one.attempts.length])).toEqual(
    Array(2).fill(["delivered", 1]),
  );
});

it("`swap` does not affect events of other charges", async () => {
  const { sandbox, client, receiver } = await shopWith([
    { match: { type: "charge.processing", customer_email: "swap@*" }, swap: true },
  ]);
  const [swapped, plain] = [await client.pay({ email: "swap@shop.test" }), await client.pay()];
  await sandbox.advance("10s");
  const types = (charge: string) => receiver.about(charge).map((one) => one.event.type);
  expect(types(plain)).toEqual(THREE);
  expect(types(swapped)).toEqual([THREE[0], THREE[2], THREE[1]]);
});

it("the official library rejects an event with `bad_signature`", async () => {
  const { receiver, sell } = await shopWith([{ match: { type: "charge.completed" }, bad_signature: true }]);
  await sell("10s");
  const [first, second, forged] = receiver.received;
  first!.verify();
  second!.verify();
  expect(() => forged!.verify()).toThrow("No matching signature found");
  expect(forged!.headers["webhook-signature"]).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
  expect(forged!.headers["webhook-id"]).toBe(forged!.event.id);
});

it("`bad_signature` applies to every attempt of a delivery", async () => {
  const { client, receiver, sell } = await shopWith([
    { match: { type: "charge.completed" }, bad_signature: true },
  ]);
  receiver.handler = (received) => {
    try {
      received.verify();
      received.answer();
    } catch {
      received.answer(401);
    }
  };
  await sell("7d");
  const [forged] = await deliveries(client, "&type=charge.completed");
  expect(forged.status).toBe("failed");
  expect(forged.attempts.map((one: { status: number }) => one.status)).toEqual(Array(10).fill(401));
});

it("a stale signature is refused as too old", async () => {
  const { receiver, sell } = await shopWith([{ match: { type: "charge.completed" }, stale: "10m" }]);
  await sell("10s");
  const stale = receiver.received[2]!;
  expect(() => stale.verify()).toThrow("Message timestamp too old");
  const stamp = Number(stale.headers["webhook-timestamp"]);
  expect(Date.now() / 1000 - stamp).toBeGreaterThanOrEqual(600);
  expect(Date.now() / 1000 - stamp).toBeLessThan(660);
  const library = new Webhook(DEFAULT_WEBHOOK_SECRET);
  expect(library.sign(String(stale.headers["webhook-id"]), new Date(stamp * 1000), stale.body)).toBe(
    stale.headers["webhook-signature"],
  );
});

it("a stale signature is accepted within the library's tolerance", async () => {
  const { receiver, sell } = await shopWith([{ stale: "4m" }]);
  await sell("10s");
  for (const received of receiver.received) received.verify();
});

it("`fail_first` fails the given number of attempts", async () => {
  const { client, arrivals, sell } = await shopWith([{ match: { type: "charge.completed" }, fail_first: 3 }]);
  await sell("1d");
  const lateMs = 5 * SECOND + 5 * MINUTE + 30 * MINUTE;
  expect(shown(arrivals)).toEqual([
    [1, "charge.awaiting_payment"],
    [3, "charge.processing"],
    [(5 * SECOND + lateMs) / SECOND, "charge.completed"],
  ]);
  const [late] = await deliveries(client, "&type=charge.completed");
  expect(late.attempts.map((one: { error: string; status: number }) => one.error ?? one.status)).toEqual([
    ...Array(3).fill("failed by scenario mishaps"),
    200,
  ]);
});

it("`fail_first` fails the delivery when the number exceeds the schedule", async () => {
  const { client, receiver, sell } = await shopWith([{ fail_first: 100 }]);
  await sell("30d");
  expect(receiver.received).toEqual([]);
  expect((await deliveries(client)).map((one) => [one.status, one.attempts.length])).toEqual(
    Array(3).fill(["failed", 10]),
  );
});

it("the first webhook rule that matches an event applies", async () => {
  const { sandbox, client, receiver } = await shopWith([
    { match: { customer_email: "twice@*" }, copies: 2 },
    { match: { metadata: { plan: "gold*" } }, drop: true },
    { match: { base_amount: { gte: "5000" }, type: ["charge.completed"] }, copies: 3 },
  ]);
  const charges = {
    twice: await client.pay({ email: "twice@shop.test", metadata: { plan: "gold" } }),
    gold: await client.pay({ metadata: { plan: "gold-2026" } }),
    big: await client.pay({ amount: "5000.00" }),
    plain: await client.pay({ metadata: { plan: "silver" } }),
  };
  await sandbox.advance("10s");
  const count = (charge: string) => receiver.about(charge).length;
  expect(Object.fromEntries(Object.entries(charges).map(([name, id]) => [name, count(id)]))).toEqual({
    twice: 6,
    gold: 0,
    big: 5,
    plain: 3,
  });
});

it("a webhook rule can select an endpoint by url", async () => {
  const other = await Receiver.open();
  const { client, receiver, sell } = await shopWith([]);
  await useRules(client, [{ match: { url: other.url }, drop: true }]);
  await client.ask("POST /_sandbox/webhook-endpoints", { url: other.url });
  await sell("10s");
  expect([receiver.types, other.types]).toEqual([THREE, []]);
});

it("the webhook rules of the charge's scenario apply", async () => {
  const { client, receiver, sell } = await shopWith([{ copies: 2 }], { activate: false, name: "twice" });
  const asked = [
    await client.pay({ scenario: "twice" }),
    await client.pay({ metadata: { sandbox_scenario: "twice" } }),
  ];
  const plain = await sell("10s");
  for (const charge of asked) expect(receiver.about(charge)).toHaveLength(6);
  expect(receiver.about(plain).map((one) => one.event.type)).toEqual(THREE);
});

it("a deactivated webhook rule does not apply to new events", async () => {
  const { sandbox, client, arrivals, sell } = await shopWith([{ delay: "1m" }]);
  await sell("2s");
  await client.ask("POST /_sandbox/scenarios/mishaps/deactivate");
  await sandbox.advance("1h");
  expect(shown(arrivals)).toEqual([
    [3, "charge.processing"],
    [5, "charge.completed"],
    [61, "charge.awaiting_payment"],
  ]);
});

it("`forged` sends an additional event with an invalid signature", async () => {
  const { client, receiver, sell } = await shopWith([
    { match: { type: "charge.awaiting_payment" }, forged: true },
  ]);
  const isGenuine = (received: Received): boolean => {
    try {
      received.verify();
      return true;
    } catch {
      return false;
    }
  };
  receiver.handler = (received) => received.answer(isGenuine(received) ? 204 : 400);
  const charge = await sell("1d");
  const [forged, ...others] = receiver.received.filter((received) => !isGenuine(received));
  expect(others).toEqual([]);
  expect(forged?.event).toMatchObject({
    type: "charge.completed",
    data: { charge_id: charge, status: "COMPLETED" },
  });
  expect(
    JSON.parse(forged!.body).data.status_history.map(({ status }: { status: string }) => status),
  ).toEqual(["PENDING", "AWAITING_PAYMENT", "COMPLETED"]);
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(ids.length);
  expect((await client.ask("GET /_sandbox/events")).json.total).toBe(3);
  const [delivery] = (await deliveries(client)).filter(({ mishap }) => mishap?.forged);
  expect(delivery).toMatchObject({ type: "charge.awaiting_payment", status: "failed", answered: 400 });
  expect(delivery.attempts).toHaveLength(1);
  expect(JSON.parse(delivery.body)).toEqual(forged?.event);
});

it("`forged` reports that a withdrawal has failed", () => {
  const event = { event_id: "evt_1", type: "withdrawal.processing", body: '{"id":"evt_1","data":{"a":1}}' };
  const mishap = invalidSignatureMishap("x", event as EventRecord, DEFAULT_SETTINGS);
  const { event_id, body } = eventToSend(event as EventRecord, mishap);
  expect(JSON.parse(body)).toEqual({
    id: event_id,
    type: "withdrawal.failed",
    data: { a: 1, status: "FAILED" },
  });
  expect(event_id).not.toBe("evt_1");
});

const last = { match: { type: "charge.completed" } };
/** Returns the seconds and result of each attempt. */
async function attempts(client: Client): Promise<unknown[]> {
  const [delivery] = await deliveries(client, "&type=charge.completed");
  return delivery.attempts.map((one: { at: string; status: number; error: string }) => [
    since(one.at) / SECOND,
    one.status ?? one.error,
  ]);
}

it("`down` fails all attempts within a period", async () => {
  const { client, receiver, sell } = await shopWith([{ ...last, down: "2h" }]);
  await sell("10h");
  expect(receiver.types).toEqual(THREE);
  const refused = "connection refused by scenario mishaps";
  expect(await attempts(client)).toEqual([
    [5, refused],
    [10, refused],
    [310, refused],
    [2110, refused],
    [9310, 200],
  ]);
  const [delivery] = await deliveries(client, "&type=charge.completed");
  expect(delivery.mishap).toMatchObject({
    scenario: "mishaps",
    down: { from: START, until: new Date(Date.parse(START) + 2 * HOUR).toISOString(), answer: "refused" },
  });
});

it.each([
  [503, 503],
  ["timeout", "no answer within 15 s by scenario mishaps"],
])("`down` starts at the given time and returns the given response: %s", async (answer, seen) => {
  const { client, sell } = await shopWith([{ down: { from: "4s", for: "5s", answer } }]);
  await sell("1h");
  expect(await attempts(client)).toEqual([
    [5, seen],
    [10, 200],
  ]);
  const others = await deliveries(client, "&type=charge.processing");
  expect(others[0].attempts).toHaveLength(1);
});

it("`down` counts from the activation of its scenario", async () => {
  const { sandbox, client, sell } = await shopWith([{ ...last, down: "1m" }], { activate: false });
  await sandbox.advance("1h");
  await sell("1h", { scenario: "mishaps" });
  expect(await attempts(client)).toHaveLength(3);
  await client.ask("POST /_sandbox/scenarios/mishaps/activate");
  await sandbox.advance("56s");
  await sell("1h");
  const [, later] = await deliveries(client, "&type=charge.completed");
  expect(later.attempts.map((one: { status: number }) => one.status)).toEqual([200]);
});

it("`down` applies the next rule after its end", async () => {
  const { receiver, sell } = await shopWith([
    { ...last, down: "4s" },
    { ...last, copies: 2 },
  ]);
  await sell("10s");
  expect(receiver.types.filter((type) => type === "charge.completed")).toHaveLength(2);
});

it("`down` also keeps a mailbox empty", async () => {
  const shop = await shopFor([{ mailbox: "m" }]);
  await useRules(shop.client, [{ down: "1h" }]);
  await shop.sandbox.advance("2h");
  await shop.client.ask("POST /_sandbox/reset", { keep: ["webhooks", "scenarios"] });
  await shop.client.pay();
  await shop.sandbox.advance("10s");
  expect((await attempts(shop.client)).every((one) => String(one).includes("refused"))).toBe(true);
});

it("an invalid `down` is refused with the name of the field", async () => {
  const { client } = await shopFor();
  for (const [down, field] of [
    ["soon", "webhooks.0.down"],
    [{ from: "1m" }, "webhooks.0.down.for"],
    [{ for: "1m", answer: 200 }, "webhooks.0.down.answer"],
  ] as const) {
    const answer = await client.ask("PUT /_sandbox/scenarios/x", { webhooks: [{ down }] });
    expect([answer.status, Object.keys(answer.json.error.details)]).toEqual([400, [field]]);
  }
});
