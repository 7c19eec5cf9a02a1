import { constants } from "node:os";
import { aborter } from "../../core/time/patience.js";
import { monotonicMs, systemWall } from "../../core/time/wall.js";
import type { Guard } from "./guard.js";
import { processRow, signalProcess } from "./processes.js";

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
type PassedOn = (typeof PASSED_ON)[number];
/** Those that ask to stop. */
const STOPPING: readonly string[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

/** Closer than that, two are one that came by two ways: `timeout` tells a process and then its whole group. */
const ONE_SIGNAL_MS = 100;
/** npm and its like pass a terminal's Ctrl-C on to us, who have had it already, when they come to it. */
const PASSED_ON_LATE_MS = 2_000;
/** A second Ctrl-C within that of the first one does not wait for the command any longer. */
const SECOND_MS = 10_000;
/** A command that young may not have been there yet when the group was told. */
const YOUNG_MS = 10;

/** The command while it runs. */
export interface Target {
  readonly pid: number;
  readonly sinceMs: number;
  /** Ends it and all it has started, at once. */
  endHard(): void;
}

/** The signals this process gets, each passed on to the command once. */
export class Signals {
  readonly #guard: Guard;
  readonly #last = new Map<PassedOn, { readonly atMs: number; readonly isForAll: boolean }>();
  #target: Target | undefined;
  readonly #stopping = aborter();
  #asked: NodeJS.Signals | undefined;
  #isAsked = false;

  constructor(guard: Guard) {
    this.#guard = guard;
    for (const signal of PASSED_ON) process.on(signal, this.#on);
  }

  /** The last signal that asked to stop, if any. */
  get asked(): NodeJS.Signals | undefined {
    return this.#asked;
  }

  /** Aborted when one has asked to stop. */
  get interrupted(): AbortSignal {
    return this.#stopping.signal;
  }

  /** From now on they go to this command. */
  passTo(target: Target | undefined): void {
    this.#target = target;
  }

  close(): void {
    for (const signal of PASSED_ON) process.off(signal, this.#on);
  }

  readonly #on = (signal: NodeJS.Signals): void => {
    // At once: the command may have ended by it, and another must not begin.
    if (STOPPING.includes(signal)) {
      this.#asked = signal;
      this.#stopping.abort();
    }
    void this.#take(signal as PassedOn, monotonicMs());
  };

  async #take(signal: PassedOn, atMs: number): Promise<void> {
    const isForAll = await this.#guard.isForAll(signal);
    const last = this.#last.get(signal);
    const sinceMs = last === undefined ? Number.POSITIVE_INFINITY : atMs - last.atMs;
    if (sinceMs < ONE_SIGNAL_MS) return;
    if (last?.isForAll && !isForAll && sinceMs < PASSED_ON_LATE_MS) return;
    this.#last.set(signal, { atMs, isForAll });
    const isStopping = STOPPING.includes(signal);
    const target = this.#target;
    // Nothing of the user's runs: the first one lets what is under way be finished, the next does not.
    if (target === undefined && isStopping && this.#isAsked) process.exit(exitCodeOf(signal));
    this.#isAsked ||= isStopping;
    if (target === undefined) return;
    if (signal === "SIGINT" && sinceMs < SECOND_MS) target.endHard();
    // What the whole group was told, the command has been told; a Windows console tells all there are.
    else if ((!isForAll || atMs - target.sinceMs < YOUNG_MS) && process.platform !== "win32")
      signalProcess(target.pid, signal);
  }
}

/** What a shell says of a command that a signal ended. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

const PARENT_CHECK_MS = 500;

/**
 * Calls back when the parent process has ended: a CI runner or npm that is killed sends no signal. Not if this process
 * was started by init or leads its own session, which is how a process that outlives its parent is started.
 */
export function whenParentEnds(callback: () => void): () => void {
  const parent = process.ppid;
  if (parent <= 1 || process.platform === "win32") return () => {};
  if (process.platform === "linux" && processRow(process.pid)?.session === process.pid) return () => {};
  let stop: () => void;
  const check = (): void => {
    if (process.ppid !== parent) callback();
    else stop = systemWall.after(PARENT_CHECK_MS, check);
  };
  stop = systemWall.after(PARENT_CHECK_MS, check);
  return () => stop();
}
