import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { nodeIo } from "../../src/core/store/file-system.js";
import { temporaryFolder } from "../support/folders.js";
import { dataFile, diskThatMayFill, filesBeside, server } from "../support/kept.js";
import { closeAll } from "../support/lifetime.js";

/** Creates data with a snapshot and returns the snapshot's file. */
async function withSnapshot(data: string): Promise<string> {
  const { call, client } = await server({ data });
  await client.pay();
  expect((await call("POST /_sandbox/snapshots", { name: "one" })).status).toBe(200);
  await closeAll();
  return join(`${data}.snapshots`, "one.json");
}

const flip = (content: Buffer, bit: number): Buffer => {
  const flipped = Buffer.from(content);
  flipped[bit >> 3]! ^= 1 << (bit & 7);
  return flipped;
};

it("a snapshot with one flipped bit is not restored", async () => {
  const data = dataFile();
  const file = await withSnapshot(data);
  const whole = readFileSync(file);
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.nat(whole.length * 8 - 1), fc.nat(100 * 8), fc.constantFrom(0, 11 * 8)),
      async (bit) => {
        writeFileSync(file, flip(whole, bit));
        const { call, errors } = await server({ data });
        expect((await call("GET /_sandbox/snapshots")).json.total).toBe(0);
        expect(errors).toHaveLength(1);
        expect((errors[0] as Error).message).toMatch(/^The snapshot "one" was skipped\. .*one\.json.*$/);
        const { status, json } = await call("POST /_sandbox/snapshots/one/restore");
        expect([status, json.error.code]).toEqual([404, "NOT_FOUND"]);
        expect(json.error.message).toContain("one.json");
        await closeAll();
      },
    ),
    { numRuns: 60 },
  );
});

it("a snapshot damaged while the server runs is not restored", async () => {
  const data = dataFile();
  const file = await withSnapshot(data);
  const whole = readFileSync(file);
  const { call } = await server({ data });
  const before = (await call("GET /_sandbox/state")).json.collections;
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length * 8 - 1), async (bit) => {
      writeFileSync(file, flip(whole, bit));
      expect((await call("POST /_sandbox/snapshots/one/restore")).status).toBe(404);
      const { clock: _, ...now } = (await call("GET /_sandbox/state")).json.collections;
      const { clock: __, ...then } = before;
      expect(now).toEqual(then);
    }),
  );
  writeFileSync(file, whole);
  expect((await call("POST /_sandbox/snapshots/one/restore")).status).toBe(200);
});

it.each([
  ["torn", (file: string) => writeFileSync(file, readFileSync(file, "utf8").slice(0, -40))],
  ["empty", (file: string) => writeFileSync(file, "")],
  ["null", (file: string) => writeFileSync(file, "null")],
  ["another program's", (file: string) => writeFileSync(file, '{"name":"one"}')],
  [
    "without its state",
    (file: string) => writeFileSync(file, '{"name":"one","at":"2026-01-31T09:00:00.000Z"}'),
  ],
  ["a folder", folderInstead],
  ["a dangling link", linkInstead],
])("a damaged snapshot does not prevent the start: %s", async (_, damage) => {
  const data = dataFile();
  const file = await withSnapshot(data);
  const two = readFileSync(file, "utf8");
  writeFileSync(join(dirname(file), "two.json"), two);
  damage(file);
  const { call, errors, client } = await server({ data });
  expect((await call("GET /_sandbox/snapshots")).json.items).toMatchObject([{ name: "two" }]);
  expect(errors).toHaveLength(1);
  expect((errors[0] as Error).message).toMatch(/^The snapshot "one" was skipped\. .*one\.json.*$/);
  expect((await call("POST /_sandbox/snapshots/one/restore")).status).toBe(404);
  expect((await call("POST /_sandbox/snapshots/two/restore")).status).toBe(200);
  expect(await client.pay()).toMatch(/^ch_/);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) return;
  // Its name can be reused.
  expect((await call("POST /_sandbox/snapshots", { name: "one" })).status).toBe(200);
  expect((await call("POST /_sandbox/snapshots/one/restore")).status).toBe(200);
});

it("a damaged snapshot can be deleted", async () => {
  const data = dataFile();
  const file = await withSnapshot(data);
  writeFileSync(file, "null");
  const { call } = await server({ data });
  expect((await call("DELETE /_sandbox/snapshots/one")).status).toBe(200);
  expect(readdirSync(dirname(file))).toEqual([]);
  expect((await call("DELETE /_sandbox/snapshots/one")).status).toBe(404);
});

it("starts even if the snapshot folder is a file", async () => {
  const data = dataFile();
  const file = await withSnapshot(data);
  rmSync(dirname(file), { recursive: true });
  writeFileSync(dirname(file), "");
  const { client, errors } = await server({ data });
  expect(String(errors)).toContain("No snapshots can be read: ");
  expect(await client.pay()).toMatch(/^ch_/);
});

function folderInstead(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

function linkInstead(file: string): void {
  rmSync(file);
  symlinkSync("nowhere", file);
}

it("a half-written snapshot of a killed process is removed", async () => {
  const data = dataFile();
  const file = await withSnapshot(data);
  const text = readFileSync(file, "utf8");
  writeFileSync(`${file}.new`, text.slice(0, 100));
  writeFileSync(join(dirname(file), "notes.json.new.txt"), "mine");
  const { call, errors } = await server({ data });
  expect((await call("GET /_sandbox/snapshots")).json.total).toBe(1);
  expect((await call("POST /_sandbox/snapshots/one/restore")).status).toBe(200);
  expect(readdirSync(dirname(file)).sort()).toEqual(["notes.json.new.txt", "one.json"]);
  expect(errors).toEqual([]);
});

it("snapshots are listed newest first, also after a restart", async () => {
  const data = dataFile();
  const { call } = await server({ data });
  for (const name of ["b", "c", "a"]) {
    await call("POST /_sandbox/snapshots", { name });
    const seconds = { b: 1_000, c: 2_000, a: 3_000 }[name]!;
    utimesSync(join(`${data}.snapshots`, `${name}.json`), seconds, seconds);
  }
  await closeAll();
  const again = await server({ data });
  const { items } = (await again.call("GET /_sandbox/snapshots")).json;
  expect(items.map(({ name }: { name: string }) => name)).toEqual(["a", "c", "b"]);
});

it("deleting a namespace removes a snapshot that is being saved", async () => {
  const data = dataFile();
  const { call } = await server({ data });
  const before = filesBeside(data);
  await call("PUT /_sandbox/namespaces/w1", {});
  const saved = ["a", "b", "c"].map((name) => call("POST /_sandbox/snapshots", { name }, "w1"));
  const deleted = call("DELETE /_sandbox/namespaces/w1");
  expect((await deleted).status).toBe(200);
  for (const { status } of await Promise.all(saved)) expect([200, 404, 500]).toContain(status);
  expect(filesBeside(data)).toEqual(before);
  await call("PUT /_sandbox/namespaces/w1", {});
  expect((await call("GET /_sandbox/snapshots", undefined, "w1")).json.total).toBe(0);
});

it("a snapshot that the disk refuses keeps the previous one", async () => {
  const data = dataFile();
  const file = await withSnapshot(data);
  const before = readFileSync(file);
  const { disk, io } = diskThatMayFill();
  const { call, errors } = await server({ data, io });
  // The journal stores at most the clock.
  for (const taken of [0, 1, 2, 3]) {
    disk.refusesFrom = disk.calls + taken;
    const { status } = await call("POST /_sandbox/snapshots", { name: "one" });
    disk.refusesFrom = Number.POSITIVE_INFINITY;
    if (status === 200) break;
    expect(status).toBe(500);
    expect(readdirSync(dirname(file))).toEqual(["one.json"]);
    expect(readFileSync(file)).toEqual(before);
  }
  expect(errors.length).toBeGreaterThan(1);
  expect((await call("POST /_sandbox/snapshots/one/restore")).status).toBe(200);
});

it.each([
  // Syncs the file, its folder, and the parent of a new folder.
  ["POST /_sandbox/snapshots", { name: "two" }, 3],
  ["DELETE /_sandbox/snapshots/one", undefined, 1],
  // Syncs the namespace's file, state and journal, with their folders.
  ["PUT /_sandbox/namespaces/w1", {}, 7],
  ["DELETE /_sandbox/namespaces/w0", undefined, 1],
])("%s with --fsync syncs before the response", async (line, body, syncs) => {
  const data = dataFile();
  const { disk, io } = diskThatMayFill();
  const { call } = await server({ data, io, fsync: true });
  await call("PUT /_sandbox/namespaces/w0", {});
  if (line.includes("/one")) await call("POST /_sandbox/snapshots", { name: "one" });
  const before = disk.syncs;
  expect((await call(line, body)).status).toBe(200);
  expect(disk.syncs - before).toBeGreaterThanOrEqual(syncs);
});

it("a file is synced before it replaces another", async () => {
  const data = dataFile();
  const steps: string[] = [];
  const io = {
    fsyncSync: (fd: number) => {
      steps.push("sync");
      nodeIo.fsyncSync(fd);
    },
    renameSync: (from: string, to: string) => {
      steps.push(to.slice(data.length));
      nodeIo.renameSync(from, to);
    },
  };
  const { call } = await server({ data, io, fsync: true });
  await call("POST /_sandbox/snapshots", { name: "one" });
  expect(steps.slice(-3)).toEqual(["sync", ".snapshots/one.json", "sync"]);
  await call("PUT /_sandbox/namespaces/w1", {});
  expect(steps.slice(-2)).toEqual([".ns-w1.identity", "sync"]);
});

it("files beside the data file are readable only by their owner", async () => {
  const data = dataFile();
  const { call } = await server({ data });
  await call("PUT /_sandbox/namespaces/w1", { api_key: "sk_test_mine" });
  await call("POST /_sandbox/snapshots", { name: "one" }, "w1");
  const all = readdirSync(dirname(data), { recursive: true, withFileTypes: true });
  expect(all.map((entry) => entry.name)).toContain("d.json.ns-w1.identity");
  for (const entry of all)
    expect([entry.name, statSync(join(entry.parentPath, entry.name)).mode & 0o077]).toEqual([entry.name, 0]);
});

it("does not write through a link that another user created", async () => {
  const data = dataFile();
  const victim = join(temporaryFolder(), "victim");
  writeFileSync(victim, "mine");
  mkdirSync(`${data}.snapshots`);
  for (const file of [
    `${data}.identity.tmp`,
    `${data}.ns-w1.identity`,
    `${data}.ns-w1.identity.new`,
    join(`${data}.snapshots`, "one.json"),
    join(`${data}.snapshots`, "one.json.new"),
  ])
    symlinkSync(victim, file);
  const { call } = await server({ data });
  expect((await call("PUT /_sandbox/namespaces/w1", { api_key: "sk_test_mine" })).status).toBe(200);
  expect((await call("POST /_sandbox/snapshots", { name: "one" })).status).toBe(200);
  expect(readFileSync(victim, "utf8")).toBe("mine");
});

it("a linked data file has its namespaces beside the target", async () => {
  const real = dataFile();
  const link = join(temporaryFolder(), "link.json");
  symlinkSync(real, link);
  const first = await server({ data: link });
  await first.call("PUT /_sandbox/namespaces/w1", {});
  await first.call("POST /_sandbox/snapshots", { name: "one" });
  const charge = await first.client.pay({ key: "sk_test_ns_w1" });
  await closeAll();
  expect(filesBeside(link)).toEqual(["link.json"]);
  expect(readFileSync(link, "utf8")).toBe(readFileSync(real, "utf8"));

  const folder = join(temporaryFolder(), "folder");
  symlinkSync(dirname(real), folder);
  for (const data of [real, link, join(folder, "d.json")]) {
    const { call, names } = await server({ data });
    expect(await names()).toEqual(["default", "w1"]);
    expect((await call("GET /_sandbox/snapshots")).json.total).toBe(1);
    expect((await call(`GET /api/v1/payments/charges/${charge}`, undefined, "w1")).status).toBe(200);
    await closeAll();
  }
});

it("a data file is locked under all its names", async () => {
  const real = dataFile();
  const folder = join(temporaryFolder(), "folder");
  symlinkSync(dirname(real), folder);
  await server({ data: join(folder, "d.json") });
  await expect(server({ data: real })).rejects.toThrow("in use");
});

it("refuses a data file that links to itself", async () => {
  const link = dataFile();
  symlinkSync("d.json", link);
  await expect(server({ data: link })).rejects.toThrow(
    /^Cannot open .*: it is a link that leads to itself\. /,
  );
});
