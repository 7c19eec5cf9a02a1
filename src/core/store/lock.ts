import {
  linkSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { isJsonObject } from "../schema/json-objects.js";
import { machineNowMs, monotonicMs, repeatEvery } from "../time/timers.js";
import { generateInstanceId } from "../time/wall-clock.js";
import { asStoreError, readIfExists, StoreError, systemErrorCode } from "./store-error.js";

/*
 * FILE.lock names the process that has FILE open. It is created with O_EXCL and taken over when that process is gone.
 * Pid and process start identify an owner on the same machine and in the same container. Owners on other machines, in
 * other containers and in other threads show that they run: each owner touches its lock once a second.
 */

const BEAT_MS = 1_000;
/** A lock untouched for this long is stale, unless its process is known to run. */
const STALE_LOCK_MS = 10_000;
/** Longest time between creating the file and writing its content. */
const UNFINISHED_MS = 500;
const LOCK_POLL_MS = 50;
/** Maximum time in which one heartbeat touches all locks of a process. */
const HEARTBEAT_SPREAD_MS = 3_000;
/** Enough for a few processes that start at once. */
const MAX_TRIES = 10;

/** Content of a lock file. */
export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** Changes with each boot. Without /proc, this and the next two fields are null. */
  readonly boot: string | null;
  /** Each container has its own pid namespace, in which pids begin at 1. */
  readonly pid_namespace: string | null;
  /** Process start in clock ticks, since pids are reused. */
  readonly started: string | null;
  /** Differs between threads of a process. */
  readonly instance: string;
}

/** Lock files held in this thread, shared by the ESM and CommonJS copies of this module. */
const LOCKS = Symbol.for("payments-sandbox.locks");
const heldFiles = ((globalThis as { [LOCKS]?: Set<string> })[LOCKS] ??= new Set());

/** Locks of this copy of the module; all are touched together. */
const locks = new Set<Lock>();
let stopBeating: (() => void) | undefined;
let beatMs = 0;

/** Last touch of a stale lock, by content of the lock file. An owner's locks have equal content and share one wait. */
const lastBeatsMs = new Map<string, number>();

let thisProcess: LockOwner | undefined;

/**
 * Creates FILE.lock, or takes over a stale one.
 *
 * @param onNotice called before a wait of seconds
 * @throws StoreError if another process has the lock, or may have it
 */
export function takeLock(file: string, onNotice: (notice: string) => void): Lock {
  const lockFile = `${file}.lock`;
  if (heldFiles.has(lockFile)) throw inUseError(file, `process ${process.pid}`);
  thisProcess ??= describeThisProcess();
  const ownText = `${JSON.stringify(thisProcess)}\n`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // Reads the lock back: another process may have seen the empty file and removed it.
    if (createLock(lockFile, ownText) && readLock(lockFile) === ownText) return new Lock(file, ownText);
    const otherText = readLock(lockFile);
    if (otherText !== undefined && isStale(file, otherText, thisProcess, onNotice))
      removeStale(lockFile, otherText);
  }
  throw new StoreError(`${file} is in use: other processes keep taking ${lockFile}.`);
}

/** A lock held by this process. The lock is lost if another process takes over or the folder is removed. */
export class Lock {
  readonly #file: string;
  readonly #lockFile: string;
  readonly #text: string;
  #stats: Stats | undefined;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#lockFile = `${file}.lock`;
    this.#text = text;
    this.#stats = statsOf(this.#lockFile);
    heldFiles.add(this.#lockFile);
    locks.add(this);
    stopBeating ??= repeatEvery(BEAT_MS, beatIfDue);
  }

  /** Called regularly before writes. @throws StoreError if the lock is lost */
  check(): void {
    try {
      if (!this.#isOurs()) throw lostError(this.#file, readLock(this.#lockFile));
    } catch (error) {
      throw asStoreError(error, `Cannot tell whose ${this.#lockFile} is, so no more changes are saved`);
    }
    beatIfDue();
  }

  beat(): void {
    try {
      if (!this.#isOurs()) return;
      const nowS = machineNowMs() / 1000;
      utimesSync(this.#lockFile, nowS, nowS);
      this.#stats = statsOf(this.#lockFile);
    } catch {
      // Ignored: if another process takes the untouched lock over, `check` detects the loss.
    }
  }

  release(): void {
    heldFiles.delete(this.#lockFile);
    locks.delete(this);
    if (locks.size === 0) {
      stopBeating?.();
      stopBeating = undefined;
    }
    if (readLock(this.#lockFile) === this.#text) rmSync(this.#lockFile, { force: true });
  }

  /** Reads the content only if another process touched the file. */
  #isOurs(): boolean {
    const now = statsOf(this.#lockFile);
    if (now !== undefined && now.ino === this.#stats?.ino && now.mtimeMs === this.#stats.mtimeMs) return true;
    if (readLock(this.#lockFile) !== this.#text) return false;
    this.#stats = now;
    return true;
  }
}

/** Called by the timer, and by work that blocks timers. */
function beatIfDue(): void {
  const nowMs = monotonicMs();
  if (nowMs - beatMs < BEAT_MS) return;
  beatMs = nowMs;
  for (const lock of locks) lock.beat();
}

/**
 * Returns true if the owner of the lock is gone; false if the lock file has changed meanwhile.
 *
 * @throws StoreError if the owner of the lock is alive
 */
function isStale(
  file: string,
  text: string,
  thisProcess: LockOwner,
  onNotice: (notice: string) => void,
): boolean {
  const lockFile = `${file}.lock`;
  const owner = parseOwner(text);
  if (owner === undefined) return watch(lockFile, text, UNFINISHED_MS) === "untouched";
  const isSameMachine =
    owner.boot === thisProcess.boot && (owner.boot !== null || owner.host === thisProcess.host);
  const isSameContainer = isSameMachine && owner.pid_namespace === thisProcess.pid_namespace;
  const isThisProcess =
    isSameContainer && owner.pid === thisProcess.pid && owner.started === thisProcess.started;
  const isAlive = isSameContainer && !isThisProcess ? isProcessRunning(owner) : undefined;
  if (isAlive === false) return true;
  if (isAlive) throw inUseError(file, `process ${owner.pid}`);
  const touchedMs = statsOf(lockFile)?.mtimeMs;
  if (touchedMs === undefined) return false;
  if (touchedMs <= (lastBeatsMs.get(text) ?? Number.NEGATIVE_INFINITY) + HEARTBEAT_SPREAD_MS) return true;
  // Clocks of different machines differ, so the age of another machine's lock is unknown.
  const ageMs = isSameMachine ? Math.max(0, machineNowMs() - touchedMs) : 0;
  if (ageMs >= STALE_LOCK_MS) return true;
  // Waiting would block this thread, which may be the owner.
  if (isThisProcess) throw inUseError(file, `process ${owner.pid}`);
  const ownerName = `process ${owner.pid} on host ${owner.host}`;
  onNotice(`${file} has a lock of ${ownerName}: waiting up to ${STALE_LOCK_MS / 1000} s for a sign of life`);
  const observation = watch(lockFile, text, STALE_LOCK_MS - ageMs);
  if (observation === "touched") throw inUseError(file, ownerName);
  if (observation === "untouched") lastBeatsMs.set(text, touchedMs);
  return observation === "untouched";
}

/** Blocks until the file is touched, replaced or removed, or until the timeout. */
function watch(lockFile: string, text: string, timeoutMs: number): "touched" | "changed" | "untouched" {
  const first = statsOf(lockFile)?.mtimeMs;
  const untilMs = monotonicMs() + timeoutMs;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    if (readLock(lockFile) !== text) return "changed";
    if (statsOf(lockFile)?.mtimeMs !== first) return "touched";
    if (monotonicMs() >= untilMs) return "untouched";
    Atomics.wait(pause, 0, 0, LOCK_POLL_MS);
    beatIfDue();
  }
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

function statsOf(lockFile: string): Stats | undefined {
  return statSync(lockFile, { throwIfNoEntry: false });
}

/** Renames before removal, so that only one of two processes that found the lock stale succeeds. */
function removeStale(lockFile: string, stale: string): void {
  const aside = `${lockFile}.${process.pid}`;
  try {
    renameSync(lockFile, aside);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return;
    throw error;
  }
  // Gives the lock back if a running process took it just before the rename.
  if (readLock(aside) !== stale) putBack(aside, lockFile);
  rmSync(aside, { force: true });
}

function putBack(aside: string, lockFile: string): void {
  try {
    linkSync(aside, lockFile);
  } catch (error) {
    // EEXIST: a new owner has the lock, and the old one's `check` will throw. Other errors: the disk has no hard links.
    if (systemErrorCode(error) !== "EEXIST") renameSync(aside, lockFile);
  }
}

function describeThisProcess(): LockOwner {
  const hasProc = hasOwnProc();
  return {
    pid: process.pid,
    host: hostname(),
    boot: hasProc
      ? (tryRead(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))?.trim() ?? null)
      : null,
    pid_namespace: hasProc ? (tryRead(() => readlinkSync("/proc/self/ns/pid")) ?? null) : null,
    started: hasProc ? (readProcessStart(process.pid) ?? null) : null,
    instance: generateInstanceId(),
  };
}

/** Returns undefined for another program's file, and for an unfinished lock file. */
function parseOwner(text: string): LockOwner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && Number.isSafeInteger(value.pid) && Number(value.pid) > 0
      ? (value as unknown as LockOwner)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns undefined if a process has the pid, but is perhaps not the owner. */
function isProcessRunning({ pid, started }: LockOwner): boolean | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: a process of another user.
    if (systemErrorCode(error) === "ESRCH") return false;
  }
  const now = hasOwnProc() ? readProcessStart(pid) : undefined;
  return now === undefined || started === null ? undefined : now === started;
}

/** Returns true if /proc belongs to this pid namespace. */
function hasOwnProc(): boolean {
  return tryRead(() => readlinkSync("/proc/self")) === String(process.pid);
}

/** Start of a process; "ended" for a zombie, undefined if the pid is unused. */
function readProcessStart(pid: number): string | undefined {
  const text = tryRead(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (text === undefined) return undefined;
  // The second field, the program name in brackets, may contain spaces and brackets.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // `fields[0]` is the third field of the file. The 22nd field is the start time.
  return fields[0] === "Z" || fields[0] === "X" ? "ended" : fields[22 - 3];
}

function tryRead(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function inUseError(file: string, ownerName: string): StoreError {
  return new StoreError(
    `${file} is in use by ${ownerName}. Stop that process first, or use another file; if it does not use this one, delete ${file}.lock.`,
  );
}

function lostError(file: string, text: string | undefined): StoreError {
  const owner = text === undefined ? undefined : parseOwner(text);
  const what =
    text === undefined
      ? `${file}.lock was removed`
      : owner === undefined
        ? `${file}.lock belongs to another process`
        : `process ${owner.pid} on host ${owner.host} took ${file} over, because this process did not touch its lock`;
  return new StoreError(`${what}, so no more changes are saved. Stop this process, and start again.`);
}
