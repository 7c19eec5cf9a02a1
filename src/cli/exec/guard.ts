import { type ChildProcess, spawn } from "node:child_process";
import { cliLaunchCommand } from "../../core/files/package.js";
import { monotonicMs, systemWallClock } from "../../core/time/wall-clock.js";

/**
 * Script of the guard's shell. It prints each signal it receives, and answers `ping` with `pong` once all earlier
 * signals are printed. If its input ends without `bye`, `exec` was killed: the shell then becomes `exec --left-behind`,
 * which ends the processes that the killed `exec` left running.
 */
const SCRIPT = `
trap '' PIPE
hit=
for name in HUP INT QUIT USR1 USR2 TERM; do trap "hit=1; echo SIG$name" $name; done
pid=
while :; do
  if read -r word a b c; then
    case $word in
      ping) echo pong ;;
      watch) pid=$a started=$b mark=$c ;;
      bye) exit 0 ;;
    esac
  elif [ -n "$hit" ]; then hit=
  else break
  fi
done
[ -n "$pid" ] && exec "$@" exec --left-behind "$pid $started $mark" -- true
`;

/** Maximum time between the shell's print of a signal and the arrival of the same signal in this process. */
const SAME_SIGNAL_MS = 1_000;
const PING_TIMEOUT_MS = 1_000;

/**
 * Finds out if a signal went to the whole process group, as a terminal's Ctrl-C does, or to this process alone. A
 * shell in the group receives only signals to the group. Without the shell, every signal counts as sent to this
 * process alone. If this process is killed, the shell ends the command.
 */
export class SignalGuard {
  readonly #shell: ChildProcess;
  readonly #printedAtMs = new Map<string, number>();
  readonly #ended: Promise<void>;
  #isAlive = true;
  #onPong: (() => void)[] = [];

  constructor() {
    this.#shell = spawn("/bin/sh", ["-c", SCRIPT, "sh", ...cliLaunchCommand()], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    // The shell may be killed at any moment; a failed write does not matter then.
    this.#shell.stdin?.on("error", () => {});
    let text = "";
    this.#shell.stdout?.setEncoding("utf8").on("data", (more: string) => {
      const lines = (text + more).split("\n");
      text = lines.pop()!;
      for (const line of lines)
        if (line === "pong") this.#onPong.shift()?.();
        else this.#printedAtMs.set(line, monotonicMs());
    });
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        this.#isAlive = false;
        for (const onPong of this.#onPong.splice(0)) onPong();
        resolve();
      };
      this.#shell.once("error", end);
      this.#shell.once("close", (_code, signal) => {
        // A signal to the group can end the shell before its traps are set.
        if (signal !== null) this.#printedAtMs.set(signal, monotonicMs());
        end();
      });
    });
  }

  /** Resolves with true if the signal that this process just received went to the whole process group. */
  async wasSentToGroup(signal: NodeJS.Signals): Promise<boolean> {
    await this.whenCaughtUp();
    const atMs = this.#printedAtMs.get(signal);
    this.#printedAtMs.delete(signal);
    return atMs !== undefined && monotonicMs() - atMs < SAME_SIGNAL_MS;
  }

  /** Resolves when the shell has printed all signals that it received before this call, or after a timeout. */
  async whenCaughtUp(): Promise<void> {
    if (!this.#isAlive) return;
    await new Promise<void>((resolve) => {
      const giveUp = systemWallClock.after(PING_TIMEOUT_MS, resolve, true);
      this.#onPong.push(() => {
        giveUp();
        resolve();
      });
      this.#write("ping");
    });
  }

  /** Sets the process tree that the guard ends if this process is killed. */
  watch(pid: number, started: string | undefined, mark: string): void {
    this.#write(`watch ${pid} ${started || "-"} ${mark}`);
  }

  /** Clears the process tree set by `watch`. */
  unwatch(): void {
    this.#write("watch");
  }

  async end(): Promise<void> {
    if (!this.#isAlive) return;
    this.#shell.stdin?.end("bye\n");
    await this.#ended;
  }

  #write(line: string): void {
    if (this.#isAlive) this.#shell.stdin?.write(`${line}\n`);
  }
}
