import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { FileStorage } from "../../src/core/store/file-storage.js";
import { FileStore } from "../../src/core/store/file-store.js";
import { nodeIo, type StoreIo } from "../../src/core/store/file-system.js";
import { START as START_TEXT } from "./api-client.js";
import { temporaryFolder } from "./folders.js";
import { FakeWall, worldOn } from "./receiver-world.js";

/** Returns the lock file of a process on this machine. */
export function lockOf(pid: number): string {
  const file = join(temporaryFolder(), "sample.json");
  const store = new FileStore({ file });
  store.load();
  const owner = JSON.parse(readFileSync(`${file}.lock`, "utf8"));
  store.close();
  const stat = `/proc/${pid}/stat`;
  const started = existsSync(stat) ? readFileSync(stat, "utf8").split(") ").at(-1)!.split(" ")[19] : null;
  return `${JSON.stringify({ ...owner, pid, started })}\n`;
}

/** A process id that does not exist. */
export const NO_PID = 999_999_999;
export const START = Date.parse(START_TEXT);

/** A disk that is full after `refusesFrom` calls. */
export function diskThatMayFill() {
  const disk = { calls: 0, refusesFrom: Number.POSITIVE_INFINITY, syncs: 0 };
  const refusing = <Args extends unknown[], Result>(work: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      if (disk.calls++ >= disk.refusesFrom)
        throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      return work(...args);
    };
  };
  const io: StoreIo = {
    writeSync: refusing(nodeIo.writeSync),
    ftruncateSync: refusing(nodeIo.ftruncateSync),
    renameSync: refusing(nodeIo.renameSync),
    fsyncSync: refusing((fd) => {
      disk.syncs++;
      nodeIo.fsyncSync(fd);
    }),
    fsync: refusing(nodeIo.fsync),
  };
  return { disk, io };
}

interface Wishes {
  readonly data: string;
  readonly io?: Partial<StoreIo>;
  readonly fsync?: boolean;
  /** Default: manual. Null keeps the clock of the data. */
  readonly clock?: string | null;
  readonly wall?: FakeWall;
}

/** Starts a server on the data file in this process. */
export async function server({ data, io = {}, fsync = false, clock = "manual", wall }: Wishes) {
  const made = await worldOn(wall ?? new FakeWall(START), {
    storage: (onError) => new FileStorage({ data, fsync, io, onError }),
    ...(clock === null ? {} : { clockText: clock }),
  });
  const call = (line: string, body?: unknown, namespace?: string) =>
    made.client.in(namespace).ask(line, body);
  const names = async () =>
    (await call("GET /_sandbox/namespaces")).json.items.map((one: { name: string }) => one.name).sort();
  return { ...made, call, names };
}

export function dataFile(): string {
  return join(temporaryFolder(), "d.json");
}

export function filesBeside(data: string): string[] {
  return readdirSync(dirname(data)).sort();
}

/** Returns this process's open files in the data folder. */
export function handlesBeside(data: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd")
    .map((handle) => readlinkOf(`/proc/self/fd/${handle}`))
    .filter((file) => file.startsWith(dirname(data)))
    .sort();
}

/** Returns an empty string for a closed file. */
function readlinkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Serializes an object with its checksum. */
export function withChecksum(object: object): string {
  const rest = JSON.stringify(object).slice(1);
  return `{"checksum":"${createHash("sha256").update(rest).digest("hex")}",${rest}`;
}
