import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { triggerEvent } from "../../src/core/engine/commands/event-commands.js";
import type { Namespace } from "../../src/core/namespace/namespace.js";
import { nodeIo } from "../../src/core/store/file-system.js";
import { SnapshotFolder } from "../../src/core/store/snapshot-folder.js";
import { createMemoryStorage } from "../../src/core/store/storage.js";
import { temporaryFolder } from "../support/folders.js";
import { dataFile, START, server } from "../support/kept.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";

const MB = 2 ** 20;

/** Adds events of 100 kB. */
function fill(world: Namespace, events: number): void {
  for (let number = 1; number <= events; number++)
    world.execute(
      triggerEvent({ type: "webhook.test", mode: "test", data: { number, text: "x".repeat(100_000) } }),
    );
}

const eventsOf = async (world: Namespace) =>
  world.engine.state.page("events", "events", 0, 1_000).map(({ event_id }) => event_id);

it("an export has the state of the call, although calls continue", async () => {
  const { world, sandbox, client } = await worldOn(new FakeWall(START), { clockText: "manual" });
  fill(world, 60);
  await client.pay();
  const response = await sandbox.fetch("/_sandbox/state");
  const asked = sandbox.snapshot();
  let turns = 0;
  const count = (): void => {
    turns++;
    turning = setImmediate(count);
  };
  let turning = setImmediate(count);

  const pieces: Uint8Array[] = [];
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    // Everything changes during the export.
    if (pieces.length === 2) expect((await client.ask("POST /_sandbox/reset")).status).toBe(200);
    if (pieces.length === 3) await client.pay();
  }
  clearImmediate(turning);
  expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(asked);
  expect(pieces.length).toBeGreaterThan(5);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2 * MB);
  expect(turns).toBeGreaterThanOrEqual(pieces.length - 2);
});

it("an aborted export leaves the next one complete", async () => {
  const { world, sandbox, client } = await worldOn(new FakeWall(START), { clockText: "manual" });
  fill(world, 60);
  const { url } = await sandbox.listen();
  const abort = new AbortController();
  const response = await fetch(`${url}/_sandbox/state`, { signal: abort.signal });
  await response.body!.getReader().read();
  abort.abort();
  expect((await fetch(`${url}/_sandbox/state`, { method: "HEAD" })).status).toBe(200);
  const whole = await (await fetch(`${url}/_sandbox/state`)).text();
  expect(JSON.parse(whole)).toEqual(sandbox.snapshot());
  expect((await client.ask("PUT /_sandbox/state", JSON.parse(whole))).status).toBe(200);
});

it("a snapshot has the state of the call, although calls continue", async () => {
  const { world, call, client } = await server({ data: dataFile() });
  fill(world, 30);
  const then = await eventsOf(world);
  const saved = world.snapshots.save("one");
  fill(world, 3);
  let isSaved = false;
  const done = saved.then(() => {
    isSaved = true;
  });
  await client.pay();
  expect(isSaved).toBe(false);
  await done;
  expect((await call("POST /_sandbox/snapshots/one/restore")).status).toBe(200);
  expect(await eventsOf(world)).toEqual(then);
});

it("a snapshot replaces one of the same name that is still being saved", async () => {
  const { world, call } = await server({ data: dataFile() });
  fill(world, 20);
  const first = world.snapshots.save("one");
  fill(world, 1);
  const then = await eventsOf(world);
  const second = world.snapshots.save("one");
  fill(world, 1);
  await Promise.all([first, second]);
  expect((await call("GET /_sandbox/snapshots")).json.total).toBe(1);
  expect((await call("POST /_sandbox/snapshots/one/restore")).status).toBe(200);
  expect(await eventsOf(world)).toEqual(then);
});

it("refuses a snapshot that is too large to read, and keeps the previous one", async () => {
  const folder = temporaryFolder();
  const options = { fsync: false, io: nodeIo, maxBytes: MB };
  const storage = () => ({
    ...createMemoryStorage(),
    snapshots: () => new SnapshotFolder(folder, options, () => {}),
  });
  const { world, client } = await worldOn(new FakeWall(START), { storage, clockText: "manual" });
  const save = () => client.ask("POST /_sandbox/snapshots", { name: "one" });
  expect((await save()).status).toBe(200);
  fill(world, 30);
  const { status, json } = await save();
  expect([status, json.error.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  expect(json.error.message).toMatch(
    /^The state is too large for a snapshot\. .*one\.json: more than 1048576 bytes, which could not be read back\.$/,
  );
  expect(readdirSync(folder)).toEqual(["one.json"]);
  expect((await client.ask("POST /_sandbox/snapshots/one/restore")).status).toBe(200);
  expect(await eventsOf(world)).toEqual([]);
});
