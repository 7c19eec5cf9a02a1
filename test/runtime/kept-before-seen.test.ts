import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/core/engine/records.js";
import { createMemoryStore } from "../../src/core/store/memory-storage.js";
import { yieldToEventLoop } from "../../src/core/time/wall-clock.js";
import { dataFile, diskThatMayFill, START, server } from "../support/kept.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";

/** Answers at once, until it is told to hold: then each turn waits for what the test makes of it. */
function slowStore() {
  const asked: { changes: readonly JournalEntry[]; keep: () => void; refuse: () => void }[] = [];
  const made = {
    ...createMemoryStore(),
    asked,
    holds: false,
    append: (changes: readonly JournalEntry[]): Promise<void> =>
      made.holds
        ? new Promise((resolve, reject) => {
            asked.push({ changes, keep: resolve, refuse: () => reject(new Error("database gone")) });
          })
        : Promise.resolve(),
    /** Resolves when that turn has been given to it. */
    turn: async (place: number) => {
      while (asked.length <= place) await yieldToEventLoop();
      return asked[place]!;
    },
  };
  return made;
}

/** Whatever could leak has had its turn. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await yieldToEventLoop();
}

/** A server on a store that answers later; `seen` has what is shown besides answers, in its order. */
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
  world.subscribe({
    onChange: ({ puts }) => seen.push(...puts.map(([name]) => `change ${name}`)),
    onRequest: ({ operation, status }) => seen.push(`request ${operation} ${status}`),
  });
  /** The same answer with a note of its coming. */
  const noted = async <Answer extends { status: number }>(name: string, answer: Promise<Answer>) => {
    const { status } = await answer;
    seen.push(`answer ${name} ${status}`);
    return answer;
  };
  return { ...made, store, seen, noted, charge, other };
}

describe("with a store that answers later", () => {
  it("nothing is shown before it is kept, and all of it after", async () => {
    const { store, client, sandbox, world, seen, noted, charge, other } = await slowServer();
    const before = await client.ask("GET /_sandbox/state");
    store.holds = true;
    const { length } = seen;
    const answers = [
      noted("quote", client.quote()),
      noted("quote", client.quote()),
      noted("transition", client.transition(charge, "COMPLETED")),
    ];
    const moved = sandbox.transition(other, "FAILED").then(() => seen.push("moved"));
    const first = await store.turn(0);
    // What comes meanwhile waits, whether it reads or writes.
    answers.push(
      noted("read", client.charge(charge)),
      noted("list", client.ask("GET /_sandbox/charges")),
      noted("quote", client.quote()),
      noted("take", client.ask("POST /_sandbox/mailboxes/box/take", {})),
      noted("page", client.ask("GET /_sandbox/dashboard")),
      noted("advance", client.ask("POST /_sandbox/clock/advance", { by: "1s" })),
    );
    await turns();
    expect([seen.slice(length), store.asked.length, world.isIdle()]).toEqual([[], 1, false]);
    store.holds = false;
    first.keep();
    await Promise.all([...answers, moved]);
    await sandbox.settled();
    const shown = seen.slice(length);
    expect(shown).toEqual(
      expect.arrayContaining(["moved", "webhook charge.completed", "webhook charge.failed"]),
    );
    expect(shown.filter((one) => one.startsWith("answer ")).every((one) => one.endsWith("200"))).toBe(true);
    expect(shown.indexOf("change charges")).toBeLessThan(shown.indexOf("webhook charge.completed"));
    expect((await client.ask("GET /_sandbox/state")).text).not.toBe(before.text);
  });

  it("what it refuses has not happened, nor what came on top of it, and each caller hears so", async () => {
    const { store, client, sandbox, seen, noted, charge, errors } = await slowServer();
    const before = (await client.ask("GET /_sandbox/state")).text;
    store.holds = true;
    const { length } = seen;
    const quotes = [noted("quote", client.quote()), noted("quote", client.quote())];
    const first = await store.turn(0);
    expect(first.changes).toHaveLength(2);
    // On top of what is being kept; a call of the library does not wait for that.
    const moved = sandbox.transition(charge, "COMPLETED").catch((error: Error) => error.message);
    const onTop = sandbox.transition(charge, "REFUNDED").catch((error: Error) => error.message);
    const read = client.charge(charge);
    const list = client.ask("GET /_sandbox/charges");
    await turns();
    store.holds = false;
    first.refuse();
    expect((await Promise.all(quotes)).map(({ status }) => status)).toEqual([500, 500]);
    expect(await Promise.all([moved, onTop])).toEqual(["database gone", "database gone"]);
    expect((await read).json.status).toBe("PENDING");
    expect((await list).status).toBe(200);
    expect((await client.ask("GET /_sandbox/state")).text).toBe(before);
    expect(seen.slice(length).filter((one) => /change|webhook/.test(one))).toEqual([]);
    expect(seen).toContain("request createQuote 500");
    expect(errors).toHaveLength(2);
    // What follows is as if it had never been.
    await sandbox.transition(charge, "COMPLETED");
    await sandbox.settled();
    expect(seen.filter((one) => one.startsWith("webhook"))).toEqual(["webhook charge.completed"]);
  });

  it("an advance goes on when a batch is kept, and ends where it was when one is not", async () => {
    const { store, client, seen } = await slowServer();
    const charge = await client.pay();
    const advance = client.ask("POST /_sandbox/clock/advance", { by: "1h" });
    expect((await advance).status).toBe(200);
    expect((await client.charge(charge)).json.status).toBe("COMPLETED");
    const late = await client.pay();
    store.holds = true;
    const before = seen.length;
    const refused = client.ask("POST /_sandbox/clock/advance", { by: "1h" });
    const first = await store.turn(0);
    await turns();
    expect(seen.slice(before)).toEqual([]);
    store.holds = false;
    first.refuse();
    expect((await refused).status).toBe(500);
    expect((await client.charge(late)).json.status).toBe("PENDING");
    expect((await client.ask("POST /_sandbox/clock/advance", { by: "1h" })).status).toBe(200);
    expect((await client.charge(late)).json.status).toBe("COMPLETED");
  });
});

describe("with files", () => {
  it("calls that come together are one write and one flush, and one refusal of the disk refuses them all", async () => {
    const { disk, io } = diskThatMayFill();
    const { client, call, errors } = await server({ data: dataFile(), io, fsync: true });
    const quotes = (count: number) => Promise.all(Array.from({ length: count }, () => client.quote()));
    await quotes(1);
    const { calls, syncs } = disk;
    const made = await quotes(10);
    expect(made.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect([disk.calls - calls, disk.syncs - syncs]).toEqual([2, 1]);
    const before = (await call("GET /_sandbox/state")).json.collections.quotes;
    expect(before).toHaveLength(11);
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

  it("an advance writes once for all that falls due before others have their turn", async () => {
    const { disk, io } = diskThatMayFill();
    const { client, call } = await server({ data: dataFile(), io });
    for (let made = 0; made < 30; made++) await client.pay();
    const { calls } = disk;
    const { json } = await call("POST /_sandbox/clock/advance", { by: "30s" });
    expect(json.fired_total).toBe(90);
    // The clock's own change is the other.
    expect(disk.calls - calls).toBeLessThanOrEqual(2);
  });

  it("a fault is given back, and a task put back, with the turn they are of", async () => {
    const { disk, io } = diskThatMayFill();
    const wall = new FakeWall(START);
    const { client, call } = await server({ data: dataFile(), io, clock: "real", wall });
    const charge = await client.pay();
    await call("POST /_sandbox/faults", { match: { operation: "createQuote" }, hold: "1ms", times: 1 });
    disk.refusesFrom = disk.calls;
    wall.step(60_000);
    // What is due by now is part of the turn of whoever calls.
    const statuses = (await Promise.all([client.quote(), client.quote()])).map(({ status }) => status);
    expect(statuses).toEqual([500, 500]);
    disk.refusesFrom = Number.POSITIVE_INFINITY;
    expect((await call("GET /_sandbox/faults")).json.items[0].applied).toBe(0);
    const { status_history } = (await client.charge(charge)).json;
    expect(status_history.map(({ at }: { at: string }) => Date.parse(at) - START)).toEqual([
      0, 1000, 3000, 5000,
    ]);
  });
});
