import { type ChildProcess, spawn } from "node:child_process";
import { ownCommand } from "../../core/files/package.js";
import { monotonicMs, systemWall } from "../../core/time/wall.js";

/**
 * Tells the signals it gets, and answers a ping after those it got before. When its input ends without a word,
 * exec has been killed: it becomes the process that ends what exec has left behind.
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

/** How long ago a signal may have been told to count as the same one. */
const SAME_SIGNAL_MS = 1_000;
/** A shell answers at once; one that does not is as good as none. */
const ANSWER_MS = 1_000;

/**
 * A shell that waits beside the command, in the same process group. It knows what this process cannot: whether a
 * signal was meant for the whole group, as a terminal's Ctrl-C is, or for this process alone; and that this
 * process was killed. Where there is no shell, every signal counts as meant for this process alone.
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
    // It may end at any moment, as anybody may be killed; what was to be written is not needed then.
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
        // It had no time to set its traps.
        if (signal !== null) this.#told.set(signal, monotonicMs());
        end();
      });
    });
  }

  /** Whether the signal this process has just got went to the whole process group. */
  async isForAll(signal: NodeJS.Signals): Promise<boolean> {
    await this.hasAnswered();
    const atMs = this.#told.get(signal);
    this.#told.delete(signal);
    return atMs !== undefined && monotonicMs() - atMs < SAME_SIGNAL_MS;
  }

  /** By then, signals that came to the whole group before have come to this process. */
  async hasAnswered(): Promise<void> {
    if (!this.#isAlive) return;
    await new Promise<void>((resolve) => {
      const giveUp = systemWall.after(ANSWER_MS, resolve, true);
      this.#answers.push(() => {
        giveUp();
        resolve();
      });
      this.#say("ping");
    });
  }

  /** What to end should this process be killed. */
  watch(pid: number, started: string | undefined, mark: string): void {
    this.#say(`watch ${pid} ${started || "-"} ${mark}`);
  }

  /** There is nothing to end any more. */
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
