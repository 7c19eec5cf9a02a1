import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { monotonicMs } from "../time/timers.js";
import { codeOf } from "./error.js";

const LOOK_MS = 50;

/** Whether the file was made by this call. */
export function createLock(lockFile: string, content: string): boolean {
  try {
    writeFileSync(lockFile, content, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

export function readLock(lockFile: string): string | undefined {
  try {
    return readFileSync(lockFile, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

export function removeLock(lockFile: string): void {
  rmSync(lockFile, { force: true });
}

/** Removes a stale lock by renaming it: of two processes that both found it stale only one gets it. */
export function setAside(lockFile: string, stale: string): void {
  const aside = `${lockFile}.${process.pid}`;
  try {
    renameSync(lockFile, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  // Between our look and the rename a living process may have taken the lock: then it gets it back.
  if (readLock(aside) !== stale) putBack(aside, lockFile);
  rmSync(aside, { force: true });
}

function putBack(aside: string, lockFile: string): void {
  try {
    linkSync(aside, lockFile);
  } catch (error) {
    // Somebody has it by now, and whose it was will find that out. Else this file system has no links.
    if (codeOf(error) !== "EEXIST") renameSync(aside, lockFile);
  }
}

/** When it was last touched, by its owner's clock; undefined when it is not there any more. */
export function touchedMs(lockFile: string): number | undefined {
  return statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs;
}

/**
 * Waits for a sign of life in a lock file: `beats` as soon as it is touched, `changed` when it is gone or somebody
 * else's, `still` when neither has come to pass in that time. Everything waits meanwhile: a store is opened in one
 * go, and this is the rare case of it.
 *
 * @param meanwhile called each time we look
 */
export function watchLock(
  lockFile: string,
  content: string,
  patienceMs: number,
  meanwhile: () => void,
): "beats" | "changed" | "still" {
  const first = touchedMs(lockFile);
  const untilMs = monotonicMs() + patienceMs;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    if (readLock(lockFile) !== content) return "changed";
    if (touchedMs(lockFile) !== first) return "beats";
    if (monotonicMs() >= untilMs) return "still";
    Atomics.wait(pause, 0, 0, LOOK_MS);
    meanwhile();
  }
}
