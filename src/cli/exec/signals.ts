import { constants } from "node:os";
import { createAbortController, monotonicMs, systemWallClock } from "../../core/time/wall-clock.js";
import { readProcess, signalProcess } from "./processes.js";

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
type PassedOn = (typeof PASSED_ON)[number];
const STOPPING: readonly string[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

/**
 * Equal signals within this time count as one: `timeout` signals a process, then its group, and a busy npm passes a
 * terminal's Ctrl-C on late.
 */
const ONE_SIGNAL_MS = 500;
/** A second Ctrl-C within this time of the first kills the command. */
const SECOND_SIGNAL_MS = 10_000;

export interface SignalTarget {
  readonly pid: number;
  killTree(): void;
}

/** Passes each signal of this process on to the command's process group, once. */
export class SignalForwarder {
  readonly #lastMs = new Map<PassedOn, number>();
  #target: SignalTarget | undefined;
  readonly #stopping = createAbortController();
  #stopSignal: NodeJS.Signals | undefined;
  #hasTakenStop = false;

  constructor() {
    for (const signal of PASSED_ON) process.on(signal, this.#on);
  }

  get stopSignal(): NodeJS.Signals | undefined {
    return this.#stopSignal;
  }

  /** Aborted by the first signal that asks to stop. */
  get interruptSignal(): AbortSignal {
    return this.#stopping.signal;
  }

  passTo(target: SignalTarget | undefined): void {
    this.#target = target;
  }

  close(): void {
    for (const signal of PASSED_ON) process.off(signal, this.#on);
  }

  readonly #on = (name: NodeJS.Signals): void => {
    const signal = name as PassedOn;
    const isStopping = STOPPING.includes(signal);
    if (isStopping) {
      this.#stopSignal = signal;
      this.#stopping.abort();
    }
    const nowMs = monotonicMs();
    const sinceMs = nowMs - (this.#lastMs.get(signal) ?? Number.NEGATIVE_INFINITY);
    if (sinceMs < ONE_SIGNAL_MS) return;
    this.#lastMs.set(signal, nowMs);
    const target = this.#target;
    // No command runs: the first signal lets current work finish, the second ends the process.
    if (target === undefined && isStopping && this.#hasTakenStop) process.exit(exitCodeOf(signal));
    this.#hasTakenStop ||= isStopping;
    if (target === undefined) return;
    if (signal === "SIGINT" && sinceMs < SECOND_SIGNAL_MS) target.killTree();
    // A Windows console signals all its processes.
    else if (process.platform !== "win32") signalProcess(-target.pid, signal);
  };
}

export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

const PARENT_CHECK_MS = 500;

/**
 * Calls back when the parent process has ended, because a killed CI runner or npm sends no signal. Never calls back on
 * Windows, in a child of init, or in a Linux session leader, which is meant to outlive its parent.
 */
export function onParentExit(callback: () => void): () => void {
  const parent = process.ppid;
  if (parent <= 1 || process.platform === "win32") return () => {};
  if (process.platform === "linux" && readProcess(process.pid)?.leader === process.pid) return () => {};
  let stop: () => void;
  const check = (): void => {
    if (process.ppid !== parent) callback();
    else stop = systemWallClock.after(PARENT_CHECK_MS, check);
  };
  stop = systemWallClock.after(PARENT_CHECK_MS, check);
  return () => stop();
}
