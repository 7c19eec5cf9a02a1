import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { isJsonObject } from "../schema/json-objects.js";
import { monotonicMs, pauseThread, repeatEvery } from "../time/timers.js";
import { asStoreError, readIfExists, StoreError, systemErrorCode } from "./store-error.js";

/** Interval at which a process touches the locks that it holds. */
const HEARTBEAT_MS = 1_000;
/** Silence after which the lock of another machine or container counts as left by a killed process. */
const SILENT_MS = 10_000;
/** Silence after which a lock file without an owner counts as left by a process killed while it wrote the file. */
const UNFINISHED_MS = 500;
const POLL_MS = 20;

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
 * Creates FILE.lock, or takes over the lock of a process that has ended. A lock whose owner cannot be seen from here is
 * watched until its owner touches it, or has been silent for too long.
 *
 * @throws StoreError if another process has the lock
 */
export function takeLock(file: string): Lock {
  const lockFile = `${file}.lock`;
  if (heldFiles.has(lockFile)) throw inUseError(file, `process ${process.pid}`);
  const text = `${JSON.stringify(describeThisProcess())}\n`;
  const watch = new SilenceWatch(`${lockFile}.${process.pid}`);
  let wasTakenOver = false;
  const deadlineMs = monotonicMs() + SILENT_MS + 2 * UNFINISHED_MS;
  while (monotonicMs() < deadlineMs) {
    // Reads the lock back: another process may have seen the empty file and removed it.
    if (createLock(lockFile, text) && readLock(lockFile) === text) return new Lock(file, text, wasTakenOver);
    const other = readLock(lockFile);
    if (other === undefined) continue;
    if (isStale(file, other, watch) && removeStale(file, other, watch)) wasTakenOver = true;
    else pauseThread(POLL_MS);
  }
  throw inUseError(file, "another process");
}

/** Measures for how long files have not been touched. */
class SilenceWatch {
  readonly #probeFile: string;
  readonly #seen = new Map<string, { readonly touchedMs: number; readonly sinceMs: number }>();

  /** @param probeFile path of a file to make and remove */
  constructor(probeFile: string) {
    this.#probeFile = probeFile;
  }

  /** @returns the silence in ms; "touched" if the file was touched since an earlier call */
  silenceOf(file: string): number | "touched" {
    const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (touchedMs === undefined) return Infinity;
    const seen = this.#seen.get(file);
    if (seen?.touchedMs === touchedMs) return monotonicMs() - seen.sinceMs;
    // A time in the future tells nothing: clocks are put back.
    const ageMs = Math.max(0, this.#fileSystemNowMs() - touchedMs);
    this.#seen.set(file, { touchedMs, sinceMs: monotonicMs() - ageMs });
    return seen === undefined ? ageMs : "touched";
  }

  /** Time of the clock that dates files, which may be that of a file server. */
  #fileSystemNowMs(): number {
    writeFileSync(this.#probeFile, "", { mode: 0o600 });
    const nowMs = statSync(this.#probeFile, { throwIfNoEntry: false })?.mtimeMs;
    rmSync(this.#probeFile, { force: true });
    return nowMs ?? 0;
  }
}

/** A lock held by this process. The lock is lost if its file is replaced or removed. */
export class Lock {
  readonly #file: string;
  readonly #lockFile: string;
  readonly #text: string;
  #stats: Stats | undefined;
  #nextTouchMs = monotonicMs() + HEARTBEAT_MS;
  readonly #stopHeartbeat: () => void;

  /** @param wasTakenOver true if a process had it that ended without releasing it */
  constructor(
    file: string,
    text: string,
    readonly wasTakenOver: boolean,
  ) {
    this.#file = file;
    this.#lockFile = `${file}.lock`;
    this.#text = text;
    heldFiles.add(this.#lockFile);
    this.#stopHeartbeat = repeatEvery(HEARTBEAT_MS, () => this.#touch());
  }

  /** Writes the lock's own bytes again, which dates the file by the file system's clock. */
  #touch(): void {
    this.#nextTouchMs = monotonicMs() + HEARTBEAT_MS;
    let fd: number | undefined;
    try {
      fd = openSync(this.#lockFile, "r+");
      // Another process's lock stays as it is.
      if (this.#stats !== undefined && fstatSync(fd).ino !== this.#stats.ino) return;
      if (readFileSync(fd, "utf8") !== this.#text) return;
      writeSync(fd, this.#text, 0);
      this.#stats = fstatSync(fd);
    } catch {
      // A lost lock is reported by the next check, before a write.
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  /** Called regularly before writes; reads the file only if it was touched. @throws StoreError if the lock is lost */
  check(): void {
    // The timer does not fire while a large file is read.
    if (monotonicMs() >= this.#nextTouchMs) this.#touch();
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

  isHeld(): boolean {
    return readLock(this.#lockFile) === this.#text;
  }

  release(): void {
    this.#stopHeartbeat();
    heldFiles.delete(this.#lockFile);
    if (this.isHeld()) rmSync(this.#lockFile, { force: true });
  }
}

/** Returns false while the owner cannot be told. @throws StoreError if the owner of the lock is running */
function isStale(file: string, text: string, watch: SilenceWatch): boolean {
  const owner = parseOwner(text);
  if (owner?.host === describeThisProcess().host) {
    if (isRunning(owner)) throw inUseError(file, `process ${owner.pid}`);
    return true;
  }
  const silence = watch.silenceOf(`${file}.lock`);
  if (owner === undefined) return silence !== "touched" && silence >= UNFINISHED_MS;
  if (silence === "touched")
    throw inUseError(file, `process ${owner.pid} on ${owner.host}, another machine or container`);
  return silence >= SILENT_MS;
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

/**
 * Removes a stale lock. FILE.lock.stale makes processes do so one at a time, so that none removes a new lock.
 *
 * @returns false while another process has the guard
 */
function removeStale(file: string, stale: string, watch: SilenceWatch): boolean {
  const lockFile = `${file}.lock`;
  const guard = `${lockFile}.stale`;
  if (!createLock(guard, "")) {
    const silence = watch.silenceOf(guard);
    if (silence === "touched" || silence < UNFINISHED_MS) return false;
    // A killed process has left the guard.
    rmSync(guard, { force: true });
    return true;
  }
  try {
    if (readLock(lockFile) === stale) rmSync(lockFile, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
  return true;
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
