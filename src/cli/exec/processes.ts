import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { pause } from "../../core/time/timers.js";
import { monotonicMs } from "../../core/time/wall-clock.js";

export interface ProcessInfo {
  readonly pid: number;
  /** On Linux the session, elsewhere the process group. A detached process leads both. */
  readonly leader: number;
}

/** All living processes; none if they cannot be listed. */
function processes(): ProcessInfo[] {
  if (process.platform === "win32") return [];
  if (process.platform === "linux")
    return readdirSync("/proc").flatMap((name) =>
      /^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : [],
    );
  const table = execFileSync("ps", ["-A", "-o", "pid=,pgid=,stat="], { encoding: "utf8" });
  return table.split("\n").flatMap((line) => {
    const [pid, leader, state] = line.trim().split(/\s+/);
    return state === undefined || state.startsWith("Z") ? [] : [{ pid: Number(pid), leader: Number(leader) }];
  });
}

/** Index of the number of threads in `/proc/PID/stat`, counted from the state. */
const THREADS = 17;

/** Reads a process on Linux. Undefined if it does not exist or is a zombie. */
export function readProcess(pid: number): ProcessInfo | undefined {
  const stat = procFile(`/proc/${pid}/stat`);
  // The name in parentheses may contain any character.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields === undefined) return undefined;
  // A process is a zombie as soon as its first thread has ended; the others may still hold its ports and files.
  const hasEnded = fields[0] === "X" || (fields[0] === "Z" && Number(fields[THREADS]) <= 1);
  if (hasEnded) return undefined;
  return { pid, leader: Number(fields[3]) };
}

/** A file of /proc. Undefined if the process has ended or belongs to another user. */
function procFile(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return undefined;
  }
}

export function commandLineOf(pid: number): string {
  return (procFile(`/proc/${pid}/cmdline`) ?? "").replace(/[\0\s]+/g, " ").trim();
}

/** The living processes of a detached command. A process that made a session of its own is meant to outlive it. */
export function processesOf(leader: number): number[] {
  return processes().flatMap((process) => (process.leader === leader ? process.pid : []));
}

const POLL_MS = 20;
/** Maximum wait after SIGKILL: the kernel may block a process, and another user's process cannot be killed. */
const KILL_TIMEOUT_MS = 2_000;

/** Sends SIGTERM to all processes of a detached command, and SIGKILL to those still alive after a grace period. */
export async function endProcessesOf(leader: number, graceMs: number): Promise<void> {
  const hardMs = monotonicMs() + graceMs;
  const asked = new Set<number>();
  for (let found = processesOf(leader); found.length > 0; found = processesOf(leader)) {
    const nowMs = monotonicMs();
    if (nowMs > hardMs + KILL_TIMEOUT_MS) return;
    for (const pid of found)
      if (nowMs >= hardMs) signalProcess(pid, "SIGKILL");
      else if (!asked.has(pid)) {
        asked.add(pid);
        signalProcess(pid, "SIGTERM");
      }
    await pause(POLL_MS);
  }
}

/** Sends a signal, to a process group if `pid` is negative. Ignores what has ended or belongs to another user. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
