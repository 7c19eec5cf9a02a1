import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfMissing, ROOT, userEnvironment } from "./built.js";
import { ChildOutput, type Finished } from "./child-output.js";
import { temporaryFolder } from "./folders.js";
import { atEnd } from "./lifetime.js";

/** `npx` and `npm test`, without the time npm takes to begin. */
const BIN = fileURLToPath(new URL("bin", import.meta.url));
/** The first line that fails ends what it runs. */
const SHELL = ["sh", "-ec"];

/** A user's folder in which this checkout is installed as npm installs it, so that `npx payments-sandbox` is it. */
export class UserProject {
  readonly folder = temporaryFolder();
  /** Shells, each the leader of a group that may outlive it. */
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

  /** Runs lines of a shell until the first that fails; background processes continue. */
  shell(
    lines: string,
    env: Record<string, string> = {},
    shell: readonly string[] = SHELL,
  ): Promise<Finished> {
    return this.#spawn(lines, env, shell).ended;
  }

  /** Begins lines of a shell that go on until the test ends, or the file. */
  terminal(lines: string, env: Record<string, string> = {}): ChildOutput {
    return this.#spawn(lines, env, SHELL);
  }

  async #close(): Promise<void> {
    await Promise.all(
      [...this.#shells].map(async (child) => {
        const ended = child.exitCode !== null || child.signalCode !== null;
        const closed = ended || new Promise((resolve) => child.once("close", resolve));
        try {
          // The whole group: npx does not pass a signal on to what it runs.
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

/** The environment of a user's shell, in which `npx` and `npm test` begin at once. */
export function shellEnvironment(): Record<string, string> {
  return { ...userEnvironment(), PATH: `${BIN}${delimiter}${process.env.PATH}` } as Record<string, string>;
}

/** Free ports of this machine. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer();
      return new Promise<typeof server>((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
