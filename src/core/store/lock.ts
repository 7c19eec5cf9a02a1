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
import { every, machineNowMs, monotonicMs } from "../time/timers.js";
import { madeUpInstance } from "../time/wall.js";
import { asStoreError, codeOf, StoreError } from "./error.js";
import { isObject } from "./shape.js";

/*
 * FILE.lock names the process that has FILE open. It is created with O_EXCL, and taken over when that process is gone.
 * The pid and the start of the process tell that on the same machine and in the same container. Elsewhere, and between
 * threads of one process, the modification time does: the owner sets it once a second.
 */

const BEAT_MS = 1_000;
/** A lock that was not touched for so long is stale, unless its process is known to run. */
const STALE_MS = 10_000;
/** The longest time between creating the file and writing into it. */
const UNFINISHED_MS = 500;
const POLL_MS = 50;
/** How far apart a process touches its locks. */
const SAME_BEAT_MS = 3_000;
/** Enough for a few processes that start at once. */
const MAX_TRIES = 10;

/** The content of a lock file. */
export interface Owner {
  readonly pid: number;
  readonly host: string;
  /** Differs after each start of the machine; null, as the next two, without a /proc. */
  readonly boot: string | null;
  /** Each container has its own, with a process 1 in it. */
  readonly pid_namespace: string | null;
  /** Start of the process in ticks of the machine: pids are reused. */
  readonly started: string | null;
  /** Differs between threads of one process. */
  readonly instance: string;
}

/** Lock files held in this thread. Both copies of this module, of `import` and of `require`, share the set. */
const LOCKS = Symbol.for("payments-sandbox.locks");
const heldFiles = ((globalThis as { [LOCKS]?: Set<string> })[LOCKS] ??= new Set());

/** Locks of this copy of the module; all are touched together. */
const held = new Set<Lock>();
let stopBeating: (() => void) | undefined;
let beatMs = 0;

/** By content of a lock: when a process that was found to be gone last touched one. Its other locks need no watching. */
const lastBeatsMs = new Map<string, number>();

let us: Owner | undefined;

/**
 * Creates FILE.lock, or takes over a stale one.
 *
 * @param onNotice told before a wait of seconds
 * @throws StoreError when another process has the lock, or may have it
 */
export function takeLock(file: string, onNotice: (notice: string) => void): Lock {
  const lockFile = `${file}.lock`;
  if (heldFiles.has(lockFile)) throw inUse(file, `process ${process.pid}`);
  us ??= describeThisProcess();
  const ours = `${JSON.stringify(us)}\n`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // Read back: another process may have seen the file while it was empty, and removed it.
    if (create(lockFile, ours) && read(lockFile) === ours) return new Lock(file, ours);
    const theirs = read(lockFile);
    if (theirs !== undefined && isStale(file, theirs, us, onNotice)) removeStale(lockFile, theirs);
  }
  throw new StoreError(`${file} is in use: other processes keep taking ${lockFile}.`);
}

/** A lock this process holds. It is lost when another process takes it over, or with its folder. */
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
    held.add(this);
    stopBeating ??= every(BEAT_MS, beatIfDue);
  }

  /** To be called before the files are written to, if not each time. @throws StoreError when it is lost */
  check(): void {
    try {
      if (!this.#isOurs()) throw lost(this.#file, read(this.#lockFile));
    } catch (error) {
      throw asStoreError(error, `Cannot tell whose ${this.#lockFile} is, so nothing more is kept`);
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
      // Another process may take the lock over then; `check` finds that out.
    }
  }

  release(): void {
    heldFiles.delete(this.#lockFile);
    held.delete(this);
    if (held.size === 0) {
      stopBeating?.();
      stopBeating = undefined;
    }
    if (read(this.#lockFile) === this.#text) rmSync(this.#lockFile, { force: true });
  }

  /** The content is read only when the file was touched by another process. */
  #isOurs(): boolean {
    const now = statsOf(this.#lockFile);
    if (now !== undefined && now.ino === this.#stats?.ino && now.mtimeMs === this.#stats.mtimeMs) return true;
    if (read(this.#lockFile) !== this.#text) return false;
    this.#stats = now;
    return true;
  }
}

/** Called by the timer, and by work that keeps timers from running. */
function beatIfDue(): void {
  const nowMs = monotonicMs();
  if (nowMs - beatMs < BEAT_MS) return;
  beatMs = nowMs;
  for (const lock of held) lock.beat();
}

/**
 * False also when the lock has just become that of another process.
 *
 * @throws StoreError when its process runs
 */
function isStale(file: string, text: string, us: Owner, onNotice: (notice: string) => void): boolean {
  const lockFile = `${file}.lock`;
  const owner = parse(text);
  if (owner === undefined) return watch(lockFile, text, UNFINISHED_MS) === "untouched";
  const isSameMachine = owner.boot === us.boot && (owner.boot !== null || owner.host === us.host);
  const isSamePlace = isSameMachine && owner.pid_namespace === us.pid_namespace;
  const isThisProcess = isSamePlace && owner.pid === us.pid && owner.started === us.started;
  const runs = isSamePlace && !isThisProcess ? isRunning(owner) : undefined;
  if (runs === false) return true;
  if (runs) throw inUse(file, `process ${owner.pid}`);
  const touchedMs = statsOf(lockFile)?.mtimeMs;
  if (touchedMs === undefined) return false;
  if (touchedMs <= (lastBeatsMs.get(text) ?? Number.NEGATIVE_INFINITY) + SAME_BEAT_MS) return true;
  // Another machine has another clock.
  const ageMs = isSameMachine ? Math.max(0, machineNowMs() - touchedMs) : 0;
  if (ageMs >= STALE_MS) return true;
  // A wait would block this thread, which may be the owner.
  if (isThisProcess) throw inUse(file, `process ${owner.pid}`);
  const who = `process ${owner.pid} on host ${owner.host}`;
  onNotice(`${file} has a lock of ${who}: waiting up to ${STALE_MS / 1000} s for a sign of life`);
  const seen = watch(lockFile, text, STALE_MS - ageMs);
  if (seen === "touched") throw inUse(file, who);
  if (seen === "untouched") lastBeatsMs.set(text, touchedMs);
  return seen === "untouched";
}

/** Blocks until the file is touched, is another's or gone, or the time is over. */
function watch(lockFile: string, text: string, timeoutMs: number): "touched" | "changed" | "untouched" {
  const first = statsOf(lockFile)?.mtimeMs;
  const untilMs = monotonicMs() + timeoutMs;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    if (read(lockFile) !== text) return "changed";
    if (statsOf(lockFile)?.mtimeMs !== first) return "touched";
    if (monotonicMs() >= untilMs) return "untouched";
    Atomics.wait(pause, 0, 0, POLL_MS);
    beatIfDue();
  }
}

function create(lockFile: string, text: string): boolean {
  try {
    writeFileSync(lockFile, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function read(lockFile: string): string | undefined {
  try {
    return readFileSync(lockFile, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function statsOf(lockFile: string): Stats | undefined {
  return statSync(lockFile, { throwIfNoEntry: false });
}

/** Renames before it removes: of two processes that both found the lock stale, one gets it. */
function removeStale(lockFile: string, stale: string): void {
  const aside = `${lockFile}.${process.pid}`;
  try {
    renameSync(lockFile, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  // A running process may have taken the lock just before the rename: it gets it back.
  if (read(aside) !== stale) putBack(aside, lockFile);
  rmSync(aside, { force: true });
}

function putBack(aside: string, lockFile: string): void {
  try {
    linkSync(aside, lockFile);
  } catch (error) {
    // EEXIST: a third process has it now, and `check` tells the second. Otherwise the file system has no links.
    if (codeOf(error) !== "EEXIST") renameSync(aside, lockFile);
  }
}

function describeThisProcess(): Owner {
  const hasProc = hasOwnProc();
  return {
    pid: process.pid,
    host: hostname(),
    boot: hasProc ? (textOf("/proc/sys/kernel/random/boot_id")?.trim() ?? null) : null,
    pid_namespace: hasProc ? (linkOf("/proc/self/ns/pid") ?? null) : null,
    started: hasProc ? (startOf(process.pid) ?? null) : null,
    instance: madeUpInstance(),
  };
}

/** Undefined for a file of another program, and for one that was never finished. */
function parse(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && Number.isSafeInteger(value.pid) && Number(value.pid) > 0
      ? (value as unknown as Owner)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where a pid alone cannot tell. */
function isRunning({ pid, started }: Owner): boolean | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process of another user.
    if (codeOf(error) === "ESRCH") return false;
  }
  const now = hasOwnProc() ? startOf(pid) : undefined;
  return now === undefined || started === null ? undefined : now === started;
}

/** Whether there is a /proc of this pid namespace. */
function hasOwnProc(): boolean {
  return linkOf("/proc/self") === String(process.pid);
}

/** When a process started; "ended" for one that only waits for its parent, undefined when there is none. */
function startOf(pid: number): string | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field, in brackets, is the program's name, which may have spaces and brackets itself.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // These begin with the third field; the start is the 22nd.
  return fields[0] === "Z" || fields[0] === "X" ? "ended" : fields[22 - 3];
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function linkOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

function inUse(file: string, who: string): StoreError {
  return new StoreError(
    `${file} is in use by ${who}. Stop that process first, or use another file; if it does not use this one, delete ${file}.lock.`,
  );
}

function lost(file: string, text: string | undefined): StoreError {
  const owner = text === undefined ? undefined : parse(text);
  const what =
    text === undefined
      ? `${file}.lock is not there any more`
      : owner === undefined
        ? `${file}.lock has become another's`
        : `process ${owner.pid} on host ${owner.host} has taken ${file} over while this one gave no sign of life`;
  return new StoreError(`${what}, so nothing more is kept. Stop this process, and start again.`);
}
