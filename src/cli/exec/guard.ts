import { type ChildProcess, spawn } from "node:child_process";
import { ownCommand } from "../../core/files/package.js";
import { monotonicMs, systemWallClock } from "../../core/time/wall-clock.js";

/**
 * Prints the signals it receives, and answers a ping after printing earlier ones. When its input ends without a command,
 * exec was killed: the script becomes the process that ends what exec left running.
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

/** Maximum age of a signal that counts as the same one. */
const SAME_SIGNAL_MS = 1_000;
/** Timeout of a ping. */
const ANSWER_MS = 1_000;

/**
 * A shell in the command's process group. It knows what this process cannot: if a signal was sent to the whole group, as a
 * terminal's Ctrl-C is, or to this process alone; and that this process was killed. Without a shell, every signal counts as
 * sent to this process alone.
 */
export class Guard {
  readonly #shell: ChildProcess;
  readonly #told = new Map<string, number>();
  readonly #ended: Promise<void>;
  #isAlive = true;
  #answers: (() => void)[] = [];

  constructor() {
    this.#shell = spawn("/bin/sh", ["-c", SCRIPT, "sh", ...ownCommand()], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    // The shell may be killed at any moment; a failed write does not matter then.
    this.#shell.stdin?.on("error", () => {});
    let text = "";
    this.#shell.stdout?.setEncoding("utf8").on("data", (more: string) => {
      const lines = (text + more).split("\n");
      text = lines.pop()!;
      for (const line of lines)
        if (line === "pong") this.#answers.shift()?.();
        else this.#told.set(line, monotonicMs());
    });
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        this.#isAlive = false;
        for (const answer of this.#answers.splice(0)) answer();
        resolve();
      };
      this.#shell.once("error", end);
      this.#shell.once("close", (_code, signal) => {
        // The shell has not set its traps yet.
        if (signal !== null) this.#told.set(signal, monotonicMs());
        end();
      });
    });
  }

  /** Resolves with true if the signal that this process just received went to the whole process group. */
  async isForAll(signal: NodeJS.Signals): Promise<boolean> {
    await this.hasAnswered();
    const atMs = this.#told.get(signal);
    this.#told.delete(signal);
    return atMs !== undefined && monotonicMs() - atMs < SAME_SIGNAL_MS;
  }

  /** Waits until earlier signals to the group have reached this process. */
  async hasAnswered(): Promise<void> {
    if (!this.#isAlive) return;
    await new Promise<void>((resolve) => {
      const giveUp = systemWallClock.after(ANSWER_MS, resolve, true);
      this.#answers.push(() => {
        giveUp();
        resolve();
      });
      this.#say("ping");
    });
  }

  /** Names the processes to end if this process is killed. */
  watch(pid: number, started: string | undefined, mark: string): void {
    this.#say(`watch ${pid} ${started || "-"} ${mark}`);
  }

  /** Clears the processes to end. */
  unwatch(): void {
    this.#say("watch");
  }

  async end(): Promise<void> {
    if (!this.#isAlive) return;
    this.#shell.stdin?.end("bye\n");
    await this.#ended;
  }

  #say(line: string): void {
    if (this.#isAlive) this.#shell.stdin?.write(`${line}\n`);
  }
}
