import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { pause } from "../../core/time/timers.js";
import { monotonicMs } from "../../core/time/wall-clock.js";

/** Environment variable that marks the command's processes. It identifies them even after their parent has ended. */
export const MARK_VARIABLE = "PAYMENTS_SANDBOX_EXEC";

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  /** Start time, which distinguishes a process from a later one with the same pid; empty if unknown. */
  readonly started: string;
  /** Undefined if unknown. */
  readonly session: number | undefined;
}

/** All living processes; none if they cannot be listed. */
function processes(): ProcessInfo[] {
  if (process.platform === "win32") return [];
  if (process.platform === "linux")
    return readdirSync("/proc").flatMap((name) =>
      /^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : [],
    );
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" });
  return table.split("\n").flatMap((line) => {
    const [pid, parent, state] = line.trim().split(/\s+/);
    return state === undefined || state.startsWith("Z")
      ? []
      : [{ pid: Number(pid), parent: Number(parent), started: "", session: undefined }];
  });
}

/** Reads a process on Linux. Undefined if it does not exist or is a zombie. */
export function readProcess(pid: number): ProcessInfo | undefined {
  const stat = procFile(`/proc/${pid}/stat`);
  // The name in parentheses may contain any character.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields === undefined || fields[0] === "Z" || fields[0] === "X") return undefined;
  return { pid, parent: Number(fields[1]), session: Number(fields[3]), started: fields[19]! };
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

/**
 * A command and its descendants. On Linux, also each process of this session with the command's MARK_VARIABLE, even if
 * the parent of that process has ended. A process that left the session is meant to outlive the command.
 */
export class ProcessTree {
  readonly #known = new Map<number, ProcessInfo>();
  readonly #mark: string;

  /** @param root the command; ignored if its pid now belongs to another process */
  constructor(mark: string, root?: { readonly pid: number; readonly started: string | undefined }) {
    this.#mark = `${MARK_VARIABLE}=${mark}\0`;
    const row = root === undefined ? undefined : processes().find(({ pid }) => pid === root.pid);
    if (row !== undefined && (root!.started === undefined || row.started === root!.started))
      this.#known.set(row.pid, row);
  }

  /** Pids of the living processes. */
  alive(): number[] {
    const rows = processes();
    const session = rows.find(({ pid }) => pid === process.pid)?.session;
    const found = new Map<number, ProcessInfo>();
    for (const row of rows) {
      const isKnown = this.#known.get(row.pid)?.started === row.started;
      if (isKnown || (row.session === session && this.#isMarked(row.pid))) found.set(row.pid, row);
    }
    for (let before = -1; before < found.size; ) {
      before = found.size;
      for (const row of rows) if (found.has(row.parent)) found.set(row.pid, row);
    }
    found.delete(process.pid);
    for (const [pid, row] of found) this.#known.set(pid, row);
    return [...found.keys()];
  }

  #isMarked(pid: number): boolean {
    return process.platform === "linux" && (procFile(`/proc/${pid}/environ`) ?? "").includes(this.#mark);
  }
}

const POLL_MS = 20;
/** Maximum wait after SIGKILL: the kernel may block a process, and another user's process cannot be killed. */
const KILL_TIMEOUT_MS = 2_000;

/** Sends SIGTERM to all processes of the tree, and SIGKILL to those still alive after a grace period. */
export async function endProcessTree(family: ProcessTree, graceMs: number): Promise<void> {
  const hardMs = monotonicMs() + graceMs;
  const asked = new Set<number>();
  for (let found = family.alive(); found.length > 0; found = family.alive()) {
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

/** Sends a signal. Ignores a process that has ended or belongs to another user. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

const ORPHANS_GRACE_MS = 3_000;

/** `exec --left-behind`: ends the command of a killed `exec`. The argument is `pid started mark`, from the guard. */
export async function endOrphans(process: string): Promise<void> {
  const [pid, started, mark] = process.split(" ");
  const root = { pid: Number(pid), started: started === "-" ? undefined : started };
  await endProcessTree(new ProcessTree(mark!, root), ORPHANS_GRACE_MS);
}
