import { machineNowMs } from "../time/timers.js";
import { StoreError } from "./error.js";
import { beatIfDue, HeldLock, isHeldHere } from "./held-lock.js";
import { createLock, readLock, setAside, touchedMs, watchLock } from "./lock-file.js";
import {
  fateOf,
  isAlive,
  isSameMachine,
  isThisProcess,
  newOwner,
  type Owner,
  parseOwner,
  processOf,
} from "./owner.js";

/** Whose lock was not touched for so long is taken for gone, if nothing else tells. */
const STALE_MS = 10_000;
/** How long it may take from making the file to writing into it. */
const UNFINISHED_MS = 500;

/** Enough for a few processes that start at once; each try is a handful of system calls. */
const MAX_TRIES = 10;

/**
 * Processes that were found to be gone, with the time of their last sign of life by their own clock. They touched all
 * their locks at once, so those need not be watched one after the other.
 */
const lastSignsMs = new Map<string, number>();
/** How far the touches of one process may lie apart. */
const AT_ONCE_MS = 3_000;

/**
 * Takes FILE.lock, which says who has it; one whose owner is gone is taken over. Only on one machine and in one
 * container can a process be asked whether it lives. Elsewhere the file is watched, which its owner touches once a
 * second.
 *
 * @param onNotice told when that is going to take a while
 * @throws StoreError when another has it, or may have it
 */
export function takeLock(file: string, onNotice: (notice: string) => void): HeldLock {
  const lockFile = `${file}.lock`;
  if (isHeldHere(lockFile)) throw inUse(file, `process ${process.pid}`);
  const us = newOwner();
  const ours = `${JSON.stringify(us)}\n`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // Read back, for another process may have seen the file before anything was in it and set it aside.
    if (createLock(lockFile, ours) && readLock(lockFile) === ours) return new HeldLock(file, ours);
    const theirs = readLock(lockFile);
    if (theirs !== undefined && isLeftover(file, theirs, us, onNotice)) setAside(lockFile, theirs);
  }
  throw new StoreError(`${file} is in use: other processes keep taking ${lockFile}.`);
}

/**
 * Whether a lock is nobody's any more. False when it has just become another's.
 *
 * @throws StoreError when its owner lives
 */
function isLeftover(file: string, theirs: string, us: Owner, onNotice: (notice: string) => void): boolean {
  const lockFile = `${file}.lock`;
  const owner = parseOwner(theirs);
  if (owner === undefined) return isLeftoverOfEarlierVersion(file, theirs);
  const fate = fateOf(owner, us);
  if (fate === "gone") return true;
  if (fate === "lives") throw inUse(file, `process ${owner.pid}`);
  const touched = touchedMs(lockFile);
  if (touched === undefined) return false;
  const lastSignMs = lastSignsMs.get(processOf(owner)) ?? Number.NEGATIVE_INFINITY;
  if (touched <= lastSignMs + AT_ONCE_MS) return true;
  // How old a file is can only be said by the clock that stamped it.
  const ageMs = isSameMachine(owner, us) ? Math.max(0, machineNowMs() - touched) : 0;
  if (ageMs >= STALE_MS) return true;
  // Nothing of this thread goes on while it waits, and it may be this thread that has the lock.
  if (isThisProcess(owner, us)) throw inUse(file, `process ${owner.pid}`);
  const who = `process ${owner.pid} on host ${owner.host}`;
  onNotice(`${file} has a lock of ${who}: waiting up to ${STALE_MS / 1000} s for a sign of life`);
  const seen = watchLock(lockFile, theirs, STALE_MS - ageMs, beatIfDue);
  if (seen === "beats") throw inUse(file, who);
  if (seen === "still") lastSignsMs.set(processOf(owner), touched);
  return seen === "still";
}

/** They wrote their pid alone. With our own pid it is of an earlier run: in a container each tends to get the same. */
function isLeftoverOfEarlierVersion(file: string, theirs: string): boolean {
  const pid = Number(theirs);
  if (pid > 0 && pid !== process.pid && isAlive(pid)) throw inUse(file, `process ${pid}`);
  return pid > 0 || watchLock(`${file}.lock`, theirs, UNFINISHED_MS, beatIfDue) === "still";
}

function inUse(file: string, who: string): StoreError {
  return new StoreError(
    `${file} is in use by ${who}. Stop that process first, or use another file; if it does not use this one, delete ${file}.lock.`,
  );
}
