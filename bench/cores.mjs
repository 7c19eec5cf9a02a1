import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Which core the servers run on and which the load generator: without that the two push each other about, and
 * the figures of two rounds differ by more than the servers do. Undefined where there is no `taskset` or only
 * one core; then nothing is pinned.
 */
export function findCores() {
  if (process.platform !== "linux") return undefined;
  const allowed = allowedCores();
  if (allowed.length < 2) return undefined;
  const [server, client] = allowed;
  return spawnSync("taskset", ["-c", `${server}`, "true"]).status === 0 ? { server, client } : undefined;
}

/** The command line that runs Node on that core only; on any core when it is undefined. */
export function nodeOn(core, args) {
  return core === undefined
    ? [process.execPath, args]
    : ["taskset", ["-c", `${core}`, process.execPath, ...args]];
}

/** `Cpus_allowed_list: 0-3,8` as numbers: in a container the first core is not always 0. */
function allowedCores() {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "";
  return list.split(",").flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
