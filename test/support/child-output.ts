import type { ChildProcess } from "node:child_process";

/** Exit code and output of a command. */
export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Collects what a child process prints. */
export class ChildOutput {
  stdout = "";
  stderr = "";
  readonly ended: Promise<Finished>;
  /** Both streams in order of arrival. */
  #all = "";
  #isOver = false;
  #listeners: (() => void)[] = [];

  constructor(child: ChildProcess) {
    for (const name of ["stdout", "stderr"] as const)
      child[name]!.setEncoding("utf8").on("data", (text: string) => {
        this[name] += text;
        this.#all += text;
        this.#notify();
      });
    this.ended = new Promise((resolve) =>
      child.once("close", (code, signal) => {
        this.#isOver = true;
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
        this.#notify();
      }),
    );
  }

  #notify(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /** Resolves when the output matches; rejects when the process ends first. */
  async printed(pattern: RegExp, stream?: "stdout"): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(stream === undefined ? this.#all : this.stdout);
      if (match !== null) return match;
      if (this.#isOver) throw new Error(`ended without printing ${pattern}:\n${this.#all}`);
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }
}
