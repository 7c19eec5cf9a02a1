import fs, { cpSync, readdirSync, unlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { nodeIo, type StoreIo } from "../../src/core/store/file-system.js";
import { temporaryFolder } from "../support/folders.js";
import { dataFile, filesBeside, server } from "../support/kept.js";
import { closeAll } from "../support/lifetime.js";

type Server = Awaited<ReturnType<typeof server>>;

/** Functions of node:fs that write to the disk. */
const GIVEN = ["writeSync", "ftruncateSync", "renameSync"] as const;
const OTHERS = ["openSync", "writeFileSync", "rmSync", "mkdirSync"] as const;

/** Called before each disk operation. */
let beforeEachStep: () => void = () => {};
const io: StoreIo = { ...nodeIo };
for (const name of GIVEN)
  Object.assign(io, {
    [name]: (...args: unknown[]) => {
      beforeEachStep();
      return (nodeIo[name] as (...args: unknown[]) => unknown)(...args);
    },
  });

/** Copies the folder before each disk operation. */
async function imagesOf(data: string, work: () => Promise<unknown>): Promise<string[]> {
  const images: string[] = [];
  const take = (): void => {
    const folder = temporaryFolder();
    cpSync(dirname(data), folder, { recursive: true });
    // Other tests cover the lock of a dead process.
    for (const file of readdirSync(folder)) if (file.endsWith(".lock")) unlinkSync(join(folder, file));
    images.push(join(folder, basename(data)));
  };
  take();
  const putBack = OTHERS.map((name) => {
    const call = fs[name] as (...args: unknown[]) => unknown;
    const watched = (...args: unknown[]): unknown => {
      if (String(args[0]).startsWith(dirname(data))) beforeEachStep();
      return call(...args);
    };
    Object.assign(fs, { [name]: watched });
    return () => Object.assign(fs, { [name]: call });
  });
  syncBuiltinESMExports();
  beforeEachStep = () => {
    const next = beforeEachStep;
    beforeEachStep = () => {};
    take();
    beforeEachStep = next;
  };
  try {
    await work();
  } finally {
    beforeEachStep = () => {};
    for (const undo of putBack) undo();
    syncBuiltinESMExports();
  }
  take();
  return images;
}

/** Returns everything visible to a client. */
async function viewOf({ call, names }: Server) {
  const all: Record<string, unknown> = {};
  const stateOf = async (namespace: string) => {
    const {
      namespace: record,
      clock,
      ...collections
    } = (await call("GET /_sandbox/state", undefined, namespace)).json.collections;
    return {
      ...collections,
      generation: record[0][1].generation,
      now: clock[0][1].sandbox_ms,
      mode: clock[0][1].mode,
    };
  };
  for (const name of await names()) {
    const { api_key } = (await call(`GET /_sandbox/namespaces/${name}`)).json;
    const state = await stateOf(name);
    const snapshots: Record<string, unknown> = {};
    for (const { name: snapshot } of (await call("GET /_sandbox/snapshots", undefined, name)).json.items) {
      expect((await call(`POST /_sandbox/snapshots/${snapshot}/restore`, undefined, name)).status).toBe(200);
      snapshots[snapshot] = await stateOf(name);
    }
    all[name] = { api_key, state, snapshots };
  }
  return JSON.stringify(all);
}

/** Returns the state loaded from a copy, and the remaining files. */
async function find(data: string) {
  const found = await server({ data, clock: null });
  const files = filesBeside(data).filter((file) => !file.endsWith(".lock"));
  const view = await viewOf(found);
  expect(found.errors).toEqual([]);
  await closeAll();
  return { view, files };
}

it.each<[string, unknown?, string?]>([
  ["PUT /_sandbox/namespaces/w2", { api_key: "sk_test_second" }],
  ["DELETE /_sandbox/namespaces/w1"],
  ["POST /_sandbox/snapshots", { name: "new" }, "w1"],
  ["POST /_sandbox/snapshots", { name: "one" }, "w1"],
  ["DELETE /_sandbox/snapshots/one", undefined, "w1"],
  ["POST /_sandbox/snapshots/one/restore", undefined, "w1"],
  ["POST /_sandbox/reset", {}, "w1"],
  ["POST /_sandbox/reset", { ids: "repeat", keep: [] }],
  ["PUT /_sandbox/clock", { mode: "60x" }, "w1"],
  ["PUT /_sandbox/clock", { now: "2026-01-31T09:00:00.500Z" }],
  ["PUT /_sandbox/scenarios/mine", { name: "mine", charges: [] }],
])("a crash during %s %j leaves it done or not done", async (line, body, namespace) => {
  const data = dataFile();
  const { call, client } = await server({ data, io, fsync: true });
  await call("PUT /_sandbox/namespaces/w1", { api_key: "sk_test_mine", webhooks: [{ mailbox: "box" }] });
  for (const key of ["sk_test_mine", "sk_test_sandbox"]) await client.pay({ key });
  await call("POST /_sandbox/snapshots", { name: "one" }, "w1");
  await client.pay({ key: "sk_test_mine" });
  const images = await imagesOf(data, async () => {
    expect((await call(line, body, namespace)).status).toBe(200);
  });
  const [before, after] = [await find(images[0]!), await find(images.at(-1)!)];
  expect(images.length).toBeGreaterThan(1);
  expect(after).not.toEqual(before);
  let hasHappened = false;
  for (const image of images.slice(1, -1)) {
    const found = await find(image);
    hasHappened ||= found.view !== before.view;
    expect(found).toEqual(hasHappened ? after : before);
  }
});

it("a crash during a start keeps the previous data", async () => {
  const data = dataFile();
  const { call, client } = await server({ data });
  await call("PUT /_sandbox/namespaces/w1", {});
  await client.pay({ key: "sk_test_ns_w1" });
  await call("POST /_sandbox/snapshots", { name: "one" }, "w1");
  const [killed] = await imagesOf(data, async () => {});
  const images = await imagesOf(killed!, () => server({ data: killed!, io, clock: null }));
  const before = await find(images[0]!);
  expect(images.length).toBeGreaterThan(5);
  for (const image of images) expect(await find(image)).toEqual(before);
});
