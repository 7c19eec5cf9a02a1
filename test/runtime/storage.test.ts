import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Change, freezeState, type StateDump } from "../../src/core/engine/records.js";
import { State } from "../../src/core/engine/state.js";
import type { Store, StoreEvents } from "../../src/core/engine/store.js";
import { FileStorage } from "../../src/core/store/file-storage.js";
import { PostgresStorage } from "../../src/core/store/postgres/postgres-storage.js";
import { createMemoryStorage, type Storage } from "../../src/core/store/storage.js";
import { lacksPostgres, Postgres } from "../support/postgres.js";
import { change, dumpOf, none, upTo } from "../support/store-model.js";

let folder: string;
let opened: Store[];
let failures: Error[];
let postgres: Postgres | undefined;
let inDatabases: Set<PostgresStorage>;

beforeAll(async () => {
  if (!lacksPostgres) postgres = await Postgres.start();
});
afterAll(() => postgres?.end());

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "storage-")));
  opened = [];
  failures = [];
  inDatabases = new Set();
});

afterEach(async () => {
  for (const store of opened) store.close();
  for (const storage of [...inDatabases]) await released(storage);
  rmSync(folder, { recursive: true, force: true });
  expect(failures).toEqual([]);
});

const inFiles = () =>
  new FileStorage({ data: join(folder, "data.json"), onError: (failure) => failures.push(failure) });

const postgresAt = (data: string, version = "1.0.0") =>
  new PostgresStorage({
    data,
    version,
    seed: "seed",
    onNotice: (notice) => failures.push(new Error(notice)),
    onError: (failure) => failures.push(failure),
  });

async function inDatabase(url = postgres!.url()): Promise<PostgresStorage> {
  const storage = postgresAt(url);
  inDatabases.add(storage);
  return storage.start();
}

async function released(storage: PostgresStorage): Promise<void> {
  inDatabases.delete(storage);
  await storage.release();
}

const frozen = (seq: number) => freezeState(State.from(dumpOf(upTo(seq))));

const unheard: StoreEvents = { onSafe: () => {}, onFailed: () => {} };

/** Listeners that wait for a change. */
const listeners = new WeakMap<Store, Set<StoreEvents>>();

function eventsOf(store: Store): StoreEvents {
  const all = new Set<StoreEvents>();
  listeners.set(store, all);
  return {
    onSafe: (seq) => {
      for (const one of all) one.onSafe(seq);
    },
    onFailed: (error) => {
      for (const one of all) one.onFailed(error);
    },
  };
}

/** Resolves when the change is written. */
function settled(store: Store, seq: number, write: () => void): Promise<void> {
  if (store.append === undefined) return Promise.resolve(write());
  return new Promise((resolve, reject) => {
    listeners.get(store)!.add({ onSafe: (safe) => safe >= seq && resolve(), onFailed: reject });
    write();
  });
}

const appended = (store: Store, change: Change) =>
  settled(store, change.seq, () => store.append?.(change, none));
const replaced = (store: Store, state: StateDump) => settled(store, state.seq, () => store.replace(state));

/** Opens and loads a store as an engine does. */
function openedIn(storage: Storage, name: string): Store {
  const store = storage.open(name);
  opened.push(store);
  expect(store.load(eventsOf(store))).toBeUndefined();
  return store;
}

async function made(storage: Storage, name: string): Promise<Store> {
  await storage.begin(name, { api_key: "sk_test_mine" });
  const store = openedIn(storage, name);
  storage.finish(name);
  return store;
}

/** Every storage passes these tests. */
describe.each<[string, () => Storage | Promise<Storage>]>([
  ["memory", createMemoryStorage],
  ["files", inFiles],
  ...(lacksPostgres ? [] : [["PostgreSQL", inDatabase] as [string, () => Promise<Storage>]]),
])("storage contract: %s", (_, open) => {
  it("a storage has no namespaces at first", async () => {
    const storage = await open();
    openedIn(storage, "default");
    expect(storage.recover()).toEqual([]);
    expect(storage.identity("w1")).toEqual({});
  });

  it("a store accepts changes and states, and closes twice", async () => {
    const store = openedIn(await open(), "default");
    await appended(store, change(1));
    await appended(store, change(2));
    await replaced(store, dumpOf(upTo(7)));
    await appended(store, change(8));
    expect(await store.compactIfLarge(() => dumpOf(upTo(8)))).toBeUndefined();
    store.close(() => dumpOf(upTo(8)));
    store.close(() => {
      throw new Error("asked for a dump after it was closed");
    });
  });

  it("a store does not modify the records passed to it", async () => {
    const store = openedIn(await open(), "default");
    const given = change(1);
    const before = structuredClone(given);
    await appended(store, given);
    expect(given).toEqual(before);
    const state = dumpOf(upTo(1));
    await replaced(store, state);
    expect(state).toEqual(dumpOf(upTo(1)));
    store.close(() => state);
  });

  it("a store reports why a stored state is invalid", async () => {
    expect(openedIn(await open(), "default").toLoadError(new Error("the ledger is short"))).toMatchObject({
      message: expect.stringContaining("the ledger is short"),
    });
  });

  it("creates a namespace that is separate from others", async () => {
    const storage = await open();
    const other = openedIn(storage, "default");
    await appended(other, change(1));
    const store = await made(storage, "w1");
    await appended(store, change(1));
    await appended(store, change(2));
    await appended(other, change(2));
  });

  it("a storage undoes an unfinished namespace, and can create it again", async () => {
    const storage = await open();
    await storage.begin("w1", {});
    const store = openedIn(storage, "w1");
    await appended(store, change(1));
    store.close();
    storage.undo("w1");
    await made(storage, "w1");
  });

  it("a storage removes a namespace; a new one of that name is empty", async () => {
    const storage = await open();
    const store = await made(storage, "w1");
    await appended(store, change(1));
    const snapshots = storage.snapshots("w1");
    await snapshots.save({ name: "one", at: "2026-03-01T09:00:00.000Z" }, frozen(1));
    let closed = 0;
    await storage.remove("w1", () => {
      closed++;
      snapshots.close();
      store.close();
    });
    expect(closed).toBe(1);
    await made(storage, "w1");
    expect(storage.snapshots("w1").list()).toEqual([]);
  });

  it("a storage removes a namespace that is not open", async () => {
    const storage = await open();
    await (await made(storage, "w1")).close(() => dumpOf(upTo(0)));
    await storage.remove("w1");
    await made(storage, "w1");
  });

  it("a storage lists snapshots of a namespace, newest first", async () => {
    const storage = await open();
    openedIn(storage, "default");
    const snapshots = storage.snapshots("default");
    const at = (second: number) => `2026-03-01T09:00:0${second}.000Z`;
    expect(snapshots.list()).toEqual([]);
    expect(snapshots.read("one")).toBeUndefined();
    await snapshots.save({ name: "one", at: at(1) }, frozen(1));
    await snapshots.save({ name: "two", at: at(2) }, frozen(2));
    expect(snapshots.list()).toEqual([
      { name: "two", at: at(2) },
      { name: "one", at: at(1) },
    ]);
    await snapshots.save({ name: "one", at: at(3) }, frozen(3));
    expect(snapshots.list()).toEqual([
      { name: "one", at: at(3) },
      { name: "two", at: at(2) },
    ]);
    expect(snapshots.read("one")?.dump).toEqual(dumpOf(upTo(3)));
    expect(snapshots.read("two")?.dump).toEqual(dumpOf(upTo(2)));
    expect(await snapshots.delete("one")).toBe(true);
    expect(await snapshots.delete("one")).toBe(false);
    expect(snapshots.read("one")).toBeUndefined();
    expect(snapshots.list()).toEqual([{ name: "two", at: at(2) }]);
  });

  it("a snapshot has the state at the time of the call", async () => {
    const storage = await open();
    openedIn(storage, "default");
    const snapshots = storage.snapshots("default");
    const state = State.from(dumpOf(upTo(1)));
    const saved = snapshots.save({ name: "one", at: "2026-03-01T09:00:00.000Z" }, freezeState(state));
    state.apply(change(2));
    await saved;
    expect(snapshots.read("one")?.dump).toEqual(dumpOf(upTo(1)));
  });

  it("each read of a snapshot returns a new copy", async () => {
    const storage = await open();
    openedIn(storage, "default");
    const snapshots = storage.snapshots("default");
    await snapshots.save({ name: "one", at: "2026-03-01T09:00:00.000Z" }, frozen(1));
    State.from(snapshots.read("one")!.dump as ReturnType<typeof dumpOf>).apply(change(2));
    expect(snapshots.read("one")?.dump).toEqual(dumpOf(upTo(1)));
  });
});

it("storage in files keeps namespaces, options and data for the next run", async () => {
  const storage = inFiles();
  openedIn(storage, "default");
  const store = await made(storage, "w1");
  appended(store, change(1));
  storage.begin("w2", {});
  for (const one of opened.splice(0)) one.close();
  const next = inFiles();
  openedIn(next, "default");
  expect(next.recover()).toEqual(["w1"]);
  expect(next.identity("w1")).toMatchObject({ name: "w1", api_key: "sk_test_mine" });
  const again = next.open("w1");
  opened.push(again);
  expect(again.load(unheard)?.changes).toEqual([change(1)]);
});

describe.skipIf(lacksPostgres)("storage in PostgreSQL", () => {
  it("storage in PostgreSQL keeps namespaces, options and data for the next process", async () => {
    const url = postgres!.url();
    const storage = await inDatabase(url);
    openedIn(storage, "default");
    const store = await made(storage, "w1");
    await replaced(store, dumpOf(upTo(3)));
    await appended(store, change(4));
    await storage.snapshots("w1").save({ name: "one", at: "2026-03-01T09:00:00.000Z" }, frozen(4));
    await released(storage);
    const next = await inDatabase(url);
    expect(next.recover()).toEqual(["w1"]);
    expect(next.identity("w1")).toMatchObject({ api_key: "sk_test_mine" });
    expect(next.open("w1").load(unheard)).toEqual({ snapshot: dumpOf(upTo(3)), changes: [change(4)] });
    expect(next.snapshots("w1").read("one")?.dump).toEqual(dumpOf(upTo(4)));
  });

  it("compacts while changes are stored, without changing the state", async () => {
    const url = postgres!.url();
    const storage = await inDatabase(url);
    const store = openedIn(storage, "default");
    await replaced(store, dumpOf(upTo(1)));
    const long = "1".repeat(5 * 1024 * 1024);
    await appended(store, change(2, long));
    const model = { ...upTo(2), rates: upTo(1).rates.set("C2", long) };
    const compacting = store.compactIfLarge(() => dumpOf(model));
    await appended(store, change(3));
    expect(await compacting).toBeUndefined();
    expect(store.compactIfLarge(() => dumpOf(model))).toBeUndefined();
    await released(storage);
    const loaded = (await inDatabase(url)).open("default").load(unheard);
    expect(loaded).toEqual({ snapshot: dumpOf(model), changes: [change(3)] });
  });

  it("stores no change of a namespace that another process took over", async () => {
    const url = postgres!.url();
    const storage = await inDatabase(url);
    const before = openedIn(storage, "default");
    await replaced(before, dumpOf(upTo(1)));
    before.close();
    expect(await storage.locate("default")).toBe("here");
    const after = storage.open("default");
    opened.push(after);
    expect(after.load(eventsOf(after))).toEqual({ snapshot: dumpOf(upTo(1)), changes: [] });
    const stale = appended(before, change(2, "stale"));
    const stored = appended(after, change(2));
    await expect(stale).rejects.toThrow('another process runs the namespace "default" by now');
    await stored;
    expect(await postgres!.query(url, "select seq from namespaces")).toEqual([{ seq: "2" }]);
    expect(await postgres!.query(url, "select seq, is_state from entries order by 1")).toEqual([
      { seq: "1", is_state: true },
      { seq: "2", is_state: false },
    ]);
  });

  it("retries each namespace alone after a failed statement", async () => {
    const storage = await inDatabase(postgres!.url());
    const reopened: string[] = [];
    storage.events = { open: () => {}, discard: () => {}, reopen: (name) => reopened.push(name) };
    const bad = openedIn(storage, "default");
    const good = await made(storage, "w1");
    for (const store of [bad, good]) await replaced(store, dumpOf(upTo(1)));
    // No bigint column can hold this number.
    const failed = replaced(bad, { ...dumpOf(upTo(2)), seq: 1e19 });
    const stored = appended(good, change(2));
    await expect(failed).rejects.toThrow("out of range");
    expect(() => bad.replace(dumpOf(upTo(3)))).toThrow("is unchanged. The database refuses: ");
    await stored;
    await expect.poll(() => reopened).toEqual(["default"]);
    // The engine still has the state that was not stored.
    expect(() => bad.replace(dumpOf(upTo(3)))).toThrow("is unchanged. The database refuses: ");
    expect(bad.load(eventsOf(bad))).toEqual({ snapshot: dumpOf(upTo(1)), changes: [] });
    await appended(bad, change(2));
  });

  it.each(["fence = fence + 1", "owner = null", "seq = seq + 1"])(
    "stores nothing after %s",
    async (takeover) => {
      const url = postgres!.url();
      const store = openedIn(await inDatabase(url), "default");
      await appended(store, change(1));
      await postgres!.query(url, `update namespaces set ${takeover}`);
      await expect(appended(store, change(2))).rejects.toThrow("another process runs the namespace");
      expect(await postgres!.query(url, "select seq from entries")).toEqual([{ seq: "1" }]);
    },
  );

  it("a store refuses a change that does not follow the last one", async () => {
    const store = openedIn(await inDatabase(), "default");
    await appended(store, change(1));
    for (const wrong of [1, 3]) expect(() => store.append!(change(wrong), none)).toThrow("cannot follow");
    await appended(store, change(2));
  });

  it.each([
    ["delete from entries where seq = 2", "change 2 is missing"],
    ["delete from entries where seq = 3", "it ends with change 2, and the last commit was change 3"],
    ["update namespaces set seq = 2", "it ends with change 3, and the last commit was change 2"],
    ["delete from entries", "it ends with change 0, and the last commit was change 3"],
  ])("does not load a namespace after %s", async (damage, reason) => {
    const url = postgres!.url();
    const storage = await inDatabase(url);
    const store = openedIn(storage, "default");
    await replaced(store, dumpOf(upTo(1)));
    for (const seq of [2, 3]) await appended(store, change(seq));
    await released(storage);
    await postgres!.query(url, damage);
    const damaged = (await inDatabase(url)).open("default");
    expect(() => damaged.load(unheard)).toThrow(
      new RegExp(`\\(${reason}\\)\\. Restore the database from a backup, or use another schema\\.$`),
    );
  });

  it("storage in PostgreSQL refuses a schema of another version", async () => {
    const url = postgres!.url();
    const storage = await inDatabase(url);
    await expect(postgresAt(url, "0.9.0").start()).rejects.toThrow(
      /is in use by version 1\.0\.0 .* and this is version 0\.9\.0: stop the processes of that version first\.$/,
    );
    await released(storage);
    await postgres!.query(url, "update meta set format = 99");
    await expect(postgresAt(url, "0.9.0").start()).rejects.toThrow(
      /has format 99, and version 0\.9\.0 of payments-sandbox knows formats up to 1: start the newer version/,
    );
  });

  it.each(["schema=a;b", "schema=A", "lease=10", "lease=10ms"])(
    "storage in PostgreSQL refuses the URL with %s",
    (query) => {
      expect(() => postgresAt(`postgres://127.0.0.1:1/db?${query}`)).toThrow(
        "schema must be lower-case letters",
      );
    },
  );

  it("storage in PostgreSQL refuses a value that is not a URL, and does not repeat it", () => {
    for (const data of ["postgres://u:secret@[bad/db", "postgres://u:secret@host:port/db"])
      expect(() => postgresAt(data)).toThrow(/^--data: not the URL of a database; write [^ ]*\.$/);
  });

  it.each([
    ["shema", "schema"],
    ["Schema", "schema"],
    ["scheme", "schema"],
    ["leese", "lease"],
  ])("storage in PostgreSQL refuses the parameter %s, which means %s", (name, meant) => {
    expect(() => postgresAt(`postgres://127.0.0.1:1/db?${name}=10s`)).toThrow(
      `--data: there is no parameter ${name}; did you mean ${meant}?`,
    );
  });

  it("passes other parameters to the driver", () => {
    const others =
      "application_name client_encoding connect_timeout encoding fallback_application_name host keepalives lock_timeout options password port query_timeout ssl sslcert sslkey sslmode sslnegotiation sslrootcert statement_timeout uselibpqcompat user";
    const query = others.split(" ").map((name) => `${name}=1`);
    expect(() => postgresAt(`postgres://127.0.0.1:1/db?${query.join("&")}`)).not.toThrow();
  });
});
