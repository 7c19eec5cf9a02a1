import { afterEach, beforeEach, expect, it } from "vitest";
import { yieldToEventLoop } from "../../src/core/time/wall-clock.js";
import { dataFile, diskThatMayFill, START, server } from "../support/kept.js";
import { closeAll } from "../support/lifetime.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";
import { FakeWall } from "../support/receiver-world.js";

let disk: ReturnType<typeof diskThatMayFill>["disk"];
let io: ReturnType<typeof diskThatMayFill>["io"];
beforeEach(() => {
  ({ disk, io } = diskThatMayFill());
});
afterEach(() => {
  disk.refusesFrom = Number.POSITIVE_INFINITY;
  return closeAll();
});

type Call = Awaited<ReturnType<typeof server>>["call"];

/** Creates a charge, a snapshot, an endpoint and a delivery. */
async function busy(call: Call, pay: () => Promise<string>) {
  await call("POST /_sandbox/webhook-endpoints", { mailbox: "box" });
  await pay();
  await call("POST /_sandbox/snapshots", { name: "one" });
  const state = (await call("GET /_sandbox/state")).json;
  const charge = await pay();
  await call("POST /_sandbox/clock/advance", { by: "1s" });
  const delivery = (await call("GET /_sandbox/deliveries")).json.items[0].delivery_id;
  return { charge, state, delivery };
}

/** Returns the visible state without fields that a read changes. */
async function seen(call: Call) {
  const { clock, ...collections } = (await call("GET /_sandbox/state")).json.collections;
  const { wall_ms: _, ...kept } = clock[0][1];
  return {
    collections,
    kept,
    clock: (await call("GET /_sandbox/clock")).json,
    namespaces: (await call("GET /_sandbox/namespaces")).json,
    snapshots: (await call("GET /_sandbox/snapshots")).json,
  };
}

const order = { pricing: { base_currency: "USD", amount: "10.00" }, payment_method: "card" };
it.each<[string, (known: Awaited<ReturnType<typeof busy>>) => unknown]>([
  ["PUT /_sandbox/clock", () => ({ mode: "60x" })],
  ["PUT /_sandbox/clock", () => ({ mode: "real" })],
  ["PUT /_sandbox/clock", () => ({ now: "2026-01-31T09:00:01.500Z" })],
  ["PUT /_sandbox/clock", () => ({ now: "2026-01-31T09:00:01.500Z", mode: "60x" })],
  ["POST /_sandbox/clock/advance", () => ({ by: "500ms" })],
  ["POST /_sandbox/reset", () => ({})],
  ["POST /_sandbox/reset", () => ({ ids: "repeat", keep: [] })],
  ["POST /_sandbox/snapshots/one/restore", () => ({})],
  ["PUT /_sandbox/state", ({ state }) => state],
  ["POST /_sandbox/snapshots", () => ({ name: "one" })],
  ["POST /_sandbox/snapshots", () => ({ name: "two" })],
  ["PUT /_sandbox/namespaces/w1", () => ({ api_key: "sk_test_mine" })],
  ["DELETE /_sandbox/namespaces/w0", () => undefined],
  ["PUT /_sandbox/scenarios/mine", () => ({ name: "mine", charges: [] })],
  ["POST /_sandbox/scenarios/declined/activate", () => ({})],
  ["POST /_sandbox/faults", () => ({ match: { operation: "createQuote" }, respond: { status: 503 } })],
  ["POST /_sandbox/webhook-endpoints", () => ({ mailbox: "other" })],
  ["PUT /_sandbox/rates", () => ({ NGN: "1600" })],
  ["POST /_sandbox/events", () => ({ type: "charge.completed", data: {} })],
  ["POST /_sandbox/charges/{charge}/transition", () => ({ to: "FAILED" })],
  ["POST /_sandbox/charges/{charge}/advance", () => ({ until: "PROCESSING" })],
  ["POST /_sandbox/deliveries/{delivery}/redeliver", () => ({})],
  ["POST /api/v1/payments/quotes", () => order],
  ["POST /api/v1/payments/checkouts", () => ({ ...order, customer_email: "ada@shop.test" })],
  ["POST /api/v1/webhooks", () => ({ url: "http://localhost:9/hook" })],
])("%s on a full disk has no effect [R29.7]", async (line, bodyOf) => {
  const data = dataFile();
  const { call, client, errors } = await server({ data, io });
  await call("PUT /_sandbox/namespaces/w0", {});
  const known = await busy(call, () => client.pay());
  const path = line.replace("{charge}", known.charge).replace("{delivery}", known.delivery);
  const before = await seen(call);
  let refused = 0;
  for (let taken = 0; taken < 100; taken++) {
    disk.refusesFrom = disk.calls + taken;
    const { status, text } = await call(path, bodyOf(known));
    const isFull = disk.calls > disk.refusesFrom;
    disk.refusesFrom = Number.POSITIVE_INFINITY;
    if (status === 200) {
      // A folder without sync must cause no harm.
      if (refused > 0 || !isFull) break;
    } else expect([status, text]).toEqual([500, expect.stringContaining("Internal error")]);
    expect(errors).toHaveLength(++refused);
    expect(await seen(call)).toEqual(before);
  }
  expect(refused).toBeGreaterThan(0);
  const after = await seen(call);
  await closeAll();
  expect(await seen((await server({ data, clock: null })).call)).toEqual(after);
});

it.each(["by the control API", "by a scenario"])(
  "a fault is not used up by a call that a full disk refuses: %s",
  async (how) => {
    const { call, client } = await server({ data: dataFile(), io });
    const rule = { match: { operation: "createQuote" }, drop: "after", times: 1 };
    if (how === "by a scenario") {
      await call("PUT /_sandbox/scenarios/mine", { name: "mine", faults: [rule] });
      await call("POST /_sandbox/scenarios/mine/activate", {});
    } else await call("POST /_sandbox/faults", rule);
    disk.refusesFrom = disk.calls;
    expect((await client.quote()).status).toBe(500);
    disk.refusesFrom = Number.POSITIVE_INFINITY;
    await expect(client.quote()).rejects.toThrow("fetch failed");
    expect((await client.quote()).status).toBe(200);
  },
);

it.each([[[]], [[{ hold: "1ms" }]]])(
  "the request log contains a call that a full disk refuses, faults: %j",
  async (faults) => {
    const { call, client } = await server({ data: dataFile(), io });
    for (const fault of faults)
      await call("POST /_sandbox/faults", { match: { operation: "createQuote" }, ...fault });
    disk.refusesFrom = disk.calls;
    expect((await client.quote()).status).toBe(500);
    disk.refusesFrom = Number.POSITIVE_INFINITY;
    const { items } = (await call("GET /_sandbox/requests")).json;
    expect(items).toMatchObject([{ operation: "createQuote", status: 500 }]);
    expect(items[0].in_flight).not.toBe(true);
  },
);

async function stuck() {
  const data = dataFile();
  const wall = new FakeWall(START);
  const made = await server({ data, io, clock: "real", wall });
  const charge = await made.client.pay();
  disk.refusesFrom = disk.calls;
  // Reads run before the timers, so nothing was written yet.
  wall.step(10_000);
  return { ...made, wall, charge };
}

it("while the disk is full, a due task waits and reads still work", async () => {
  const { call, client, charge, errors, wall } = await stuck();
  for (let round = 0; round < 3; round++) {
    for (const path of [
      "/_sandbox",
      "/_sandbox/charges",
      `/_sandbox/charges/${charge}`,
      `/_sandbox/charges/${charge}/timeline`,
      "/_sandbox/balances",
      "/_sandbox/events",
      "/_sandbox/deliveries",
      "/_sandbox/state",
      "/_sandbox/clock",
      "/_sandbox/advice",
      "/_sandbox/coverage",
      "/api/v1/payments/payins",
      "/api/v1/accounts/balances",
      `/api/v1/payments/charges/${charge}`,
    ]) {
      const { status, headers } = await call(`GET ${path}`);
      expect([path, status, headers.get("sandbox-now")]).toEqual([path, 200, "2026-01-31T09:00:10.000Z"]);
    }
  }
  expect((await client.charge(charge)).json.status).toBe("PENDING");
  // One report for all reads, and one for the sandbox's own write.
  expect(errors.length).toBeLessThanOrEqual(2);
  expect(String(errors[0])).toMatch(/^StoreError: Cannot write .*d\.json\.journal: ENOSPC/);
  expect((await client.quote()).status).toBe(500);

  disk.refusesFrom = Number.POSITIVE_INFINITY;
  wall.step(60_000);
  const { status, status_history } = (await client.charge(charge)).json;
  expect(status).toBe("COMPLETED");
  expect(status_history.map(({ at }: { at: string }) => Date.parse(at) - START)).toEqual([
    0, 1000, 3000, 5000,
  ]);
});

it("a waiting task is exported, and runs where it is imported", async () => {
  const { call, charge } = await stuck();
  const exported = (await call("GET /_sandbox/state")).json;
  const other = await server({ data: dataFile() });
  expect((await other.call("PUT /_sandbox/state", exported)).status).toBe(200);
  const { status, status_history } = (await other.client.charge(charge)).json;
  expect(status).toBe("COMPLETED");
  expect(status_history.map(({ at }: { at: string }) => Date.parse(at) - START)).toEqual([
    0, 1000, 3000, 5000,
  ]);
  expect((await other.call("GET /_sandbox/clock")).json).toMatchObject({ mode: "real" });
});

it("webhooks on a full disk are retried once a second", async () => {
  const receiver = await Receiver.open();
  const wall = new FakeWall(START);
  const { call, client, errors } = await server({ data: dataFile(), io, clock: "real", wall });
  await call("POST /_sandbox/webhook-endpoints", { url: receiver.url });
  for (let made = 0; made < 5; made++) await client.pay();
  disk.refusesFrom = disk.calls;
  wall.elapse(1_000);
  for (let turn = 0; turn < 2_000; turn++) await yieldToEventLoop();
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.length).toBeLessThan(20);
  disk.refusesFrom = Number.POSITIVE_INFINITY;
  wall.elapse(1_000);
  const delivered = async () => (await call("GET /_sandbox/deliveries?status=delivered")).json.total;
  await expect.poll(delivered).toBe(5);
});

const DUE = "2026-01-31T09:00:05.000Z";
it.each(["url", "mailbox"])("an attempt due on a full disk is made in the next advance: %s", async (kind) => {
  const receiver = await Receiver.open(refuseWith(500));
  const { call, sandbox } = await server({ data: dataFile(), io });
  const endpoint = kind === "url" ? { url: receiver.url } : { mailbox: "box" };
  await call("POST /_sandbox/webhook-endpoints", endpoint);
  const taken = async () => (await call("POST /_sandbox/mailboxes/box/take", {})).json.items ?? [];
  const refuse = async () => {
    for (const { delivery_id } of await taken())
      await call(`POST /_sandbox/mailboxes/box/${delivery_id}/ack`, { status: 500 });
  };
  const attempts = async () => (await call("GET /_sandbox/deliveries")).json.items[0].attempts;
  await call("POST /_sandbox/events", { type: "charge.completed", data: {} });
  await sandbox.settled();
  await refuse();

  disk.refusesFrom = disk.calls;
  expect((await call("POST /_sandbox/clock/advance", { by: "5s" })).status).toBe(500);
  disk.refusesFrom = Number.POSITIVE_INFINITY;
  await sandbox.settled();
  expect(await taken()).toEqual([]);
  expect(await attempts()).toHaveLength(1);

  const { json } = await call("POST /_sandbox/clock/advance", { until: "next" });
  expect(json).toMatchObject({ to: DUE, fired_total: 1 });
  await refuse();
  expect(await attempts()).toMatchObject([{}, { at: DUE }]);
  expect(receiver.received).toHaveLength(kind === "url" ? 3 : 0);
});
