import { afterEach, expect, it, vi } from "vitest";
import type { ClockRecord } from "../../src/core/engine/records.js";
import { parseClockSetting } from "../../src/core/schema/option-schemas.js";
import { DEFAULT_SETTINGS } from "../../src/core/schema/settings.js";
import { MAX_INSTANT_MS } from "../../src/core/schema/time.js";
import { Clock } from "../../src/core/time/clock.js";
import { MAX_TIMER_MS, systemWallClock } from "../../src/core/time/wall-clock.js";
import { hold, Receiver } from "../support/receiver-server.js";
import { FakeWall, KeptStore, type WorldWishes, worldOn } from "../support/receiver-world.js";

const WALL_START = Date.parse("2026-01-31T09:00:00.000Z");
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

afterEach(() => void vi.useRealTimers());

/** Opens a namespace on a fake wall clock. */
async function worldAt(wishes: WorldWishes, wall = new FakeWall(WALL_START)) {
  const made = await worldOn(wall, wishes);
  const since = () => made.world.nowMs() - WALL_START;
  const status = async (charge: string) => (await made.client.charge(charge)).json.status;
  return { ...made, wall, since, status };
}

it.each([
  ["real", 1],
  ["60x", 60],
] as const)("a %s clock continues when the system clock is set back", (setting, speed) => {
  const wall = new FakeWall(WALL_START);
  const setBack: number[] = [];
  const clock = new Clock(wall, parseClockSetting(setting), 0, (byMs) => setBack.push(byMs));
  wall.elapse(10_000);
  expect(clock.nowMs()).toBe(10_000 * speed);
  wall.step(-4_000);
  expect(clock.nowMs()).toBe(10_000 * speed);
  wall.elapse(3_999);
  expect(clock.nowMs()).toBe(13_999 * speed);
  wall.step(-10);
  wall.elapse(1);
  expect(clock.nowMs()).toBe(14_000 * speed);
  expect(setBack).toEqual([4_000]);
});

it("a clock stops at the last time that can be formatted", () => {
  const wall = new FakeWall(WALL_START);
  const clock = new Clock(wall, parseClockSetting("1000000x"), MAX_INSTANT_MS - 10);
  wall.elapse(DAY);
  expect(clock.nowMs()).toBe(MAX_INSTANT_MS);
});

it("a restored clock starts at the last change if the system clock was set back", () => {
  const wall = new FakeWall(WALL_START);
  const kept: ClockRecord = { ...parseClockSetting("real"), sandbox_ms: 7_000, wall_ms: WALL_START + HOUR };
  expect(Clock.resume(wall, kept, 0).nowMs()).toBe(7_000);
  expect(Clock.resume(wall, kept, 9_000).nowMs()).toBe(9_000);
});

it("a timer waits at most 2^31-1 ms at a time", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const fired = vi.fn();
  systemWallClock.after(2 ** 31, fired);
  systemWallClock.after(Number.POSITIVE_INFINITY, fired);
  vi.advanceTimersByTime(MAX_TIMER_MS - 1);
  expect(fired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(fired).toHaveBeenCalledTimes(2);
});

it("a timer can be cancelled, and never waits a negative time", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const [kept, calledOff] = [vi.fn(), vi.fn()];
  systemWallClock.after(-5, kept);
  systemWallClock.after(5, calledOff)();
  vi.advanceTimersByTime(10);
  expect([kept.mock.calls.length, calledOff.mock.calls.length]).toEqual([1, 0]);
});

it("a namespace wakes up after the longest wait of a timer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const { world, client, status } = await worldAt({ clockText: "0.001x" }, systemWallClock as FakeWall);
  const charge = await client.pay({ email: "expired@shop.test" });
  // One hour of sandbox time takes 41 days, longer than a timer can wait.
  vi.advanceTimersByTime(1000 * HOUR - 1000);
  expect(world.engine.state.get("charges", charge)!.status).toBe("AWAITING_PAYMENT");
  vi.advanceTimersByTime(3000);
  expect(world.engine.state.get("charges", charge)!.status).toBe("EXPIRED");
  expect(await status(charge)).toBe("EXPIRED");
});

it.each([
  ["real", 1],
  ["60x", 60],
  ["0.25x", 0.25],
])("a namespace at %s wakes up only for the next due task", async (clockText, speed) => {
  const { wall, world, client, since } = await worldAt({ clockText });
  expect(wall.armed).toEqual([]);
  const charge = await client.pay();
  const record = () => world.engine.state.get("charges", charge)!;
  for (const [dueMs, expected] of [
    [1_000, "AWAITING_PAYMENT"],
    [3_000, "PROCESSING"],
    [5_000, "COMPLETED"],
  ] as const) {
    expect(wall.armed).toEqual([Math.ceil((dueMs - since()) / speed)]);
    wall.elapse(wall.armed[0]! - 1);
    expect(record().status).not.toBe(expected);
    wall.elapse(1);
    expect(record().status).toBe(expected);
    expect(Date.parse(record().status_history.at(-1)!.at) - WALL_START).toBe(dueMs);
  }
  // The charge is complete, so its expiry was cancelled.
  wall.elapse(HOUR / speed);
  expect(record().status).toBe("COMPLETED");
  expect(wall.armed).toEqual([]);
});

it("an earlier task resets the timer", async () => {
  const { wall, client } = await worldAt({ clockText: "real" });
  const stuck = await client.pay({ email: "stuck@shop.test" });
  wall.elapse(3 * SECOND);
  // A PROCESSING charge neither expires nor changes by itself.
  expect((await client.charge(stuck)).json.status).toBe("PROCESSING");
  await client.pay({ email: "expired@shop.test" });
  wall.elapse(SECOND);
  expect(wall.armed).toEqual([HOUR - SECOND]);
  await client.pay();
  expect(wall.armed).toEqual([SECOND]);
  await client.setClock({ mode: "2x" });
  expect(wall.armed).toEqual([SECOND / 2]);
});

it("due tasks run before a read even if the timer is late", async () => {
  const { wall, client, status } = await worldAt({ clockText: "real" });
  const charge = await client.pay();
  wall.step(5_000);
  expect(await status(charge)).toBe("COMPLETED");
  const history = (await client.charge(charge)).json.status_history;
  expect(history.map(({ at }: { at: string }) => Date.parse(at) - WALL_START)).toEqual([0, 1000, 3000, 5000]);
});

it("a running clock continues when the system clock was set back", async () => {
  const { wall, client, status, since } = await worldAt({ clockText: "real" });
  const charge = await client.pay();
  wall.elapse(1_500);
  expect(since()).toBe(1_500);
  wall.step(-HOUR);
  expect(since()).toBe(1_500);
  expect(await status(charge)).toBe("AWAITING_PAYMENT");
  wall.elapse(10_000);
  expect(since()).toBe(11_500);
  expect(wall.delays.length).toBeLessThan(30);
  expect(await status(charge)).toBe("COMPLETED");
});

it("a running clock continues from where it was advanced to", async () => {
  const { wall, sandbox, client, status, since } = await worldAt({ clockText: "real" });
  const charge = await client.pay({ email: "expired@shop.test" });
  wall.elapse(500);
  await sandbox.advance("1m");
  expect(since()).toBe(MINUTE + 500);
  expect(wall.armed).toEqual([HOUR - MINUTE - 500]);
  wall.elapse(HOUR - MINUTE - 500);
  expect(await status(charge)).toBe("EXPIRED");
});

it("a paused clock continues when resumed", async () => {
  const { wall, client, since } = await worldAt({ clockText: "real" });
  await client.pay();
  await client.setClock({ mode: "manual" });
  expect(wall.armed).toEqual([]);
  wall.elapse(HOUR);
  expect(since()).toBe(0);
  await client.setClock({ mode: "60x" });
  wall.elapse(SECOND);
  expect(since()).toBe(MINUTE);
  await client.setClock({ now: new Date(WALL_START + HOUR).toISOString(), mode: "manual" });
  expect(since()).toBe(HOUR);
  expect((await client.setClock({ now: new Date(WALL_START).toISOString() })).status).toBe(400);
});

it("a manual clock has no timer and ignores wall time", async () => {
  const { wall, client, status, since } = await worldAt({ clockText: "manual" });
  const charge = await client.pay();
  wall.elapse(DAY);
  expect([await status(charge), since(), wall.delays]).toEqual(["PENDING", 0, []]);
});

it("due tasks run in order, each at its own time", async () => {
  const histories = [];
  for (const steps of [["2h"], ["1s", "1ms", "3999ms", "1h", "55m"]]) {
    const { sandbox, client } = await worldAt({ clockText: "manual" });
    const charges = [await client.pay(), await client.pay({ email: "late@shop.test" })];
    for (const step of steps) await sandbox.advance(step);
    histories.push(await Promise.all(charges.map(async (one) => (await client.charge(one)).text)));
  }
  expect(histories[0]).toEqual(histories[1]);
  expect(JSON.parse(histories[0]![1]!).status).toBe("COMPLETED");
});

it.each([
  ["manual", 2_000, "AWAITING_PAYMENT"],
  ["real", 4_000, "PROCESSING"],
  ["10x", 22_000, "COMPLETED"],
])(
  "a restart on a %s clock keeps time, charges and due tasks",
  async (clockText, expectedMs, expectedStatus) => {
    const store = new KeptStore();
    const wall = new FakeWall(WALL_START);
    const before = await worldAt({ clockText, store }, wall);
    const charge = await before.client.pay();
    await before.sandbox.advance("2s");
    await before.sandbox.close();
    wall.elapse(2 * SECOND);
    const after = await worldAt({ store, defaultSeed: "another" }, wall);
    expect(after.since()).toBe(expectedMs);
    expect(await after.status(charge)).toBe(expectedStatus);
    expect((await after.client.clock()).json.mode).toBe(clockText);
    expect(after.sandbox.seed).toBe("test");
    // Pending tasks run.
    await after.sandbox.advance("1m");
    expect(await after.status(charge)).toBe("COMPLETED");
  },
);

it("a restart with another --clock continues from the same time", async () => {
  const store = new KeptStore();
  const wall = new FakeWall(WALL_START);
  await (await worldAt({ clockText: "real", store }, wall)).sandbox.close();
  wall.elapse(MINUTE);
  const after = await worldAt({ clockText: "manual", store }, wall);
  wall.elapse(MINUTE);
  expect(after.since()).toBe(MINUTE);
  expect((await after.client.clock()).json.mode).toBe("manual");
});

it("overdue tasks run at their due time after a restart", async () => {
  const store = new KeptStore();
  const wall = new FakeWall(WALL_START);
  const before = await worldAt({ clockText: "real", store }, wall);
  const charge = await before.client.pay();
  await before.sandbox.close();
  wall.elapse(DAY);
  const after = await worldAt({ store }, wall);
  const { json } = await after.client.charge(charge);
  expect(json.status_history.map(({ at }: { at: string }) => Date.parse(at) - WALL_START)).toEqual([
    0, 1000, 3000, 5000,
  ]);
});

it.each(["manual", "real"])(
  "a delivery on a %s clock with a failing disk is stored later",
  async (clockText) => {
    const receiver = await Receiver.open(hold);
    const store = new KeptStore();
    let said: (error: unknown) => void = () => {};
    const firstError = new Promise((resolve) => {
      said = resolve;
    });
    const { wall, world, client } = await worldAt({
      clockText,
      store,
      webhooks: [{ url: receiver.url }],
      onError: (error) => said(error),
    });
    const charge = await client.pay();
    for (const to of ["AWAITING_PAYMENT", "PROCESSING"]) await client.transition(charge, to);
    const first = await receiver.arrived(1);
    store.refuses = true;
    first.answer();
    expect(await firstError).toEqual(new Error("disk full"));
    store.refuses = false;
    wall.elapse(SECOND);
    (await receiver.arrived(2)).answer();
    await world.whenIdle();
    expect(receiver.types).toEqual(["charge.awaiting_payment", "charge.processing"]);
    expect(world.engine.dump().collections.deliveries.map(([, one]) => one.status)).toEqual([
      "delivered",
      "delivered",
    ]);
  },
);

it("an advance that cannot be stored fails, and can be repeated", async () => {
  const receiver = await Receiver.open(hold);
  const store = new KeptStore();
  const { sandbox, world, client, status } = await worldAt({
    clockText: "manual",
    store,
    webhooks: [{ url: receiver.url }],
  });
  const charge = await client.pay();
  const advancing = client.advance({ by: "10s" });
  const first = await receiver.arrived(1);
  receiver.handler = (received) => received.answer();
  store.refuses = true;
  first.answer();
  expect((await advancing).status).toBe(500);
  expect((await client.clock()).json).toMatchObject({
    advancing: false,
    now: new Date(WALL_START + 1000).toISOString(),
  });
  expect((await client.advance({ by: "10s" })).status).toBe(500);
  store.refuses = false;
  expect((await client.advance({ by: "10s" })).status).toBe(200);
  await sandbox.settled();
  expect(await status(charge)).toBe("COMPLETED");
  expect(receiver.types).toEqual(["charge.awaiting_payment", "charge.processing", "charge.completed"]);
  expect(world.engine.dump().collections.deliveries.every(([, one]) => one.attempts.length === 1)).toBe(true);
});

it("an advance stops with an error when each webhook causes another", async () => {
  const receiver = await Receiver.open();
  const { client } = await worldAt({
    clockText: "manual",
    webhooks: [{ url: receiver.url, events: ["charge.completed"] }],
    settings: { ...DEFAULT_SETTINGS, retention: { ...DEFAULT_SETTINGS.retention, events: 10 } },
  });
  receiver.handler = async (received) => {
    // Enough calls to reach the limit quickly.
    await Promise.all(Array.from({ length: 1_000 }, () => client.quote()));
    await client.pay({ scenario: "instant" });
    received.answer();
  };
  await client.pay({ scenario: "instant" });
  const answer = await client.advance({ by: "1s" });
  expect(answer.status).toBe(400);
  expect(answer.json.error.message).toMatch(/each webhook gives rise to another/);
  receiver.handler = (received) => received.answer();
  expect((await client.advance({ by: "1s" })).status).toBe(200);
});

it("an advance may run more than a thousand tasks", async () => {
  const { sandbox, client } = await worldAt({ clockText: "manual" });
  for (let count = 0; count < 300; count++) await client.pay();
  const report = await sandbox.advance("10s");
  expect(report.fired_total).toBe(900);
  expect(report.fired).toHaveLength(900);
  for (let count = 0; count < 400; count++) await client.pay();
  const capped = await sandbox.advance("10s");
  expect([capped.fired_total, capped.fired.length]).toEqual([1200, 1000]);
});
