import { expect, it } from "vitest";
import type { Sandbox, SandboxOptions } from "../../src/library/index.js";
import { START } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";
import {
  accept,
  type Handler,
  hold,
  type Received,
  Receiver,
  refuseWith,
} from "../support/receiver-server.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";
import {
  HOUR,
  MINUTE,
  ONLY_COMPLETED,
  SECOND,
  shopAndReceiver,
  shopFor,
  since,
  THREE,
} from "./support/shop.js";

function deliveriesOf(sandbox: Sandbox) {
  return sandbox.snapshot().collections.deliveries.map(([, delivery]) => delivery);
}

/** Returns when each attempt was made, in milliseconds after START. */
function attemptTimes(sandbox: Sandbox): number[] {
  return deliveriesOf(sandbox)[0]!.attempts.map((attempt) => since(attempt.at));
}

it("sends one signed webhook for each change of status, in order [R1.16 R22.24 R28.1 R28.5]", async () => {
  const { receiver, sell } = await shopAndReceiver();
  const charge = await sell("10s", { metadata: { order: "Ünïcode \u2028 ✓" } });

  expect(receiver.types).toEqual(THREE);
  for (const one of receiver.received) expect(one.verify()).toEqual(JSON.parse(one.body));
  expect(receiver.received.map((one) => since(one.event.timestamp))).toEqual([1000, 3000, 5000]);
  expect(receiver.received.map((one) => one.event.mode)).toEqual(["test", "test", "test"]);
  for (const { event, headers } of receiver.received) expect(headers["webhook-id"]).toBe(event.id);
  expect(new Set(receiver.received.map((one) => one.event.id)).size).toBe(3);
  expect(receiver.received.every((one) => one.event.data.charge_id === charge)).toBe(true);
  expect(Object.keys(receiver.received[0]!.event)).toEqual(["id", "type", "timestamp", "mode", "data"]);
});

it("a webhook has the same bytes as a read of the charge [R1.17 R28.6]", async () => {
  const { receiver, client, sell } = await shopAndReceiver();
  const reads: string[] = [];
  receiver.handler = async (received) => {
    reads.push((await client.charge(received.event.data.charge_id)).text);
    received.answer();
  };
  const charge = await sell("10s", { metadata: { order: "Ünïcode ✓" } });

  expect(reads).toHaveLength(3);
  expect(receiver.received.map((one) => one.dataText)).toEqual(reads);
  expect(receiver.received[2]!.dataText).toBe((await client.charge(charge)).text);
});

it("a webhook has a wall-clock timestamp", async () => {
  const receiver = await Receiver.open();
  const { sandbox, client } = await shopFor([receiver.url], { startTime: "2031-01-01T00:00:00Z" });
  await client.pay();
  const before = Math.floor(Date.now() / 1000);
  await sandbox.advance("1s");
  const stamp = Number(receiver.received[0]!.headers["webhook-timestamp"]);
  expect(stamp).toBeGreaterThanOrEqual(before);
  expect(stamp).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
  receiver.received[0]!.verify();
});

it("a webhook is signed with the endpoint's own secret if it has one [R27.9]", async () => {
  const receiver = await Receiver.open();
  const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  const { sell } = await shopFor([{ url: receiver.url, secret }]);
  await sell("1s");
  receiver.received[0]!.verify(secret);
  expect(() => receiver.received[0]!.verify()).toThrow();
});

it("only endpoints of the charge's mode receive its events [R22.25 R28.2]", async () => {
  const [test, live] = [await Receiver.open(), await Receiver.open()];
  const { sandbox, client } = await shopFor([
    { url: test.url, mode: "test" },
    { url: live.url, mode: "live" },
  ]);
  const [testCharge, liveCharge] = [await client.pay(), await client.pay({ key: "sk_live_sandbox" })];
  await sandbox.advance("10s");
  expect(test.about(testCharge)).toHaveLength(3);
  expect(live.about(liveCharge)).toHaveLength(3);
  expect([test.received.length, live.received.length]).toEqual([3, 3]);
  expect(new Set(live.received.map((received) => received.event.mode))).toEqual(new Set(["live"]));
});

it("only endpoints whose globs match an event's type receive the event", async () => {
  const [completed, ends, none] = [await Receiver.open(), await Receiver.open(), await Receiver.open()];
  const { client, sell } = await shopFor([
    { url: completed.url, events: ["charge.completed"] },
    { url: ends.url, events: ["charge.*ing", "charge.fail??"] },
    { url: none.url, events: ["withdrawal.*"] },
  ]);
  await client.pay();
  await sell("10s", { email: "declined@shop.test" });
  expect(completed.types).toEqual(["charge.completed"]);
  expect(ends.types.sort()).toEqual(["charge.failed", "charge.processing"]);
  expect(none.types).toEqual([]);
});

it("a slow receiver does not delay API responses", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(hold);
  const { url } = await sandbox.listen();
  for (const shop of [client, Client.at(url)]) {
    const charge = await shop.pay({ scenario: "instant" });
    const received = await receiver.arrived(receiver.received.length + 1);
    // Each call returns while the receiver is still busy.
    expect((await shop.charge(charge)).json.status).toBe("COMPLETED");
    expect((await shop.pay()).length).toBeGreaterThan(0);
    expect((await shop.transition(charge, "REFUNDED")).status).toBe(200);
    expect(received.isAnswered).toBe(false);
    received.answer();
    (await receiver.arrived(receiver.received.length + 1)).answer();
  }
  expect(receiver.types.filter((type) => type === "charge.refunded")).toHaveLength(2);
});

it("a slow receiver does not delay other receivers", async () => {
  const [slow, quick] = [await Receiver.open(hold), await Receiver.open()];
  const { world, client } = await worldOn(new FakeWall(Date.parse(START)), {
    clockText: "real",
    webhooks: [{ url: slow.url }, { url: quick.url }],
  });
  const charge = await client.pay();
  for (const status of ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"])
    await client.transition(charge, status);
  await quick.arrived(3);
  expect(slow.received).toHaveLength(1);
  expect(slow.received[0]!.isAnswered).toBe(false);
  slow.handler = accept;
  slow.received[0]!.answer();
  await world.whenIdle();
  expect(slow.types).toEqual(quick.types);
});

it("a slow receiver pauses an advance until it responds", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(hold);
  await client.pay();
  const advancing = sandbox.advance("10s");
  const first = await receiver.arrived(1);
  const clock = (await client.clock()).json;
  expect([since(clock.now), clock.advancing]).toEqual([1000, true]);
  receiver.handler = accept;
  first.answer();
  expect(since((await advancing).to)).toBe(10_000);
  expect(deliveriesOf(sandbox).map((one) => one.attempts.map((attempt) => since(attempt.at)))).toEqual([
    [1000],
    [3000],
    [5000],
  ]);
});

it("a receiver can read and create charges during an advance", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver();
  const { url } = await sandbox.listen();
  const shop = Client.at(url);
  const orders: { at: string; charge: string }[] = [];
  receiver.handler = async (received: Received) => {
    if (received.event.type === "charge.completed" && orders.length < 2) {
      const quote = await shop.quote();
      const checkout = await shop.checkout(quote.json.quote_id, { email: "again@shop.test" });
      orders.push({ at: checkout.headers.get("sandbox-now")!, charge: checkout.json.charge_id });
      expect(quote.json.created_at).toBe(received.event.timestamp);
    }
    received.answer();
  };
  await client.pay();
  const report = await sandbox.advance("1m");
  expect(orders.map(({ at }) => since(at))).toEqual([5000, 10_000]);
  for (const { charge } of orders) {
    expect((await client.charge(charge)).json.status).toBe("COMPLETED");
    expect(receiver.about(charge).map((one) => one.event.type)).toEqual(THREE);
  }
  expect(report.fired_total).toBe(18);
});

it("a receiver can wait for the advance with ?wait=10s", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(hold);
  await client.pay();
  const advancing = sandbox.advance("1s");
  const first = await receiver.arrived(1);
  const queued = [
    client.advance({ by: "1m" }, "?wait=10s"),
    client.advance({ by: "1m" }, "?wait=10s"),
    client.setClock({ mode: "manual" }, "?wait=10s"),
    client.advance({ by: "1m" }, "?wait=10s"),
  ];
  receiver.handler = accept;
  first.answer();
  await advancing;
  expect((await Promise.all(queued)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(since((await client.clock()).json.now)).toBe(3 * MINUTE + SECOND);
  expect((await client.reset({}, "?wait=10s")).status).toBe(200);
});

it("events of different objects are sent in parallel", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(hold);
  const charges = [await client.pay(), await client.pay(), await client.pay()];
  for (const charge of charges) await client.transition(charge, "AWAITING_PAYMENT");
  await receiver.arrived(3);
  expect(receiver.received.every((one) => !one.isAnswered)).toBe(true);
  expect(receiver.received.map((one) => one.event.data.charge_id)).toEqual(charges);
  for (const one of receiver.received) one.answer();
  await sandbox.settled();
});

it("an event waits for the first attempt of the previous event", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(hold);
  const [charge, other] = [await client.pay(), await client.pay()];
  for (const status of ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"])
    await client.transition(charge, status);
  const first = await receiver.arrived(1);
  // Only their order delays these events.
  await client.transition(other, "AWAITING_PAYMENT");
  // A closed reused connection would cause another attempt.
  (await receiver.arrived(2)).answer(200, { connection: "close" });
  expect(receiver.about(charge)).toHaveLength(1);
  first.answer(500, { connection: "close" });
  const second = await receiver.arrived(3);
  expect(second.event.type).toBe("charge.processing");
  second.response.destroy();
  (await receiver.arrived(4)).answer();
  await sandbox.settled();
  expect(receiver.about(charge).map((one) => one.event.type)).toEqual(THREE);
});

it("a retry does not delay other events", async () => {
  const { receiver, sandbox, sell } = await shopAndReceiver();
  receiver.handler = (received) => received.answer(receiver.received.length === 1 ? 500 : 200);
  await sell("10s");
  expect(receiver.types).toEqual([
    "charge.awaiting_payment",
    "charge.processing",
    "charge.completed",
    "charge.awaiting_payment",
  ]);
  expect(attemptTimes(sandbox)).toEqual([1000, 6000]);
  expect(receiver.received[3]!.body).toBe(receiver.received[0]!.body);
  expect(deliveriesOf(sandbox).map((one) => one.status)).toEqual(["delivered", "delivered", "delivered"]);
});

it("retries follow the schedule, then the delivery fails [R28.6]", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(refuseWith(500), ONLY_COMPLETED);
  await client.pay({ scenario: "instant" });
  const due = [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ];
  let atMs = 0;
  const expected = [0, ...due.map((wait) => (atMs += wait))];
  await sandbox.settled();
  for (const [index, dueMs] of expected.slice(1).entries()) {
    expect(since(deliveriesOf(sandbox)[0]!.next_attempt_at!)).toBe(dueMs);
    // One millisecond before the retry is due.
    await sandbox.advance(new Date(Date.parse(START) + dueMs - 1));
    expect(receiver.received).toHaveLength(index + 1);
    await sandbox.advance("1ms");
    expect(receiver.received).toHaveLength(index + 2);
  }
  expect(attemptTimes(sandbox)).toEqual(expected);
  expect(deliveriesOf(sandbox)[0]).toMatchObject({ status: "failed", next_attempt_at: null });
  await sandbox.advance("30d");
  expect(receiver.received).toHaveLength(10);
  expect(new Set(receiver.received.map((one) => one.body)).size).toBe(1);
  expect(new Set(receiver.received.map((one) => one.headers["webhook-id"])).size).toBe(1);
  for (const one of receiver.received) one.verify();
});

it("a retry waits for a Retry-After that is later than the schedule", async () => {
  const receiver = await Receiver.open();
  const answers: [number, string][] = [
    [429, "120"],
    [503, "1000"],
    [503, "1"],
    [500, "999999"],
    [429, "no number"],
    [200, "0"],
  ];
  receiver.handler = (received) => {
    const [status, retryAfter] = answers[receiver.received.length - 1]!;
    received.answer(status, { "retry-after": retryAfter });
  };
  const { sandbox, sell } = await shopFor([{ url: receiver.url, events: ["charge.completed"] }]);
  await sell("idle", { scenario: "instant" });
  const steps = [120 * SECOND, 1000 * SECOND, 30 * MINUTE, 2 * HOUR, 5 * HOUR];
  let atMs = 0;
  expect(attemptTimes(sandbox)).toEqual([0, ...steps.map((wait) => (atMs += wait))]);
  expect(deliveriesOf(sandbox)[0]!.status).toBe("delivered");
  const asked = deliveriesOf(sandbox)[0]!.attempts.map(({ retry_after_ms }) => retry_after_ms);
  expect(asked.slice(0, 5)).toEqual([120_000, 1_000_000, 1_000, 999_999_000, undefined]);
});

it("a retry waits at most one day", async () => {
  const receiver = await Receiver.open(refuseWith(503, { "retry-after": "9".repeat(400) }));
  const { sandbox, sell } = await shopFor([{ url: receiver.url, events: ["charge.completed"] }]);
  await sell("1s", { scenario: "instant" });
  expect(since(deliveriesOf(sandbox)[0]!.next_attempt_at!)).toBe(24 * HOUR);
});

it("a 204 counts as delivered even with bytes after it", async () => {
  const receiver = await Receiver.open(({ response }) =>
    response.socket!.end("HTTP/1.1 204 No Content\r\n\r\nmore bytes"),
  );
  const { sandbox, sell } = await shopFor([{ url: receiver.url, events: ["charge.completed"] }]);
  await sell("1s", { scenario: "instant" });
  expect(deliveriesOf(sandbox)[0]).toMatchObject({
    status: "delivered",
    attempts: [{ status: 204, error: null }],
  });
});

it("a retry waits for a Retry-After with a date", async () => {
  const receiver = await Receiver.open();
  const wall = new FakeWall(Date.parse("2026-03-01T00:00:00.000Z"));
  const { sandbox, world, client } = await worldOn(wall, {
    clockText: "manual",
    startMs: Date.parse(START),
    webhooks: [{ url: receiver.url, events: ["charge.completed"] }],
  });
  receiver.handler = (received) =>
    received.answer(503, { "retry-after": new Date(wall.nowMs() + 10 * MINUTE).toUTCString() });
  await client.pay({ scenario: "instant" });
  await world.whenIdle();
  expect(since(deliveriesOf(sandbox)[0]!.next_attempt_at!)).toBe(10 * MINUTE);
});

it("a 410 disables the endpoint and drops its pending deliveries", async () => {
  const [gone, other] = [await Receiver.open(refuseWith(500)), await Receiver.open()];
  const { sandbox, sell } = await shopFor([gone.url, other.url]);
  gone.handler = (received) => received.answer(received.event.type === "charge.processing" ? 410 : 500);
  await sell("1h");
  await sell("1h");
  expect(gone.types).toEqual(["charge.awaiting_payment", "charge.processing"]);
  expect(other.received).toHaveLength(6);
  const [endpoint] = sandbox.snapshot().collections.endpoints.map(([, one]) => one);
  expect(endpoint).toMatchObject({ url: gone.url, enabled: false });
  const mine = deliveriesOf(sandbox).filter((one) => one.webhook_id === endpoint!.webhook_id);
  expect(mine.map(({ event_type, status }) => [event_type, status])).toEqual([
    ["charge.awaiting_payment", "dropped"],
    ["charge.processing", "failed"],
  ]);
});

it("a 410 also drops a delivery that waits behind another", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(hold);
  const charge = await client.pay();
  for (const status of ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"])
    await client.transition(charge, status);
  (await receiver.arrived(1)).answer(410);
  await sandbox.settled();
  expect(deliveriesOf(sandbox).map((one) => one.status)).toEqual(["failed", "dropped", "dropped"]);
  expect(sandbox.snapshot().collections.lanes).toEqual([]);
});

async function firstAttempt(handler: Handler, options: SandboxOptions = {}) {
  const receiver = await Receiver.open(handler);
  const { sandbox, client } = await shopFor([{ url: receiver.url, ...ONLY_COMPLETED }], options);
  await client.pay({ scenario: "instant" });
  await sandbox.settled();
  receiver.handler = accept;
  const [attempt] = deliveriesOf(sandbox)[0]!.attempts;
  return { receiver, sandbox, attempt: attempt!, delivery: deliveriesOf(sandbox)[0]! };
}

it("an attempt fails on a redirect", async () => {
  const elsewhere = await Receiver.open();
  for (const status of [301, 302, 307, 308]) {
    const { attempt, delivery } = await firstAttempt(refuseWith(status, { location: elsewhere.url }));
    expect(attempt).toMatchObject({ status, error: null, response_body: "answer" });
    expect(delivery.status).toBe("pending");
  }
  expect(elsewhere.received).toEqual([]);
});

it("an attempt fails without a response before the timeout", async () => {
  const { attempt, receiver, sandbox } = await firstAttempt(hold, { webhookTimeout: "2s" });
  expect(attempt).toMatchObject({ status: null, error: "no answer within 2 s" });
  await sandbox.advance("5s");
  expect(receiver.received).toHaveLength(2);
  expect(deliveriesOf(sandbox)[0]!.status).toBe("delivered");
});

it("an attempt fails when its response never ends", async () => {
  const { attempt } = await firstAttempt(({ response }) => response.writeHead(200).write("so far"), {
    webhookTimeout: "30ms",
  });
  expect(attempt).toMatchObject({ status: null, error: "no answer within 0.03 s" });
});

it("an attempt fails when the connection closes before a status", async () => {
  const { attempt, receiver, sandbox } = await firstAttempt(({ response }) => response.destroy());
  expect(attempt).toMatchObject({ status: null, error: "socket hang up" });
  await sandbox.advance("5s");
  expect(receiver.received).toHaveLength(2);
});

it("an attempt succeeds when the connection closes within the body of a 200", async () => {
  const { attempt, delivery } = await firstAttempt(({ response }) => {
    response.writeHead(202, { "content-length": "100" });
    response.write("half of", () => response.destroy());
  });
  expect(attempt).toMatchObject({ status: 202, error: null, response_body: "half of" });
  expect(delivery.status).toBe("delivered");
});

it("the timeout does not include the wait for a free connection", async () => {
  const receiver = await Receiver.open(hold);
  const wall = new FakeWall(0);
  const { world, sandbox, client } = await worldOn(wall, {
    clockText: "manual",
    webhooks: [{ url: receiver.url }],
    webhookTimeoutMs: 1000,
  });
  for (let count = 0; count < 11; count++) await client.transition(await client.pay(), "AWAITING_PAYMENT");
  await receiver.arrived(10);
  wall.elapse(1000);
  const eleventh = await receiver.arrived(11);
  eleventh.answer();
  await world.whenIdle();
  expect(deliveriesOf(sandbox).map(({ attempts: [attempt] }) => attempt!.status ?? attempt!.error)).toEqual([
    ...Array(10).fill("no answer within 1 s"),
    200,
  ]);
});
