import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { nodeIo } from "../../src/core/store/file-system.js";
import { exchange, head, Wire } from "../support/api-wire.js";
import {
  dataFile,
  diskThatMayFill,
  filesBeside,
  handlesBeside,
  lockOf,
  NO_PID,
  server,
} from "../support/kept.js";
import { closeAll } from "../support/lifetime.js";

/** Leaves the files of a namespace as after a kill. */
async function killedWithNamespace(data: string): Promise<void> {
  const { call, sandbox, client } = await server({ data });
  await call("PUT /_sandbox/namespaces/w1", { api_key: "sk_test_mine" });
  await client.pay({ key: "sk_test_mine" });
  await call("POST /_sandbox/snapshots", { name: "one" }, "w1");
  const journal = readFileSync(`${data}.ns-w1.journal`);
  await sandbox.close();
  writeFileSync(`${data}.ns-w1.journal`, journal);
  writeFileSync(`${data}.ns-w1.lock`, lockOf(NO_PID));
}

it("deleting a namespace is complete or without effect when interrupted", async () => {
  const data = dataFile();
  await killedWithNamespace(data);
  const others = filesBeside(data).filter((file) => !file.includes(".ns-w1"));
  const rest = [".journal", ".lock", ".snapshots", ".identity"];
  const whole = new Map(
    ["", ".journal", ".lock", ".identity", ".snapshots/one.json"].map((ending) => [
      ending,
      readFileSync(`${data}.ns-w1${ending}`),
    ]),
  );
  await fc.assert(
    fc.asyncProperty(fc.subarray(rest), async (gone) => {
      mkdirSync(`${data}.ns-w1.snapshots`, { recursive: true });
      for (const [ending, content] of whole) writeFileSync(`${data}.ns-w1${ending}`, content);
      renameSync(`${data}.ns-w1`, `${data}.ns-w1.deleted`);
      for (const ending of gone) rmSync(`${data}.ns-w1${ending}`, { recursive: true });
      const { names, call, errors } = await server({ data });
      expect(await names()).toEqual(["default"]);
      expect(filesBeside(data).filter((file) => !file.endsWith(".lock"))).toEqual(others);
      // The new namespace has no data of the old one.
      const made = (await call("PUT /_sandbox/namespaces/w1", {})).json;
      expect(made).toMatchObject({ api_key: "sk_test_ns_w1", charges: 0 });
      expect((await call("GET /_sandbox/snapshots", undefined, "w1")).json.total).toBe(0);
      expect((await call("DELETE /_sandbox/namespaces/w1")).status).toBe(200);
      expect(errors).toEqual([]);
      await closeAll();
    }),
    { examples: [[[]], [rest]], numRuns: 20 },
  );
});

it("deleting a namespace closes a connection that is sending a body", async () => {
  const { call, sandbox, errors } = await server({ data: dataFile() });
  const { port } = await sandbox.listen();
  await call("PUT /_sandbox/namespaces/w1", {});
  const body = '{"pricing":{"base_currency":"KES","amount":"500.00"}}';
  const lines = ["Content-Type: application/json", `Content-Length: ${body.length}`];
  const late = await Wire.open(port);
  late.write(
    head(
      "POST /api/v1/payments/checkouts HTTP/1.1",
      "Host: 127.0.0.1",
      "Authorization: Bearer sk_test_ns_w1",
      ...lines,
    ),
  );
  // Requests are read in order of arrival.
  await exchange(port, head("GET /health HTTP/1.1", "Host: 127.0.0.1"));
  expect((await call("DELETE /_sandbox/namespaces/w1")).status).toBe(200);
  late.write(body);
  expect(await late.next()).toBeUndefined();
  expect(errors).toEqual([]);
});

it("deleting a namespace needs no disk space", async () => {
  const data = dataFile();
  const { disk, io } = diskThatMayFill();
  const { call, names, client } = await server({ data, io: { ...io, renameSync: nodeIo.renameSync } });
  await call("PUT /_sandbox/namespaces/w1", {});
  await client.pay({ key: "sk_test_ns_w1" });
  disk.refusesFrom = disk.calls;
  expect((await call("DELETE /_sandbox/namespaces/w1")).status).toBe(200);
  expect(await names()).toEqual(["default"]);
  expect(filesBeside(data).filter((file) => file.includes("ns-w1"))).toEqual([]);
  disk.refusesFrom = Number.POSITIVE_INFINITY;
});

it("deleting a namespace has no effect when the disk refuses it", async () => {
  const data = dataFile();
  let refuses = false;
  const renameSync = (from: string, to: string) => {
    if (refuses && to.endsWith(".deleted")) throw new Error("EIO: i/o error, rename");
    nodeIo.renameSync(from, to);
  };
  const { call, names, client } = await server({ data, io: { renameSync } });
  await call("PUT /_sandbox/namespaces/w1", {});
  refuses = true;
  expect((await call("DELETE /_sandbox/namespaces/w1")).status).toBe(500);
  expect(await names()).toEqual(["default", "w1"]);
  expect(await client.pay({ key: "sk_test_ns_w1" })).toMatch(/^ch_/);
  refuses = false;
  expect((await call("DELETE /_sandbox/namespaces/w1")).status).toBe(200);
  expect(await names()).toEqual(["default"]);
});

it("an interrupted creation is undone at the next start", async () => {
  const data = dataFile();
  await killedWithNamespace(data);
  const whole = new Map(
    ["", ".journal", ".lock"].map((ending) => [ending, readFileSync(`${data}.ns-w1${ending}`)]),
  );
  const identity = readFileSync(`${data}.ns-w1.identity`);
  const one = readFileSync(`${data}.ns-w1.snapshots/one.json`);
  for (const ending of [...whole.keys(), ".identity", ".snapshots"])
    rmSync(`${data}.ns-w1${ending}`, { recursive: true });
  const others = filesBeside(data);
  await fc.assert(
    fc.asyncProperty(fc.subarray([...whole]), fc.nat(identity.length), async (there, torn) => {
      for (const [ending, content] of there) writeFileSync(`${data}.ns-w1${ending}`, content);
      writeFileSync(`${data}.ns-w1.tmp`, "{");
      writeFileSync(`${data}.ns-w1.identity.new`, identity.subarray(0, torn));
      const { names } = await server({ data });
      expect(await names()).toEqual(["default"]);
      await closeAll();
      expect(filesBeside(data)).toEqual(others);
    }),
    { numRuns: 20 },
  );
  // Other files stay, such as moved data and snapshots.
  mkdirSync(`${data}.ns-w1.snapshots`);
  writeFileSync(`${data}.ns-w1.snapshots/one.json`, one);
  writeFileSync(`${data}.ns-w1.identity.new`, "");
  await server({ data });
  expect(readFileSync(`${data}.ns-w1.snapshots/one.json`)).toEqual(one);
});

it("a creation that the disk refuses leaves no files and can be retried", async () => {
  const data = dataFile();
  const { disk, io } = diskThatMayFill();
  const { call, names, client, errors } = await server({ data, io, fsync: true });
  const before = filesBeside(data);
  const handlesBefore = handlesBeside(data);
  const first = disk.calls;
  await call("PUT /_sandbox/namespaces/w0", {});
  const needed = disk.calls - first;
  expect(needed).toBeGreaterThan(5);
  await call("DELETE /_sandbox/namespaces/w0");
  for (let taken = 0; taken < needed; taken++) {
    disk.refusesFrom = disk.calls + taken;
    const { status } = await call("PUT /_sandbox/namespaces/w1", { api_key: "sk_test_mine" });
    disk.refusesFrom = Number.POSITIVE_INFINITY;
    // Not every system can sync a folder, so an error there is ignored.
    if (status === 200) {
      expect((await call("DELETE /_sandbox/namespaces/w1")).status).toBe(200);
      continue;
    }
    expect([taken, status]).toEqual([taken, 500]);
    expect(String(errors.at(-1))).toContain("ENOSPC");
    expect(await names()).toEqual(["default"]);
    expect(filesBeside(data)).toEqual(before);
    expect(handlesBeside(data)).toEqual(handlesBefore);
  }
  expect(errors.length).toBeGreaterThan(3);
  expect((await call("PUT /_sandbox/namespaces/w1", { api_key: "sk_test_mine" })).status).toBe(200);
  expect(await client.pay({ key: "sk_test_mine" })).toMatch(/^ch_/);
  await closeAll();
  expect(await (await server({ data })).names()).toEqual(["default", "w1"]);
});

it("creating a namespace leaves another program's files alone", async () => {
  const data = dataFile();
  await killedWithNamespace(data);
  const { call, errors } = await server({ data });
  const state = readFileSync(`${data}.ns-w1`);
  writeFileSync(`${data}.ns-w2`, state);
  expect((await call("PUT /_sandbox/namespaces/w2", {})).status).toBe(500);
  expect(String(errors)).toContain("d.json.ns-w2 already exists.");
  expect(readFileSync(`${data}.ns-w2`)).toEqual(state);
  rmSync(`${data}.ns-w2`);
  expect((await call("PUT /_sandbox/namespaces/w2", {})).json).toMatchObject({ charges: 0 });
});

it("files that cannot be removed do not prevent the start", async () => {
  const data = dataFile();
  await killedWithNamespace(data);
  // A folder where the namespace has a file.
  writeFileSync(`${data}.ns-w2.identity.new`, "");
  mkdirSync(`${data}.ns-w2.journal`);
  // Folders with the names of sandbox files are ignored.
  for (const ending of ["w3.deleted", "w4.tmp", "w5.identity.new"])
    mkdirSync(`${data}.ns-${ending}/full`, { recursive: true });
  const { names, errors, call } = await server({ data });
  expect(await names()).toEqual(["default", "w1"]);
  expect(errors.map(String)).toEqual([
    expect.stringMatching(/^StoreError: Cannot remove .*d\.json\.ns-w2: .*$/),
  ]);
  for (const ending of ["w3.deleted", "w4.tmp", "w5.identity.new"])
    expect(existsSync(`${data}.ns-${ending}/full`)).toBe(true);
  expect((await call("PUT /_sandbox/namespaces/w2", {})).status).toBe(500);
  expect((await call("PUT /_sandbox/namespaces/w6", {})).status).toBe(200);
});

const NOT_JSON = '{"checksum":"';
it.each([
  ["", (file: string) => writeFileSync(file, readFileSync(file, "utf8").slice(0, -20))],
  ["", (file: string) => writeFileSync(file, "null")],
  ["", (file: string) => rmSync(file)],
  ["", folderInstead],
  [".journal", (file: string) => writeFileSync(file, '{"seq":900}\n{"seq":901}\n')],
  [".identity", (file: string) => writeFileSync(file, "")],
  [".identity", (file: string) => writeFileSync(file, "null")],
  [".identity", (file: string) => writeFileSync(file, NOT_JSON)],
  [".identity", (file: string) => writeFileSync(file, '{"api_key":7}')],
  [".identity", (file: string) => writeFileSync(file, readFileSync(file, "utf8").replace("mine", "mind"))],
  [".identity", folderInstead],
  [".lock", (file: string) => writeFileSync(file, lockOf(process.ppid))],
] as const)("a namespace that cannot be opened is skipped (%#: %s)", async (ending, damage) => {
  const data = dataFile();
  await killedWithNamespace(data);
  const first = await server({ data });
  await first.call("PUT /_sandbox/namespaces/w2", {});
  await closeAll();
  await killedLater(data);
  const file = `${data}.ns-w1${ending}`;
  const before = existsSync(file) ? readFileSync(file) : undefined;
  damage(file);

  const { call, names, errors } = await server({ data });
  expect(await names()).toEqual(["default", "w2"]);
  expect(errors.map((error) => (error as Error).name)).toEqual(["StoreError"]);
  const said = (errors[0] as Error).message;
  expect(said).toContain('The namespace "w1" was skipped. ');
  expect(said).toContain(`${basename(data)}.ns-w1`);
  expect(said).not.toContain("\n");
  const refusal = {
    status: 500,
    json: {
      error: {
        code: "INTERNAL_ERROR",
        message: expect.stringMatching(
          /^The namespace "w1" could not be opened: .*d\.json\.ns-w1.*PUT .*DELETE/,
        ),
      },
    },
  };
  expect(await call("GET /api/v1/accounts/balances", undefined, "w1")).toMatchObject(refusal);
  expect(await call("GET /_sandbox", undefined, "w1")).toMatchObject(refusal);
  expect(await call("GET /_sandbox/namespaces/w1")).toMatchObject(refusal);
  expect(await call("POST /_sandbox/namespaces", { name: "w1" })).toMatchObject(refusal);
  expect(await call("PUT /_sandbox/namespaces/w1", {})).toMatchObject(refusal);
  if (ending !== ".identity") {
    const taken = await call("POST /_sandbox/namespaces", { api_key: "sk_test_mine" });
    expect(taken.json.error.code).toBe("NAMESPACE_EXISTS");
  }
  if (before === undefined) return;

  // After its file is restored, it opens with all its data.
  if (existsSync(file)) rmSync(file, { recursive: true });
  if (ending === ".lock") writeFileSync(file, "");
  else writeFileSync(file, before);
  expect((await call("PUT /_sandbox/namespaces/w1", {})).json).toMatchObject({
    api_key: "sk_test_mine",
    charges: 1,
  });
  expect(await names()).toEqual(["default", "w1", "w2"]);
});

it("a namespace that cannot be opened can be deleted", async () => {
  const data = dataFile();
  await killedWithNamespace(data);
  writeFileSync(`${data}.ns-w1`, "null");
  const { call, names } = await server({ data });
  expect((await call("DELETE /_sandbox/namespaces/w1")).status).toBe(200);
  expect(filesBeside(data).filter((file) => file.includes("ns-w1"))).toEqual([]);
  expect((await call("PUT /_sandbox/namespaces/w1", {})).json).toMatchObject({ charges: 0 });
  expect(await names()).toEqual(["default", "w1"]);
});

it("a namespace that another process runs cannot be deleted", async () => {
  const data = dataFile();
  await killedWithNamespace(data);
  writeFileSync(`${data}.ns-w1.lock`, lockOf(process.ppid));
  const before = filesBeside(data);
  const { call } = await server({ data });
  expect((await call("DELETE /_sandbox/namespaces/w1")).status).toBe(500);
  await closeAll();
  expect(filesBeside(data)).toEqual(before);
});

function folderInstead(file: string): void {
  rmSync(file, { force: true });
  mkdirSync(file);
}

/** A clean stop empties the journal and releases the lock. */
async function killedLater(data: string): Promise<void> {
  const { client, sandbox } = await server({ data });
  const before = readFileSync(`${data}.ns-w1`);
  await client.ask(
    "POST /api/v1/webhooks",
    { url: "http://localhost:9/" },
    { authorization: "Bearer sk_test_mine" },
  );
  const journal = readFileSync(`${data}.ns-w1.journal`);
  await sandbox.close();
  writeFileSync(`${data}.ns-w1`, before);
  writeFileSync(`${data}.ns-w1.journal`, journal);
}
