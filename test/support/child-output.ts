import type { ChildProcess } from "node:child_process";

/** The end of a child process, and all it printed. */
export interface ChildEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Collects what a child process prints. */
export class ChildOutput {
  readonly ended: Promise<ChildEnd>;
  readonly #texts = { stdout: "", stderr: "" };
  /** Both streams, as they came. */
  #all = "";
  #isOver = false;
  #listeners: (() => void)[] = [];

  constructor(child: ChildProcess) {
    for (const name of ["stdout", "stderr"] as const)
      child[name]!.setEncoding("utf8").on("data", (text: string) => {
        this.#texts[name] += text;
        this.#all += text;
        this.#notify();
      });
    this.ended = new Promise((resolve) =>
      child.once("close", (code) => {
        this.#isOver = true;
        this.#notify();
        resolve({ code, ...this.#texts });
      }),
    );
  }

  #notify(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /** Resolves with all that was printed once it matches; rejects when the process ends before. */
  async printed(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.#all)) {
      if (this.#isOver) throw new Error(`ended without printing ${pattern}:\n${this.#all}`);
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
    return this.#all;
  }
}
