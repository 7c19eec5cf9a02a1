import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfMissing, ROOT, userEnvironment } from "./built.js";
import { ChildOutput, type Finished } from "./child-output.js";
import { temporaryFolder } from "./folders.js";
import { atEnd } from "./lifetime.js";

/** Scripts for `npx` and `npm test` without npm's start time. */
const BIN = fileURLToPath(new URL("bin", import.meta.url));
/** -e ends the shell at the first line that fails. */
const SHELL = ["sh", "-ec"];

/** A user's project with this checkout installed. */
export class UserProject {
  readonly folder = temporaryFolder();
  /** Shells, each with its process group. */
  readonly #shells = new Set<ChildProcess>();

  constructor() {
    buildIfMissing();
    atEnd(() => this.#close());
    mkdirSync(join(this.folder, "node_modules/.bin"), { recursive: true });
    symlinkSync(ROOT, join(this.folder, "node_modules/payments-sandbox"));
    symlinkSync(
      "../payments-sandbox/bin/payments-sandbox.js",
      join(this.folder, "node_modules/.bin/payments-sandbox"),
    );
    symlinkSync(
      join(ROOT, "node_modules/standardwebhooks"),
      join(this.folder, "node_modules/standardwebhooks"),
    );
    this.write("package.json", "{}\n");
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** Runs shell lines until the first that fails. */
  shell(
    lines: string,
    env: Record<string, string> = {},
    shell: readonly string[] = SHELL,
  ): Promise<Finished> {
    return this.#spawn(lines, env, shell).ended;
  }

  /** Starts shell lines that run until the end of the test or the file. */
  terminal(lines: string, env: Record<string, string> = {}): ChildOutput {
    return this.#spawn(lines, env, SHELL);
  }

  async #close(): Promise<void> {
    await Promise.all(
      [...this.#shells].map(async (child) => {
        const ended = child.exitCode !== null || child.signalCode !== null;
        const closed = ended || new Promise((resolve) => child.once("close", resolve));
        try {
          // The signal goes to the whole group, because npx does not pass it on.
          process.kill(-child.pid!, "SIGKILL");
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
        }
        await closed;
      }),
    );
  }

  #spawn(lines: string, env: Record<string, string>, [shell, ...flags]: readonly string[]): ChildOutput {
    const child = spawn(shell!, [...flags, lines], {
      cwd: this.folder,
      env: { ...shellEnvironment(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.#shells.add(child);
    return new ChildOutput(child);
  }
}

/** A user's environment in which `npx` and `npm test` start faster. */
export function shellEnvironment(): Record<string, string> {
  return { ...userEnvironment(), PATH: `${BIN}${delimiter}${process.env.PATH}` } as Record<string, string>;
}
