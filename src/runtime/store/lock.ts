import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { codeOf, StoreError } from "./error.js";

/**
 * Locks this very process holds. In a container every run tends to get the same pid, so a lock file with our own
 * pid is a leftover of a killed run, unless we know that we hold it.
 */
const heldHere = new Set<string>();

/** Enough for a few processes that start at once; each try is a handful of system calls. */
const MAX_TRIES = 10;

export interface Lock {
  release(): void;
}

/**
 * Takes FILE.lock, which holds the pid of its owner; a lock of a process that is gone is taken over.
 *
 * @throws StoreError when a living process has it
 */
export function takeLock(file: string): Lock {
  const lockFile = `${file}.lock`;
  const mine = `${process.pid}\n`;
  if (heldHere.has(lockFile)) throw inUse(file, process.pid);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // Read back, for another process may have seen the file before the pid was in it and set it aside.
    if (create(lockFile, mine) && read(lockFile) === mine) {
      heldHere.add(lockFile);
      return {
        release() {
          heldHere.delete(lockFile);
          if (read(lockFile) === mine) rmSync(lockFile, { force: true });
        },
      };
    }
    const theirs = read(lockFile);
    if (theirs === undefined) continue;
    const pid = Number(theirs);
    if (pid !== process.pid && isAlive(pid)) throw inUse(file, pid);
    setAside(lockFile, theirs);
  }
  throw new StoreError(`${file} is in use: other processes keep taking ${lockFile}.`);
}

function inUse(file: string, pid: number): StoreError {
  return new StoreError(
    `${file} is in use by process ${pid}. Stop that process first, or use another file; if it does not use this one, delete ${file}.lock.`,
  );
}

function create(lockFile: string, content: string): boolean {
  try {
    writeFileSync(lockFile, content, { flag: "wx", mode: 0o600 });
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

/** Removes a stale lock by renaming it: of two processes that both found it stale only one gets it. */
function setAside(lockFile: string, stale: string): void {
  const aside = `${lockFile}.${process.pid}`;
  try {
    renameSync(lockFile, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  // Between our look and the rename a living process may have taken the lock: then it gets it back.
  if (read(aside) === stale) rmSync(aside, { force: true });
  else renameSync(aside, lockFile);
}

function isAlive(pid: number): boolean {
  // 0 and negative numbers would ask about a group of processes; what is not a pid was never finished.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM is a living process of another user.
    return codeOf(error) !== "ESRCH";
  }
}
