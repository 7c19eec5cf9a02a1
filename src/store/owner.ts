import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { madeUpInstance } from "../time/wall.js";
import { codeOf } from "./error.js";
import { isObject } from "./shape.js";

/** Who has a lock: enough to tell, as far as one can from where the question is asked, whether it still runs. */
export interface Owner {
  readonly pid: number;
  readonly host: string;
  /** A new one each time the machine starts; this, and what follows, is null where the system does not tell. */
  readonly boot: string | null;
  /** A container has its own, and in each of them the first process is 1. */
  readonly pid_namespace: string | null;
  /** When the process began, in ticks of the machine: a pid is given out again. */
  readonly started: string | null;
  /** Made up for each lock: what tells this one from any other. */
  readonly instance: string;
}

export function newOwner(): Owner {
  thisProcess ??= describeThisProcess();
  return { ...thisProcess, instance: madeUpInstance() };
}

let thisProcess: Omit<Owner, "instance"> | undefined;

function describeThisProcess(): Omit<Owner, "instance"> {
  const isTold = tellsOfUs();
  return {
    pid: process.pid,
    host: hostname(),
    boot: isTold ? (textOf("/proc/sys/kernel/random/boot_id")?.trim() ?? null) : null,
    pid_namespace: isTold ? targetOf("/proc/self/ns/pid") : null,
    started: isTold ? (runOf(process.pid)?.started ?? null) : null,
  };
}

/** What is in a lock file; undefined when it is none of ours, or was never finished. */
export function parseOwner(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export type Fate = "lives" | "gone" | "unknown";

/** Whether the owner of a lock still runs; unknown where its pid means nothing here, or too little. */
export function fateOf(owner: Owner, us: Owner): Fate {
  if (!isSamePlace(owner, us) || isThisProcess(owner, us)) return "unknown";
  if (!isAlive(owner.pid)) return "gone";
  const run = tellsOfUs() ? runOf(owner.pid) : undefined;
  if (run === undefined || owner.started === null) return "unknown";
  return run.started === owner.started && !run.hasEnded ? "lives" : "gone";
}

/** Another thread of ours has a lock of its own, and so has the library when it was loaded once more. */
export function isThisProcess(owner: Owner, us: Owner): boolean {
  return isSamePlace(owner, us) && owner.pid === us.pid && owner.started === us.started;
}

/** The same for all locks of a process, and for no other's. */
export function processOf({ instance, started, ...where }: Owner): string {
  return JSON.stringify(started === null ? { ...where, instance } : { ...where, started });
}

/** Whether one clock stamps the files of both. */
export function isSameMachine(a: Owner, b: Owner): boolean {
  return a.boot === b.boot && (a.boot !== null || a.host === b.host);
}

/** Whether a pid is the same process for both: a system that tells of neither boot nor namespace has no containers. */
function isSamePlace(a: Owner, b: Owner): boolean {
  const isKnown = (a.boot === null) === (a.pid_namespace === null);
  return isKnown && isSameMachine(a, b) && a.pid_namespace === b.pid_namespace;
}

export function isAlive(pid: number): boolean {
  // 0 and negative numbers would ask about a group of processes.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM is a living process of another user.
    return codeOf(error) !== "ESRCH";
  }
}

/** Whether there is a /proc, and it is that of our own pids. */
function tellsOfUs(): boolean {
  return targetOf("/proc/self") === String(process.pid);
}

interface Run {
  readonly started: string;
  /** It holds no file any more, and waits to be asked how it ended. */
  readonly hasEnded: boolean;
}

/** Undefined when the system does not tell, or there is no such process. */
function runOf(pid: number): Run | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is the name of the program, in brackets; it may hold spaces and brackets itself.
  const [state, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // The 22nd field; the fields here begin with the fourth.
  return { started: fields[22 - 4]!, hasEnded: state === "Z" || state === "X" };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}

function isOwner(value: unknown): value is Owner {
  if (!isObject(value)) return false;
  const { pid, host, instance, boot, pid_namespace, started } = value;
  return (
    Number.isSafeInteger(pid) &&
    [host, instance].every((one) => typeof one === "string") &&
    [boot, pid_namespace, started].every((one) => one === null || typeof one === "string")
  );
}
