import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freeze } from "../../src/core/engine/frozen-state.js";
import { State } from "../../src/core/engine/state.js";
import type { Store } from "../../src/core/engine/store.js";
import { FileStorage } from "../../src/core/store/file-storage.js";
import { memoryStorage } from "../../src/core/store/memory-storage.js";
import type { Storage } from "../../src/core/store/storage.js";
import { change, dumpOf, upTo } from "../support/store-model.js";

let folder: string;
let opened: Store[];
let failures: Error[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "storage-")));
  opened = [];
  failures = [];
});

afterEach(() => {
  for (const store of opened) store.close();
  rmSync(folder, { recursive: true, force: true });
  expect(failures).toEqual([]);
});

const inFiles = () =>
  new FileStorage({
    data: join(folder, "data.json"),
    defaultName: "default",
    onError: (failure) => failures.push(failure),
  });

const frozen = (seq: number) => freeze(State.from(dumpOf(upTo(seq))));

/** Opened and loaded, as an engine does it. */
function openedIn(storage: Storage, name: string): Store {
  const store = storage.open(name);
  opened.push(store);
  expect(store.load()).toBeUndefined();
  return store;
}

function made(storage: Storage, name: string): Store {
  storage.begin(name, { api_key: "sk_test_mine" });
  const store = openedIn(storage, name);
  storage.finish(name);
  return store;
}

/** What every storage does; what the files of one must survive besides is in the tests of their own. */
describe.each<[string, () => Storage]>([
  ["memory", memoryStorage],
  ["files", inFiles],
])("storage contract: %s", (_, open) => {
  it("has no namespaces at first", () => {
    const storage = open();
    openedIn(storage, "default");
    expect(storage.recover()).toEqual([]);
    expect(storage.identity("w1")).toEqual({});
  });

  it("opens a store that has nothing, takes changes and states, and closes twice", async () => {
    const store = openedIn(open(), "default");
    store.append?.([change(1)]);
    store.append?.([change(2)]);
    store.replace(dumpOf(upTo(7)));
    store.append?.([change(8)]);
    expect(await store.compactIfLarge(() => dumpOf(upTo(8)))).toBeUndefined();
    store.close(() => dumpOf(upTo(8)));
    store.close(() => {
      throw new Error("asked for a dump after it was closed");
    });
  });

  it("leaves what a store is given as it was", () => {
    const store = openedIn(open(), "default");
    const given = change(1);
    const before = structuredClone(given);
    store.append?.([given]);
    expect(given).toEqual(before);
    const state = dumpOf(upTo(1));
    store.replace(state);
    expect(state).toEqual(dumpOf(upTo(1)));
    store.close(() => state);
  });

  it("says why no state can be made of what a store had", () => {
    expect(openedIn(open(), "default").loadError(new Error("the ledger is short"))).toMatchObject({
      message: expect.stringContaining("the ledger is short"),
    });
  });

  it("makes a namespace, which is apart from the others", () => {
    const storage = open();
    const other = openedIn(storage, "default");
    other.append?.([change(1)]);
    const store = made(storage, "w1");
    store.append?.([change(1)]);
    store.append?.([change(2)]);
    other.append?.([change(2)]);
  });

  it("takes back one that was not finished, and makes it after all", () => {
    const storage = open();
    storage.begin("w1", {});
    const store = openedIn(storage, "w1");
    store.append?.([change(1)]);
    store.close();
    storage.undo("w1");
    made(storage, "w1");
  });

  it("removes a namespace, and then closes it; under its name there is a new one with nothing of the old", async () => {
    const storage = open();
    const store = made(storage, "w1");
    store.append?.([change(1)]);
    const snapshots = storage.snapshots("w1");
    await snapshots.save({ name: "one", at: "2026-03-01T09:00:00.000Z" }, frozen(1));
    let closed = 0;
    storage.remove("w1", () => {
      closed++;
      snapshots.close();
      store.close();
    });
    expect(closed).toBe(1);
    made(storage, "w1");
    expect(storage.snapshots("w1").list()).toEqual([]);
  });

  it("removes one that is not open", () => {
    const storage = open();
    made(storage, "w1").close(() => dumpOf(upTo(0)));
    storage.remove("w1");
    made(storage, "w1");
  });

  it("keeps snapshots of a namespace under names, newest first", async () => {
    const storage = open();
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
    expect(snapshots.delete("one")).toBe(true);
    expect(snapshots.delete("one")).toBe(false);
    expect(snapshots.read("one")).toBeUndefined();
    expect(snapshots.list()).toEqual([{ name: "two", at: at(2) }]);
  });

  it("saves a snapshot of the moment it was asked for", async () => {
    const storage = open();
    openedIn(storage, "default");
    const snapshots = storage.snapshots("default");
    const state = State.from(dumpOf(upTo(1)));
    const saved = snapshots.save({ name: "one", at: "2026-03-01T09:00:00.000Z" }, freeze(state));
    state.apply(change(2));
    await saved;
    expect(snapshots.read("one")?.dump).toEqual(dumpOf(upTo(1)));
  });

  it("reads a snapshot anew each time: what becomes of one reading is not in the next", async () => {
    const storage = open();
    openedIn(storage, "default");
    const snapshots = storage.snapshots("default");
    await snapshots.save({ name: "one", at: "2026-03-01T09:00:00.000Z" }, frozen(1));
    State.from(snapshots.read("one")!.dump as ReturnType<typeof dumpOf>).apply(change(2));
    expect(snapshots.read("one")?.dump).toEqual(dumpOf(upTo(1)));
  });
});

describe("storage in files", () => {
  it("tells the next run of its namespaces, what they were made with and what they hold", () => {
    const storage = inFiles();
    openedIn(storage, "default");
    const store = made(storage, "w1");
    store.append?.([change(1)]);
    storage.begin("w2", {});
    for (const one of opened.splice(0)) one.close();
    const next = inFiles();
    openedIn(next, "default");
    expect(next.recover()).toEqual(["w1"]);
    expect(next.identity("w1")).toMatchObject({ name: "w1", api_key: "sk_test_mine" });
    const again = next.open("w1");
    opened.push(again);
    expect(again.load()?.changes).toEqual([change(1)]);
  });
});
