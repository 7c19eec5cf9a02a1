import { type ChildProcess, spawn } from "node:child_process";
import { systemErrorText } from "../../core/schema/system-error-text.js";
import { printErrorLine } from "../terminal.js";
import { commandLineOf, endProcessesOf, processesOf, signalProcess } from "./processes.js";
import { exitCodeOf, onParentExit, SignalForwarder } from "./signals.js";

/** Exit codes of a shell for a command that is missing or not executable. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** Grace period for processes that the command left running. */
const DESCENDANTS_GRACE_MS = 2_000;
/** Grace period for the command after the second signal. */
const COMMAND_GRACE_MS = 5_000;
const NAME_MAX = 60;

type CommandOutput = "inherit" | "stderr" | number;

/** Runs commands one after the other and leaves none of their processes running. */
export class CommandRunner {
  readonly #signals = new SignalForwarder();
  readonly #notice: (text: string) => void;
  #end: ((graceMs: number) => Promise<void>) | undefined;

  constructor(notice: (text: string) => void) {
    this.#notice = notice;
  }

  get stopSignal(): NodeJS.Signals | undefined {
    return this.#signals.stopSignal;
  }

  get interruptSignal(): AbortSignal {
    return this.#signals.interruptSignal;
  }

  /**
   * Runs a command until it and its descendants have ended. Resolves with the exit code a shell would give.
   *
   * @param output `stderr` if this process prints JSON on standard output; a file descriptor for all output
   */
  async run(
    command: readonly string[],
    environment: NodeJS.ProcessEnv,
    output: CommandOutput = "inherit",
  ): Promise<number> {
    if (this.stopSignal !== undefined) return exitCodeOf(this.stopSignal);
    const child = await this.#spawn(command, environment, output);
    if (typeof child === "number") return child;
    const code = await this.#toItsEnd(child);
    await this.#endLeftRunning(child.pid!);
    return code;
  }

  /** Ends the current command, if any, and its descendants; without a grace period, by SIGKILL at once. */
  async killCommand(graceMs = COMMAND_GRACE_MS): Promise<void> {
    await this.#end?.(graceMs);
  }

  close(): void {
    this.#signals.close();
  }

  /** Starts the child process. Resolves with an exit code if it cannot start. */
  #spawn(
    command: readonly string[],
    environment: NodeJS.ProcessEnv,
    output: CommandOutput,
  ): Promise<ChildProcess | number> {
    return new Promise((resolve) => {
      const refused = (error: NodeJS.ErrnoException): void => {
        const isMissing = error.code === "ENOENT" || command[0] === "";
        printErrorLine(
          `${command[0] || '""'}: ${isMissing ? "command not found" : `cannot be run: ${systemErrorText(error)}`}`,
        );
        resolve(isMissing ? NOT_FOUND : NOT_EXECUTABLE);
      };
      try {
        const child = spawn(command[0]!, command.slice(1), {
          stdio: [
            "inherit",
            output === "stderr" ? process.stderr.fd : output,
            output === "stderr" ? "inherit" : output,
          ],
          env: environment,
          // Its own process group: one kill reaches all of it, and a terminal's Ctrl-C reaches it through `signals.ts` alone.
          detached: process.platform !== "win32",
        });
        // A child with a pid has started: later errors, such as a failed kill, do not end it.
        child.on("error", child.pid === undefined ? refused : () => {});
        if (child.pid !== undefined) resolve(child);
      } catch (error) {
        // `spawn` throws some errors and emits others.
        refused(error as NodeJS.ErrnoException);
      }
    });
  }

  #toItsEnd(child: ChildProcess): Promise<number> {
    const pid = child.pid!;
    return new Promise((resolve) => {
      let hardEnd: Promise<void> | undefined;
      const endHard = (graceMs: number, code: number): Promise<void> => {
        return (hardEnd ??= endProcessesOf(pid, graceMs).then(() => {
          // If processes cannot be listed, the command itself is killed.
          if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
          done(code);
        }));
      };
      this.#end = (graceMs) => {
        if (graceMs === 0 && process.platform !== "win32") signalProcess(-pid, "SIGKILL");
        return endHard(graceMs, exitCodeOf("SIGTERM"));
      };
      const forget = onParentExit(() => {
        this.#notice("the parent process has ended: stopping the command");
        void endHard(COMMAND_GRACE_MS, exitCodeOf("SIGHUP"));
      });
      const done = (code: number): void => {
        this.#end = undefined;
        forget();
        this.#signals.passTo(undefined);
        resolve(code);
      };
      this.#signals.passTo({
        pid,
        killTree: () => void endHard(0, exitCodeOf("SIGINT")),
      });
      child.once("exit", (code, signal) => {
        if (hardEnd === undefined) done(code ?? exitCodeOf(signal!));
      });
    });
  }

  async #endLeftRunning(leader: number): Promise<void> {
    const left = processesOf(leader);
    if (left.length === 0) return;
    const names = left.map((pid) => `${pid} (${commandLineOf(pid).slice(0, NAME_MAX)})`);
    this.#notice(`the command left running, ended now: ${names.join(", ")}`);
    await endProcessesOf(leader, DESCENDANTS_GRACE_MS);
  }
}
