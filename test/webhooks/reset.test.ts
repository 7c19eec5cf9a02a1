import { expect, it } from "vitest";
import { SandboxError } from "../../src/library/index.js";
import { START } from "../support/api-client.js";
import { accept, hold, Receiver, refuseWith } from "../support/receiver-server.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";
import { shopAndReceiver, THREE } from "./support/shop.js";

it("webhooks are not duplicated after several resets", async () => {
  const { receiver, sandbox, client, sell } = await shopAndReceiver();
  const [endpoint] = sandbox.snapshot().collections.endpoints;
  const ids = new Set<string>();
  for (let round = 0; round < 6; round++) {
    const charge = await sell("10s");
    expect(receiver.received.splice(0).map(({ event }) => [event.data.charge_id, event.type])).toEqual(
      THREE.map((type) => [charge, type]),
    );
    for (const [id] of sandbox.snapshot().collections.events) ids.add(String(id));
    const answer = await client.reset();
    expect(answer.json.counts).toMatchObject({ charges: 0, events: 0, deliveries: 0, webhook_endpoints: 1 });
    expect(sandbox.snapshot().collections.endpoints).toEqual([endpoint]);
  }
  // An app that stores event ids must see new ones.
  expect(ids.size).toBe(18);
});

it("an endpoint that a 410 disabled stays disabled after a reset that keeps it", async () => {
  const { receiver, sandbox, sell } = await shopAndReceiver(refuseWith(410));
  await sell("1s");
  await sandbox.reset();
  await sell("10s");
  expect(receiver.received).toHaveLength(1);
  receiver.handler = accept;
  await sandbox.reset({ keep: [] });
  await sell("10s");
  expect(receiver.types.slice(1)).toEqual(THREE);
});

it("a reset cancels scheduled events", async () => {
  const { receiver, sandbox, client, sell } = await shopAndReceiver(refuseWith(500));
  await client.pay();
  await sell("2s", { email: "expired@shop.test" });
  expect(receiver.received).toHaveLength(2);
  await sandbox.reset();
  expect((await client.clock()).json).toMatchObject({ now: START, next_due: null });
  expect((await sandbox.advance("30d")).fired_total).toBe(0);
  expect(receiver.received).toHaveLength(2);
});

it("a reset cancels the retries of a delivery", async () => {
  const { receiver, sandbox, client, sell } = await shopAndReceiver(hold);
  const charge = await client.pay({ scenario: "instant" });
  const held = await receiver.arrived(1);
  const cutOff = new Promise((resolve) => held.response.once("close", resolve));
  expect((await client.reset()).status).toBe(200);
  // The sandbox closes the connection.
  await cutOff;
  held.answer(500);
  receiver.handler = accept;
  await sandbox.settled();
  await sandbox.advance("30d");
  expect(receiver.received).toHaveLength(1);
  expect(sandbox.snapshot().collections.deliveries).toEqual([]);
  expect((await client.charge(charge)).status).toBe(404);

  const next = await sell("10s");
  expect(receiver.received.slice(1).map(({ event }) => [event.data.charge_id, event.type])).toEqual(
    THREE.map((type) => [next, type]),
  );
});

it("a late response does not affect a new delivery with the same id", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(hold);
  await client.pay({ scenario: "instant" });
  const old = await receiver.arrived(1);
  await client.reset({ ids: "repeat" });
  await client.pay({ scenario: "instant" });
  const fresh = await receiver.arrived(2);
  expect(fresh.body).toBe(old.body);
  old.answer(200);
  fresh.answer(500);
  await sandbox.settled();
  const [, delivery] = sandbox.snapshot().collections.deliveries[0]!;
  expect(delivery).toMatchObject({ status: "pending", attempts: [{ status: 500 }] });
});

it("a reset cancels a delivery that is just starting", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver();
  const charge = await client.pay();
  await sandbox.transition(charge, "COMPLETED");
  const settled = sandbox.settled();
  await sandbox.reset();
  await settled;
  await client.pay({ scenario: "instant" });
  await sandbox.settled();
  expect(receiver.about(charge)).toEqual([]);
  expect(receiver.received).toHaveLength(1);
});

it("a reset cancels webhooks on a running clock", async () => {
  const receiver = await Receiver.open(refuseWith(503, { "retry-after": "60" }));
  const wall = new FakeWall(Date.parse(START));
  const { world, sandbox, client } = await worldOn(wall, {
    clockText: "60x",
    webhooks: [{ url: receiver.url }],
  });
  await client.pay();
  wall.elapse(100);
  await world.whenIdle();
  expect(receiver.received.length).toBeGreaterThan(0);
  const before = receiver.received.length;
  await sandbox.reset();
  expect(world.nowMs()).toBe(wall.nowMs());
  wall.elapse(100 * 86_400_000);
  await world.whenIdle();
  expect(receiver.received).toHaveLength(before);
  expect(wall.armed).toEqual([]);
});

it("a reset during an advance is refused with 409", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(hold);
  const charge = await client.pay();
  const advancing = sandbox.advance("10s");
  const held = await receiver.arrived(1);
  const answer = await client.reset();
  expect([answer.status, answer.json.error.code]).toEqual([409, "CLOCK_BUSY"]);
  await expect(sandbox.reset()).rejects.toThrow(
    expect.objectContaining({ name: "SandboxError", code: "CLOCK_BUSY" }),
  );
  await expect(sandbox.reset()).rejects.toThrow(SandboxError);
  receiver.handler = accept;
  held.answer();
  expect((await advancing).to).toBe("2026-01-31T09:00:10.000Z");
  expect((await client.charge(charge)).json.status).toBe("COMPLETED");
  expect(receiver.types).toEqual(THREE);
});

it("a reset with ?wait waits for the advance", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(hold);
  await client.pay();
  const advancing = sandbox.advance("10s");
  const held = await receiver.arrived(1);
  const resetting = client.reset({}, "?wait=10s");
  receiver.handler = accept;
  held.answer();
  await advancing;
  expect((await resetting).status).toBe(200);
  expect((await client.clock()).json.now).toBe(START);
  expect(receiver.types).toEqual(THREE);
});
