import { readFileSync, readlinkSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { isJsonObject } from "../schema/json-objects.js";
import { machineNowMs } from "../time/timers.js";
import { asStoreError, readIfExists, StoreError, systemErrorCode } from "./store-error.js";

/** A lock file without an owner that is older was left by a process killed while it wrote the file. */
const UNFINISHED_MS = 500;
/** Enough for a few processes that start at once. */
const MAX_TRIES = 10;

/** Content of FILE.lock: the process that has FILE open. */
export interface LockOwner {
  readonly pid: number;
  /** Start of the process in clock ticks, because pids are reused; null where the system does not tell. */
  readonly started: string | null;
  /** Host and pid namespace: processes of other machines and containers cannot be seen from here. */
  readonly host: string;
}

/** Lock files held in this thread, shared by the ESM and CommonJS copies of this module. */
const LOCKS = Symbol.for("payments-sandbox.locks");
const heldFiles = ((globalThis as { [LOCKS]?: Set<string> })[LOCKS] ??= new Set());

/**
 * Creates FILE.lock, or takes over the lock of a process of this machine that has ended.
 *
 * @throws StoreError if another process has the lock, or may have it
 */
export function takeLock(file: string): Lock {
  const lockFile = `${file}.lock`;
  if (heldFiles.has(lockFile)) throw inUseError(file, `process ${process.pid}`);
  const text = `${JSON.stringify(describeThisProcess())}\n`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // Reads the lock back: another process may have seen the empty file and removed it.
    if (createLock(lockFile, text) && readLock(lockFile) === text) return new Lock(file, text);
    const other = readLock(lockFile);
    if (other === undefined) continue;
    refuseLivingOwner(file, other);
    removeStale(file, other);
  }
  throw inUseError(file, "another process");
}

/** A lock held by this process. The lock is lost if its file is replaced or removed. */
export class Lock {
  readonly #file: string;
  readonly #lockFile: string;
  readonly #text: string;
  #stats: Stats | undefined;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#lockFile = `${file}.lock`;
    this.#text = text;
    heldFiles.add(this.#lockFile);
  }

  /** Called regularly before writes; reads the file only if it was touched. @throws StoreError if the lock is lost */
  check(): void {
    try {
      const now = statSync(this.#lockFile, { throwIfNoEntry: false });
      if (now !== undefined && now.ino === this.#stats?.ino && now.mtimeMs === this.#stats.mtimeMs) return;
      const text = readLock(this.#lockFile);
      if (text !== this.#text) throw lostError(this.#file, text);
      this.#stats = now;
    } catch (error) {
      throw asStoreError(error, `Cannot tell whose ${this.#lockFile} is, so no more changes are saved`);
    }
  }

  release(): void {
    heldFiles.delete(this.#lockFile);
    if (readLock(this.#lockFile) === this.#text) rmSync(this.#lockFile, { force: true });
  }
}

/** @throws StoreError unless the owner of the lock has ended */
function refuseLivingOwner(file: string, text: string): void {
  const owner = parseOwner(text);
  if (owner === undefined) {
    if (ageMs(`${file}.lock`) < UNFINISHED_MS) throw inUseError(file, "another process");
  } else if (owner.host !== describeThisProcess().host)
    throw inUseError(file, `process ${owner.pid} on ${owner.host}, another machine or container`);
  else if (isRunning(owner)) throw inUseError(file, `process ${owner.pid}`);
}

function createLock(lockFile: string, text: string): boolean {
  try {
    writeFileSync(lockFile, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    throw error;
  }
}

function readLock(lockFile: string): string | undefined {
  return readIfExists(() => readFileSync(lockFile, "utf8"));
}

/** Removes a stale lock. FILE.lock.stale makes processes do so one at a time, so that none removes a new lock. */
function removeStale(file: string, stale: string): void {
  const lockFile = `${file}.lock`;
  const guard = `${lockFile}.stale`;
  if (!createLock(guard, "")) {
    if (ageMs(guard) < UNFINISHED_MS) throw inUseError(file, "another process");
    // A killed process has left the guard.
    rmSync(guard, { force: true });
    return;
  }
  try {
    if (readLock(lockFile) === stale) rmSync(lockFile, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

function ageMs(file: string): number {
  const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return touchedMs === undefined ? Infinity : machineNowMs() - touchedMs;
}

function describeThisProcess(): LockOwner {
  // /proc may be that of another pid namespace.
  const hasProc = tryCall(() => readlinkSync("/proc/self")) === String(process.pid);
  const namespace = hasProc ? tryCall(() => readlinkSync("/proc/self/ns/pid")) : undefined;
  return {
    pid: process.pid,
    started: (hasProc && startOf(process.pid)) || null,
    host: namespace === undefined ? hostname() : `${hostname()} ${namespace}`,
  };
}

/** Returns undefined for another program's file, and for an unfinished lock file. */
function parseOwner(text: string): LockOwner | undefined {
  const value = tryCall((): unknown => JSON.parse(text));
  if (!isJsonObject(value) || !Number.isSafeInteger(value.pid) || Number(value.pid) <= 0) return undefined;
  return {
    pid: Number(value.pid),
    started: (value.started ?? null) as string | null,
    host: String(value.host),
  };
}

function isRunning({ pid, started }: LockOwner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: a process of another user.
    if (systemErrorCode(error) === "ESRCH") return false;
  }
  return started === null || startOf(pid) === started;
}

/** Start of a process; undefined for a zombie, and where the system does not tell. */
function startOf(pid: number): string | undefined {
  const text = tryCall(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  // The second field, the program name in brackets, may contain spaces and brackets.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields === undefined || fields[0] === "Z" || fields[0] === "X" ? undefined : fields[22 - 3];
}

function tryCall<Result>(call: () => Result): Result | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

function inUseError(file: string, owner: string): StoreError {
  return new StoreError(
    `${file} is in use by ${owner}. Stop that process first, or use another file; if it does not use this one, delete ${file}.lock.`,
  );
}

function lostError(file: string, text: string | undefined): StoreError {
  const owner = text === undefined ? undefined : parseOwner(text);
  const what =
    text === undefined
      ? `${file}.lock was removed`
      : owner === undefined
        ? `${file}.lock belongs to another process`
        : `process ${owner.pid} on ${owner.host} took ${file} over`;
  return new StoreError(`${what}, so no more changes are saved. Stop this process, and start again.`);
}
