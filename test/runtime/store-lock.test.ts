import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FileStore, type FileStoreOptions } from "../../src/core/store/file-store.js";
import type { LockOwner } from "../../src/core/store/lock.js";
import { StoreError } from "../../src/core/store/store-error.js";
import { temporaryFolder } from "../support/folders.js";
import { change, dumpOf, modelOf, none, upTo } from "../support/store-model.js";

/** Only Linux reports when a process started. */
const isLinux = existsSync("/proc/self/stat");

let folder: string;
let file: string;
let notices: string[];
let opened: FileStore[];
let helpers: (() => unknown)[];

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "data.json");
  notices = [];
  opened = [];
  helpers = [];
});

afterEach(async () => {
  for (const store of opened) store.close();
  for (const end of helpers) await end();
});

function storeAt(options: Partial<FileStoreOptions> = {}): FileStore {
  const store = new FileStore({ file, onNotice: (notice) => notices.push(notice), ...options });
  opened.push(store);
  return store;
}

function lockText(): string {
  return readFileSync(`${file}.lock`, "utf8");
}

/** Creates the lock of a similar process, with the given differences. */
function plantLock(other: Partial<LockOwner>): string {
  const sample = new FileStore({ file: join(folder, "sample.json") });
  sample.load();
  const ours = JSON.parse(readFileSync(join(folder, "sample.json.lock"), "utf8")) as LockOwner;
  sample.close();
  rmSync(join(folder, "sample.json.journal"));
  const text = `${JSON.stringify({ ...ours, ...other })}\n`;
  writeFileSync(`${file}.lock`, text);
  return text;
}

/** Starts a process that does nothing until it is killed. */
function idleProcess(): ChildProcess {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  helpers.push(() => killed(child));
  return child;
}

function killed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}

it("a second store is refused until the first is closed", () => {
  const first = storeAt();
  first.load();
  first.append(change(1), none);
  first.replace(dumpOf(upTo(1)));
  const alias = join(folder, "alias.json");
  symlinkSync(file, alias);
  expect(() => storeAt().load()).toThrow(`data.json is in use by process ${process.pid}.`);
  expect(() => storeAt({ file: alias }).load()).toThrow(StoreError);
  first.close(() => dumpOf(upTo(1)));
  expect(existsSync(`${file}.lock`)).toBe(false);
  expect(modelOf(storeAt({ file: alias }).load())).toEqual(upTo(1));
});

it("the lock of a living process is respected until the process ends", async () => {
  const other = idleProcess();
  const text = plantLock({ pid: other.pid!, started: isLinux ? startOf(other.pid!) : null });
  expect(() => storeAt().load()).toThrow(`in use by process ${other.pid}`);
  expect(lockText()).toBe(text);
  await killed(other);
  expect(storeAt().load()).toBeUndefined();
  expect(notices).toEqual([]);
});

/** Dates the lock so many seconds before now; a negative number is a time in the future. */
const dateLock = (secondsAgo: number) => {
  const seconds = Date.now() / 1000 - secondsAgo;
  utimesSync(`${file}.lock`, seconds, seconds);
};
const plantOld = (text: string) => {
  writeFileSync(`${file}.lock`, text);
  dateLock(1);
};
const plantFuture = (text: string) => {
  writeFileSync(`${file}.lock`, text);
  dateLock(-86_400);
};
const plantForeign = (secondsAgo: number) => {
  plantLock({ pid: 1, host: "c0ffee" });
  dateLock(secondsAgo);
};
const gone = () => spawnSync(process.execPath, ["-e", ""]).pid;
it.each<[string, () => unknown]>([
  ["a process killed before it wrote its pid", () => plantOld("")],
  ["a process killed while it wrote its pid", () => plantOld('{"pid":1,"ho')],
  ["a process killed a moment ago, before it wrote its pid", () => writeFileSync(`${file}.lock`, "")],
  ["a process killed before the clock was put back", () => plantFuture("")],
  [
    "a process killed a moment ago, while it took over a stale lock",
    () => {
      plantLock({ pid: gone() });
      writeFileSync(`${file}.lock.stale`, "");
    },
  ],
  ["another machine or container, silent for 11 seconds", () => plantForeign(11)],
  ["process 0", () => plantOld("0\n")],
  ["a process that has ended", () => plantLock({ pid: gone() })],
])("takes over the lock of %s", (_name, plant) => {
  plant();
  const store = storeAt();
  expect(store.load()).toBeUndefined();
  expect(JSON.parse(lockText())).toMatchObject({ pid: process.pid });
  store.close(() => dumpOf(upTo(0)));
  expect(readdirSync(folder)).toEqual(["data.json.journal"]);
  expect(notices).toEqual([]);
});

it.runIf(isLinux).each<[string, () => number]>([
  ["ours", () => process.pid],
  ["that of another process by now", () => idleProcess().pid!],
])("takes over an old lock whose pid is %s", (_name, pid) => {
  plantLock({ pid: pid(), started: "1" });
  expect(storeAt().load()).toBeUndefined();
  expect(notices).toEqual([]);
});

it("respects a lock of another thread", () => {
  plantLock({});
  expect(() => storeAt().load()).toThrow(`in use by process ${process.pid}.`);
});

/** Starts a process that rewrites the lock again and again, and waits for its first time. */
async function touchingProcess(): Promise<ChildProcess> {
  const script = `
    const { readFileSync, writeSync, openSync } = require("node:fs");
    const text = readFileSync(process.argv[1]);
    const fd = openSync(process.argv[1], "r+");
    const touch = () => writeSync(fd, text, 0, text.length, 0);
    touch();
    setInterval(touch, 50);
    console.log("touched");
  `;
  const child = spawn(process.execPath, ["-e", script, `${file}.lock`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  helpers.push(() => killed(child));
  await once(child.stdout!, "data");
  return child;
}

it("respects a lock that a process of another machine keeps touching, and names the lock file", async () => {
  const text = plantLock({ pid: 1, host: "c0ffee" });
  await touchingProcess();
  expect(() => storeAt().load()).toThrow(
    /data\.json is in use by process 1 on c0ffee, another machine or container\. .* delete .*data\.json\.lock\.$/,
  );
  expect(lockText()).toBe(text);
});

it("a store touches its lock, so that other machines see it alive", async () => {
  const store = storeAt();
  store.load();
  const text = lockText();
  dateLock(60);
  const oldMs = statSync(`${file}.lock`).mtimeMs;
  await expect.poll(() => statSync(`${file}.lock`).mtimeMs, { timeout: 20_000 }).toBeGreaterThan(oldMs);
  expect(lockText()).toBe(text);
  store.append(change(1), none);
});

it("a store that has lost its lock does not touch that of another process", async () => {
  const store = storeAt();
  store.load();
  const text = plantLock({ pid: 7, host: "c0ffee" });
  dateLock(60);
  const plantedMs = statSync(`${file}.lock`).mtimeMs;
  const control = new FileStore({ file: join(folder, "control.json") });
  opened.push(control);
  control.load();
  const controlLock = join(folder, "control.json.lock");
  const startMs = statSync(controlLock).mtimeMs;
  // Its heartbeat began later than the first store's.
  await expect.poll(() => statSync(controlLock).mtimeMs, { timeout: 20_000 }).toBeGreaterThan(startMs);
  expect([lockText(), statSync(`${file}.lock`).mtimeMs]).toEqual([text, plantedMs]);
});

it("closing a store does not release another process's lock", () => {
  const store = storeAt();
  store.load();
  writeFileSync(`${file}.lock`, "1\n");
  store.close(() => dumpOf(upTo(0)));
  expect(lockText()).toBe("1\n");
});

function startOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")[19]!;
}

it.each<[string, () => unknown, RegExp]>([
  [
    "the lock, by a process on another machine",
    () => plantLock({ pid: 7, host: "c0ffee" }),
    /process 7 on c0ffee took .*data\.json over/,
  ],
  ["the lock, by another program", () => writeFileSync(`${file}.lock`, "7\n"), /belongs to another process/],
  ["the lock, deleted", () => rmSync(`${file}.lock`), /data\.json\.lock was removed/],
  ["the journal", () => rmSync(`${file}.journal`), /data\.json\.journal was removed/],
  [
    "the journal, replaced",
    () => {
      renameSync(`${file}.journal`, join(folder, "moved"));
      writeFileSync(`${file}.journal`, "");
    },
    /data\.json\.journal has been replaced by another file/,
  ],
  ["the folder", () => rmSync(dirname(file), { recursive: true }), /data\.json\.journal was removed/],
])("a store whose file was replaced refuses every write: %s", async (_name, takeAway, message) => {
  file = join(folder, "inner", "data.json");
  mkdirSync(dirname(file));
  const store = storeAt({ compactAtBytes: 0 });
  store.load();
  store.append(change(1), none);
  takeAway();
  const after = filesIn();
  let seq = 2;
  // Writes before the next check are lost.
  const writes = () => {
    for (; ; seq++) store.append(change(seq), none);
  };
  const refusal = await refusalOf(writes);
  expect(refusal).toMatch(message);
  expect(refusal).toMatch(/^[^\n]+no more changes are saved\. Stop this process, [^\n]*start again\.$/);
  const left = filesIn();
  const { pid } = JSON.parse(left["data.json.lock"] ?? "{}");
  for (const write of [
    () => store.append(change(seq), none),
    () => store.replace(dumpOf(upTo(seq))),
    async () => {
      throw await store.compactIfLarge(() => dumpOf(upTo(seq - 1)));
    },
    () => store.close(() => dumpOf(upTo(seq - 1))),
  ])
    expect(await refusalOf(write)).toBe(refusal);
  expect(Object.keys(left)).toEqual(Object.keys(after));
  // This store's own lock is released.
  if (pid === process.pid) delete left["data.json.lock"];
  expect(filesIn()).toEqual(left);
});

it("detects a replaced file during a snapshot", async () => {
  const store = storeAt({
    io: {
      fsyncSync: () => {
        plantLock({ pid: 7, host: "c0ffee" });
        writeFileSync(file, "the other's");
      },
    },
  });
  store.load();
  store.append(change(1), none);
  expect(await refusalOf(() => store.replace(dumpOf(upTo(1))))).toMatch("process 7 on c0ffee took");
  expect(readFileSync(file, "utf8")).toBe("the other's");
  expect(readdirSync(folder).sort()).toEqual(["data.json", "data.json.journal", "data.json.lock"]);
});

function filesIn(): Record<string, string> {
  if (!existsSync(dirname(file))) return {};
  return Object.fromEntries(
    readdirSync(dirname(file)).map((name) => [name, readFileSync(join(dirname(file), name), "utf8")]),
  );
}

async function refusalOf(write: () => void | Promise<void>): Promise<string> {
  try {
    await write();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    return (error as StoreError).message;
  }
  throw new Error("was not refused");
}

it("refuses a journal that is a link", () => {
  const victim = join(folder, "victim");
  writeFileSync(victim, "not a journal");
  symlinkSync(victim, `${file}.journal`);
  expect(() => storeAt().load()).toThrow(/data\.json\.journal is a link[^\n]*Remove the link/);
  expect(readFileSync(victim, "utf8")).toBe("not a journal");
  rmSync(victim);
  expect(() => storeAt().load()).toThrow("is a link");
  expect(existsSync(victim)).toBe(false);
});

it("refuses a journal or data file that is not a regular file", () => {
  mkdirSync(`${file}.journal`);
  expect(() => storeAt().load()).toThrow("data.json.journal is not a file");
  rmSync(`${file}.journal`, { recursive: true });
  mkdirSync(file);
  expect(() => storeAt().load()).toThrow("data.json is not a file");
});

it.each(["", ".journal"])("refuses a read-only data.json%s and leaves it unchanged", (ending) => {
  const store = storeAt();
  store.load();
  store.append(change(1), none);
  store.replace(dumpOf(upTo(1)));
  store.append(change(2), none);
  store.close();
  chmodSync(file + ending, 0o400);
  const before = readFileSync(file + ending, "utf8");
  expect(() => storeAt().load()).toThrow(
    /data\.json(\.journal)? is read-only\. Make it writable \(chmod u\+w\)/,
  );
  expect(statSync(file + ending).mode & 0o777).toBe(0o400);
  expect(readFileSync(file + ending, "utf8")).toBe(before);
  chmodSync(file + ending, 0o600);
  expect(modelOf(storeAt().load())).toEqual(upTo(2));
});

it("a data file that becomes read-only loses no change", () => {
  const store = storeAt();
  store.load();
  store.replace(dumpOf(upTo(1)));
  store.append(change(2), none);
  chmodSync(file, 0o400);
  expect(() => store.close(() => dumpOf(upTo(2)))).toThrow("data.json is read-only");
  expect(statSync(file).mode & 0o777).toBe(0o400);
  chmodSync(file, 0o600);
  expect(modelOf(storeAt().load())).toEqual(upTo(2));
});

const CHILD = `
    import { FileStore } from "./src/core/store/file-store.ts";
    process.stdout.write("ready\\n");
    process.stdin.once("data", () => {
      try {
        new FileStore({ file: process.argv[2] }).load();
        process.stdout.write("has it\\n");
      } catch (error) {
        process.stdout.write((/ in use /.test(error.message) ? "refused" : String(error)) + "\\n");
      }
    });
  `;

it("only one of several concurrent starts gets the file", async () => {
  const script = join(folder, "child.mjs");
  const input = fileURLToPath(new URL("../../child.ts", import.meta.url));
  const load = (id: string) => (id === input ? CHILD : undefined);
  const bundle = await rolldown({
    input,
    platform: "node",
    plugins: [{ name: "child", resolveId: (id) => (id === input ? id : undefined), load }],
  });
  await bundle.write({ format: "esm", file: script });
  await bundle.close();
  const children = Array.from({ length: 6 }, () => {
    const child = spawn(process.execPath, [script, file], { stdio: ["pipe", "pipe", "inherit"] });
    helpers.push(() => killed(child));
    return { stdin: child.stdin, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
  });
  const nextLines = () => Promise.all(children.map(async ({ lines }) => (await lines.next()).value));
  expect(await nextLines()).toEqual(Array(6).fill("ready"));
  const left = { pid: spawnSync(process.execPath, ["-e", ""]).pid, started: null };
  const ours = JSON.parse(plantLock({})) as LockOwner;
  writeFileSync(`${file}.lock`, `${JSON.stringify({ ...ours, ...left })}\n`);
  for (const { stdin } of children) stdin.write("go\n");
  expect((await nextLines()).sort()).toEqual(["has it", ...Array(5).fill("refused")]);
});
