import { expect, it } from "vitest";
import { State } from "../../src/core/engine/state.js";
import type { Store, StoreEvents } from "../../src/core/engine/store.js";
import { createMemoryStore } from "../../src/core/store/storage.js";
import { yieldToEventLoop } from "../../src/core/time/wall-clock.js";
import { dataFile, diskThatMayFill, START, server } from "../support/kept.js";
import { closeAll } from "../support/lifetime.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";

/** A store that writes changes at once, on demand, or never. */
function slowStore() {
  let events: StoreEvents | undefined;
  const safe = new State();
  let appended: Parameters<NonNullable<Store["append"]>>[0][] = [];
  const made = {
    ...createMemoryStore(),
    holds: false,
    get heldCount() {
      return appended.length;
    },
    load: (to: StoreEvents) => {
      events = to;
      return safe.seq === 0 ? undefined : { snapshot: safe.dump(), changes: [] };
    },
    append: (change: (typeof appended)[number]) => {
      appended.push(change);
      if (!made.holds) made.keep();
    },
    replace: (dump: ReturnType<State["dump"]>) => {
      Object.assign(safe, State.from(dump));
      for (const [name, entries] of Object.entries(dump.collections))
        safe.apply({
          ...dump,
          puts: entries.map(([key, record]) => [name as "charges", key, record] as const),
        });
      events?.onSafe(dump.seq);
    },
    keep: () => {
      for (const change of appended) safe.apply(change);
      appended = [];
      events?.onSafe(safe.seq);
    },
    lose: () => {
      appended = [];
      events?.onFailed(new Error("database gone"));
    },
  };
  return made;
}

/** Lets every pending task run once. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await yieldToEventLoop();
}

/** A server on such a store; `seen` lists the observed effects in order. */
async function slowServer() {
  const store = slowStore();
  const made = await worldOn(new FakeWall(START), { store, clockText: "manual" });
  const { world, sandbox, client } = made;
  const seen: string[] = [];
  await sandbox.onWebhook(async (request) => {
    seen.push(`webhook ${JSON.parse(await request.text()).type}`);
  });
  await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: "box" });
  const charge = await client.pay();
  const other = await client.pay();
  world.events.on("stored", ({ puts }) => seen.push(...puts.map(([name]) => `change ${name}`)));
  world.events.on("answered", ({ operation, status }) => seen.push(`request ${operation} ${status}`));
  /** Records when the reply is sent. */
  const noted = async <Answer extends { status: number }>(name: string, answer: Promise<Answer>) => {
    const { status } = await answer;
    seen.push(`answer ${name} ${status}`);
    return answer;
  };
  return { ...made, store, seen, noted, charge, other };
}

it("no change is visible before it is written", async () => {
  const { store, client, sandbox, world, seen, noted, charge, other } = await slowServer();
  const before = await client.ask("GET /_sandbox/state");
  store.holds = true;
  const { length } = seen;
  const answers = [
    noted("quote", client.quote()),
    noted("transition", client.transition(charge, "COMPLETED")),
  ];
  await turns();
  answers.push(
    noted("read", client.charge(charge)),
    noted("list", client.ask("GET /_sandbox/charges")),
    noted("take", client.ask("POST /_sandbox/mailboxes/box/take", {})),
    noted("page", client.ask("GET /_sandbox/dashboard")),
    noted("save", client.ask("POST /_sandbox/snapshots", { name: "one" })),
  );
  const moved = sandbox.transition(other, "FAILED").then(() => seen.push("moved"));
  await turns();
  expect([seen.slice(length), store.heldCount > 2, world.isIdle()]).toEqual([[], true, false]);
  const settled = sandbox.settled();
  store.holds = false;
  store.keep();
  await Promise.all([...answers, moved, settled]);
  await sandbox.settled();
  const shown = seen.slice(length);
  expect(shown).toEqual(
    expect.arrayContaining(["moved", "webhook charge.completed", "webhook charge.failed"]),
  );
  expect(shown.filter((one) => one.startsWith("answer ")).every((one) => one.endsWith("200"))).toBe(true);
  expect(shown.indexOf("change charges")).toBeLessThan(shown.indexOf("webhook charge.completed"));
  expect((await client.ask("GET /_sandbox/state")).text).not.toBe(before.text);
});

it("a failed commit fails every waiting call and reloads the state", async () => {
  const { store, client, sandbox, world, seen, noted, charge } = await slowServer();
  const before = (await client.ask("GET /_sandbox/state")).json;
  store.holds = true;
  const { length } = seen;
  const calls = [noted("quote", client.quote())];
  await turns();
  calls.push(noted("read", client.charge(charge)));
  const moved = sandbox.transition(charge, "COMPLETED").catch((error: Error) => error.message);
  await turns();
  store.holds = false;
  store.lose();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([500, 500]);
  expect(await moved).toBe("database gone");
  expect((await client.charge(charge)).status).toBe(500);
  await world.reopen();
  expect((await client.ask("GET /_sandbox/state")).json.collections).toEqual(before.collections);
  expect((await client.charge(charge)).json.status).toBe("PENDING");
  // Only the state is reloaded.
  expect(seen).toContain("request createQuote 500");
  const { items } = (await client.ask("GET /_sandbox/requests?operation=createQuote")).json;
  expect(items.at(0).status).toBe(500);
  expect(seen.slice(length).filter((one) => /webhook|change charges/.test(one))).toEqual([]);
  await sandbox.transition(charge, "COMPLETED");
  await sandbox.settled();
  expect(seen.filter((one) => one.startsWith("webhook"))).toEqual(["webhook charge.completed"]);
});

it("an advance fails when one of its changes is lost", async () => {
  const { store, client, seen, world } = await slowServer();
  const late = await client.pay();
  store.holds = true;
  const before = seen.length;
  const refused = client.ask("POST /_sandbox/clock/advance", { by: "1h" });
  await turns();
  expect(seen.slice(before)).toEqual([]);
  store.holds = false;
  store.lose();
  expect((await refused).status).toBe(500);
  await world.reopen();
  expect((await client.charge(late)).json.status).toBe("PENDING");
  expect((await client.ask("POST /_sandbox/clock/advance", { by: "1h" })).status).toBe(200);
  expect((await client.charge(late)).json.status).toBe("COMPLETED");
});

const quotesOf = (client: Awaited<ReturnType<typeof server>>["client"], count: number) =>
  Promise.all(Array.from({ length: count }, () => client.quote()));

it("concurrent calls share a sync", async () => {
  const { disk, io } = diskThatMayFill();
  const { client } = await server({ data: dataFile(), io, fsync: true });
  await quotesOf(client, 1);
  const { calls, syncs } = disk;
  expect((await quotesOf(client, 10)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect([disk.calls - calls, disk.syncs - syncs]).toEqual([11, 1]);
});

it("an advance syncs once for several tasks", async () => {
  const { disk, io } = diskThatMayFill();
  const { client, call } = await server({ data: dataFile(), io, fsync: true });
  for (let made = 0; made < 30; made++) await client.pay();
  const { syncs } = disk;
  const { json } = await call("POST /_sandbox/clock/advance", { by: "30s" });
  expect(json.fired_total).toBe(90);
  expect(disk.syncs - syncs).toBeLessThanOrEqual(2);
});

it("after a failed sync every call is refused until a restart", async () => {
  const data = dataFile();
  const { disk, io } = diskThatMayFill();
  const { client, call, errors } = await server({ data, io, fsync: true });
  const charge = await client.pay();
  // The line is written, but its sync fails.
  disk.refusesFrom = disk.calls + 1;
  expect((await client.quote()).status).toBe(500);
  disk.refusesFrom = Number.POSITIVE_INFINITY;
  expect([(await client.quote()).status, (await client.charge(charge)).status]).toEqual([500, 500]);
  expect(String(errors[0])).toMatch(/^StoreError: Cannot sync .*d\.json\.journal.*restart: ENOSPC/);
  expect((await call("GET /health")).status).toBe(200);
  await closeAll();
  const again = await server({ data, clock: null });
  expect((await again.client.charge(charge)).status).toBe(200);
});

it("a full disk refuses every concurrent call", async () => {
  const { disk, io } = diskThatMayFill();
  const { client, call, errors } = await server({ data: dataFile(), io });
  const quotes = (count: number) => Promise.all(Array.from({ length: count }, () => client.quote()));
  await quotes(11);
  const before = (await call("GET /_sandbox/state")).json.collections.quotes;
  disk.refusesFrom = disk.calls;
  expect((await quotes(10)).map(({ status }) => status)).toEqual(Array(10).fill(500));
  disk.refusesFrom = Number.POSITIVE_INFINITY;
  expect((await call("GET /_sandbox/state")).json.collections.quotes).toEqual(before);
  expect(errors).toHaveLength(10);
  const { items } = (await call("GET /_sandbox/requests?limit=100")).json;
  expect(items.map(({ status }: { status: number }) => status)).toEqual([
    ...Array(10).fill(500),
    ...Array(11).fill(200),
  ]);
});

it("a full disk leaves due tasks pending", async () => {
  const { disk, io } = diskThatMayFill();
  const wall = new FakeWall(START);
  const { client, call } = await server({ data: dataFile(), io, clock: "real", wall });
  const charge = await client.pay();
  await call("POST /_sandbox/faults", { match: { operation: "createQuote" }, hold: "1ms", times: 1 });
  disk.refusesFrom = disk.calls;
  wall.step(60_000);
  // Due tasks run before the call.
  const statuses = (await Promise.all([client.quote(), client.quote()])).map(({ status }) => status);
  expect(statuses).toEqual([500, 500]);
  disk.refusesFrom = Number.POSITIVE_INFINITY;
  expect((await call("GET /_sandbox/faults")).json.items[0].applied).toBe(0);
  const { status_history } = (await client.charge(charge)).json;
  expect(status_history.map(({ at }: { at: string }) => Date.parse(at) - START)).toEqual([
    0, 1000, 3000, 5000,
  ]);
});
