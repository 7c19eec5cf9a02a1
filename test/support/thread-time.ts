import { readFileSync } from "node:fs";

/** How long this thread has computed, in milliseconds, where the system says so: what it has to wait for others is no part of it. */
export function threadTimeMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
