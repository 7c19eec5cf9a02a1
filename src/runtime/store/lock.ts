import { statSync, utimesSync } from "node:fs";
import { clearInterval, machineNowMs, monotonicMs, setInterval } from "../timers.js";
import { asStoreError, StoreError } from "./error.js";
import { ageOf, createLock, readLock, removeLock, setAside, watchLock } from "./lock-file.js";
import { fateOf, isAlive, isSameMachine, isThisProcess, newOwner, type Owner, parseOwner } from "./owner.js";

/** FILE.lock, held. It can be lost: to somebody who saw no sign of life of this process, or with its folder. */
export interface Lock {
  /** To be called now and then before the files are written to. @throws StoreError when it is lost */
  check(): void;
  release(): void;
}

/** How often a lock is touched, so that others see that its owner lives. */
const BEAT_MS = 1_000;
/** Whose lock was not touched for so long is taken for gone, if nothing else tells. */
const STALE_MS = 10_000;
/** How long it may take from making the file to writing into it. */
const UNFINISHED_MS = 500;

/** Enough for a few processes that start at once; each try is a handful of system calls. */
const MAX_TRIES = 10;

/**
 * The locks held here. All copies of this module in the process share them: what `import` and `require` give are
 * two, and a lock of the other would look like one of nobody.
 */
const LOCKS = Symbol.for("payments-sandbox.locks");
const held = ((globalThis as { [LOCKS]?: Set<string> })[LOCKS] ??= new Set());

/**
 * Takes FILE.lock, which says who has it; one whose owner is gone is taken over. Only on one machine and in one
 * container can a process be asked whether it lives. Elsewhere the file is watched, which its owner touches once a
 * second.
 *
 * @param onNotice told when that is going to take a while
 * @throws StoreError when another has it, or may have it
 */
export function takeLock(file: string, onNotice: (notice: string) => void): Lock {
  const lockFile = `${file}.lock`;
  if (held.has(lockFile)) throw inUse(file, `process ${process.pid}`);
  const us = newOwner();
  const ours = `${JSON.stringify(us)}\n`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // Read back, for another process may have seen the file before anything was in it and set it aside.
    if (createLock(lockFile, ours) && readLock(lockFile) === ours) return hold(file, ours);
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
  // How old a file is can only be said by the clock that stamped it.
  const ageMs = isSameMachine(owner, us) ? ageOf(lockFile) : 0;
  if (ageMs >= STALE_MS) return true;
  // Nothing of this thread goes on while it waits, and it may be this thread that has the lock.
  if (isThisProcess(owner, us)) throw inUse(file, `process ${owner.pid}`);
  const who = `process ${owner.pid} on host ${owner.host}`;
  onNotice(`${file} has a lock of ${who}: waiting up to ${STALE_MS / 1000} s for a sign of life`);
  const seen = watchLock(lockFile, theirs, STALE_MS - ageMs);
  if (seen === "beats") throw inUse(file, who);
  return seen === "still";
}

/** They wrote their pid alone. With our own pid it is of an earlier run: in a container each tends to get the same. */
function isLeftoverOfEarlierVersion(file: string, theirs: string): boolean {
  const pid = Number(theirs);
  if (pid > 0 && pid !== process.pid && isAlive(pid)) throw inUse(file, `process ${pid}`);
  return pid > 0 || watchLock(`${file}.lock`, theirs, UNFINISHED_MS) === "still";
}

function inUse(file: string, who: string): StoreError {
  return new StoreError(
    `${file} is in use by ${who}. Stop that process first, or use another file; if it does not use this one, delete ${file}.lock.`,
  );
}

function hold(file: string, ours: string): Lock {
  const lockFile = `${file}.lock`;
  const look = () => statSync(lockFile, { throwIfNoEntry: false });
  let seen = look();
  let beatMs = monotonicMs();

  const beat = (): void => {
    beatMs = monotonicMs();
    const nowS = machineNowMs() / 1000;
    try {
      utimesSync(lockFile, nowS, nowS);
    } catch {
      // Others may take it over for want of a sign, and that is come upon before anything is written.
      return;
    }
    seen = look();
  };

  const check = (): void => {
    try {
      const now = look();
      const isUntouched = now?.ino === seen?.ino && now?.mtimeMs === seen?.mtimeMs;
      if (now === undefined || !isUntouched) {
        const content = readLock(lockFile);
        if (content !== ours) throw lost(file, content);
        seen = now;
      }
    } catch (error) {
      throw asStoreError(error, `Cannot tell whose ${lockFile} is, so nothing more is kept`);
    }
    if (monotonicMs() - beatMs >= BEAT_MS) beat();
  };

  const timer = setInterval(() => {
    try {
      check();
    } catch {
      // Whoever writes next is told.
    }
  }, BEAT_MS);
  timer.unref();
  held.add(lockFile);
  return {
    check,
    release() {
      clearInterval(timer);
      held.delete(lockFile);
      if (readLock(lockFile) === ours) removeLock(lockFile);
    },
  };
}

function lost(file: string, content: string | undefined): StoreError {
  const owner = content === undefined ? undefined : parseOwner(content);
  const what =
    content === undefined
      ? `${file}.lock is not there any more`
      : owner === undefined
        ? `${file}.lock has become another's`
        : `process ${owner.pid} on host ${owner.host} has taken ${file} over while this one gave no sign of life`;
  return new StoreError(`${what}, so nothing more is kept. Stop this process, and start again.`);
}
