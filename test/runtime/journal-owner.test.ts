import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { FileStore } from "../../src/core/store/file-store.js";
import { nodeIo } from "../../src/core/store/file-system.js";
import { createSandbox, type Sandbox } from "../../src/library/index.js";
import { Api } from "../support/api-client.js";
import { newEngine } from "../support/engine.js";
import { temporaryFolder } from "../support/folders.js";

const ENDED = spawnSync(process.execPath, ["-e", ""]).pid;

interface Killed {
  readonly data: string;
  readonly open: () => Promise<Sandbox>;
}

/** Copies the files of a sandbox as they are, which a kill would leave; returns its data file. */
function killedCopyOf(folder: string): string {
  const left = temporaryFolder();
  cpSync(folder, left, { recursive: true });
  for (const name of readdirSync(left).filter((one) => one.endsWith(".lock"))) {
    const owner = JSON.parse(readFileSync(join(left, name), "utf8"));
    writeFileSync(join(left, name), `${JSON.stringify({ ...owner, pid: ENDED, started: null })}\n`);
  }
  return join(left, "d.json");
}

/** The files of a sandbox that was killed after a charge in each of its namespaces, `default` and `w1`. */
async function killedSandbox(seed = "one"): Promise<Killed> {
  const folder = temporaryFolder();
  const sandbox = await createSandbox({ data: join(folder, "d.json"), seed, clock: "manual" });
  const api = new Api(sandbox);
  await api.post("/_sandbox/namespaces", { name: "w1" });
  await api.pay();
  await api.as("sk_test_ns_w1").pay();
  const data = killedCopyOf(folder);
  await sandbox.close();
  return { data, open: () => createSandbox({ data, clock: "manual" }) };
}

/** Copies of the files before each of a start's writes, as a kill would leave them. */
function imagesOfStart(folder: string): string[] {
  const images: string[] = [];
  const copying =
    <Args extends unknown[], Result>(call: (...args: Args) => Result) =>
    (...args: Args): Result => {
      images.push(killedCopyOf(folder));
      return call(...args);
    };
  const io = {
    writeSync: copying(nodeIo.writeSync),
    ftruncateSync: copying(nodeIo.ftruncateSync),
    renameSync: copying(nodeIo.renameSync),
  };
  const engine = newEngine({ store: new FileStore({ file: join(folder, "d.json"), io }) });
  images.push(killedCopyOf(folder));
  engine.discard();
  return images;
}

async function chargesOf(sandbox: Sandbox): Promise<number> {
  const { total } = (await new Api(sandbox).get<{ total: number }>("/api/v1/payments/payins")).body;
  await sandbox.close();
  return total;
}

/** Returns what opening the default namespace's file says. */
function noticesOf(file: string): string[] {
  const notices: string[] = [];
  const store = new FileStore({ file, onNotice: (notice) => notices.push(notice) });
  store.load();
  store.close();
  return notices;
}

it("the files of a killed sandbox open without a notice", async () => {
  const { data, open } = await killedSandbox();
  expect(noticesOf(data)).toEqual([]);
  expect(await chargesOf(await open())).toBe(1);
});

it("refuses the journal of another namespace in the place of its own", async () => {
  const { data, open } = await killedSandbox();
  copyFileSync(`${data}.ns-w1.journal`, `${data}.journal`);
  await expect(open()).rejects.toThrow(
    /d\.json\.journal belongs to another state: to the namespace "w1" with the seed "one", and .*d\.json to "default" with "one"\. Restore both files/,
  );
});

it("refuses the journal of another sandbox", async () => {
  const { data, open } = await killedSandbox();
  const other = await killedSandbox("two");
  copyFileSync(`${other.data}.journal`, `${data}.journal`);
  await expect(open()).rejects.toThrow(
    'belongs to another state: to the namespace "default" with the seed "two"',
  );
});

it.each([
  ["missing", (file: string) => rmSync(file)],
  ["empty", (file: string) => truncateSync(file)],
])("says that the journal of a killed sandbox is %s", async (what, damage) => {
  const { data } = await killedSandbox();
  damage(`${data}.journal`);
  expect(noticesOf(data)).toEqual([
    `${data}.journal is ${what}, though the process that used it did not close it: changes after the snapshot ${data} may be lost; restore both files from one backup if there is one`,
  ]);
});

it("says nothing of the journal of a closed sandbox that is missing or empty", async () => {
  const { data, open } = await killedSandbox();
  await (await open()).close();
  truncateSync(`${data}.journal`);
  expect(noticesOf(data)).toEqual([]);
  rmSync(`${data}.journal`);
  expect(noticesOf(data)).toEqual([]);
});

it("refuses a journal that does not say whose it is", async () => {
  const { data, open } = await killedSandbox();
  const [, ...changes] = readFileSync(`${data}.journal`, "utf8").split("\n");
  writeFileSync(`${data}.journal`, changes.join("\n"));
  await expect(open()).rejects.toThrow(
    /d\.json\.journal does not say whose changes it has\. Restore it and /,
  );
});

it("a start that is killed at any moment leaves files that open without a notice", async () => {
  const { data, open } = await killedSandbox();
  await (await open()).close();
  const closed = temporaryFolder();
  cpSync(dirname(data), closed, { recursive: true });
  for (const folder of [closed, temporaryFolder()]) {
    const images = imagesOfStart(folder);
    expect(images.length).toBeGreaterThan(0);
    for (const image of images) expect(noticesOf(image)).toEqual([]);
  }
});

it("opens after a kill that follows the import of a state with another seed", async () => {
  const other = await createSandbox({ seed: "two", clock: "manual" });
  const state = await new Api(other).get("/_sandbox/state");
  await other.close();
  const { data, open } = await killedSandbox();
  const sandbox = await open();
  const api = new Api(sandbox);
  expect(
    (await api.send("PUT", "/_sandbox/state", state.text, { "content-type": "application/json" })).status,
  ).toBe(200);
  await api.pay();
  const left = killedCopyOf(dirname(data));
  await sandbox.close();
  expect(noticesOf(left)).toEqual([]);
  expect(await chargesOf(await createSandbox({ data: left, clock: "manual" }))).toBe(1);
});

it.each([
  ["missing", (file: string) => rmSync(file)],
  ["emptied", (file: string) => truncateSync(file)],
])("refuses a journal whose snapshot is %s", async (_what, damage) => {
  const { data, open } = await killedSandbox();
  damage(data);
  await expect(open()).rejects.toThrow(
    `${data} is missing or empty, but ${data}.journal has the changes of its namespace "default". Restore ${data} from a backup, or move ${data}.journal away to start empty.`,
  );
});

it("a closed sandbox leaves a journal beside which the snapshot may be removed", async () => {
  const { data, open } = await killedSandbox();
  await (await open()).close();
  await (await open()).close();
  expect(readFileSync(`${data}.journal`, "utf8")).toMatch(
    /^\S+ \d+ \{"journal_of":"default","seed":"one"\}\n$/,
  );
  rmSync(data);
  expect(await chargesOf(await open())).toBe(0);
});
