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
import { join } from "node:path";
import { expect, it } from "vitest";
import { FileStore } from "../../src/core/store/file-store.js";
import { createSandbox, type Sandbox } from "../../src/library/index.js";
import { Api } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";

const ENDED = spawnSync(process.execPath, ["-e", ""]).pid;

interface Killed {
  readonly data: string;
  readonly open: () => Promise<Sandbox>;
}

/** The files of a sandbox that was killed after a charge in each of its namespaces, `default` and `w1`. */
async function killedSandbox(seed = "one"): Promise<Killed> {
  const folder = temporaryFolder();
  const sandbox = await createSandbox({ data: join(folder, "d.json"), seed, clock: "manual" });
  const api = new Api(sandbox);
  await api.post("/_sandbox/namespaces", { name: "w1" });
  await api.pay();
  await api.as("sk_test_ns_w1").pay();
  const left = temporaryFolder();
  cpSync(folder, left, { recursive: true });
  await sandbox.close();
  for (const name of readdirSync(left).filter((one) => one.endsWith(".lock"))) {
    const owner = JSON.parse(readFileSync(join(left, name), "utf8"));
    writeFileSync(join(left, name), `${JSON.stringify({ ...owner, pid: ENDED, started: null })}\n`);
  }
  const data = join(left, "d.json");
  return { data, open: () => createSandbox({ data, clock: "manual" }) };
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

it("says that the journal of a killed sandbox is missing", async () => {
  const { data } = await killedSandbox();
  rmSync(`${data}.journal`);
  expect(noticesOf(data)).toEqual([
    `${data}.journal is missing, though the process that used it did not close it: changes after the snapshot ${data} may be lost`,
  ]);
});

it("says nothing of an empty journal, which a closed sandbox and a start killed early leave too", async () => {
  const { data } = await killedSandbox();
  truncateSync(`${data}.journal`);
  expect(noticesOf(data)).toEqual([]);
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
  expect(readFileSync(`${data}.journal`, "utf8")).toBe("");
  rmSync(data);
  expect(await chargesOf(await open())).toBe(0);
});
