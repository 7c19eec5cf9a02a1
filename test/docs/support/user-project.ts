import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfMissing, ROOT } from "../../support/process-command.js";

/** A terminal in which something runs until the project is closed. */
export interface Terminal {
  /** Resolves when that has been printed; rejects when it ends without. */
  printed(pattern: RegExp): Promise<void>;
}

export interface ShellEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `npx` and `npm test`, without the time npm takes to begin. */
const BIN = fileURLToPath(new URL("bin", import.meta.url));
/** The first line that fails ends what it runs. */
const SHELL = ["sh", "-ec"];

/** A user's folder in which this checkout is installed as npm installs it, so that `npx payments-sandbox` is it. */
export class UserProject {
  readonly folder = mkdtempSync(join(tmpdir(), "payments-sandbox-docs-"));
  /** Shells, each the leader of a group that may outlive it. */
  readonly #shells = new Set<ChildProcess>();

  constructor() {
    buildIfMissing();
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

  /** Runs lines of a shell to their end; the first that fails ends them. What they put in the background goes on. */
  shell(
    lines: string,
    env: Record<string, string> = {},
    shell: readonly string[] = SHELL,
  ): Promise<ShellEnd> {
    const child = this.#spawn(lines, env, shell);
    const end = { stdout: "", stderr: "" };
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      end.stdout += text;
    });
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      end.stderr += text;
    });
    return new Promise((resolve) => child.once("close", (code) => resolve({ code, ...end })));
  }

  /** Begins lines of a shell that go on until they are interrupted. */
  terminal(lines: string, env: Record<string, string> = {}): Terminal {
    const child = this.#spawn(lines, env, SHELL);
    let said = "";
    let ended = false;
    const look = new Set<() => void>();
    const heard = (text: string): void => {
      said += text;
      for (const one of look) one();
    };
    child.stdout!.setEncoding("utf8").on("data", heard);
    child.stderr!.setEncoding("utf8").on("data", heard);
    child.once("close", () => {
      ended = true;
      heard("");
    });
    return {
      printed: (pattern) =>
        new Promise((resolve, reject) => {
          const check = (): void => {
            if (pattern.test(said)) resolve();
            else if (ended) reject(new Error(`ended without printing ${pattern}:\n${said}`));
            else return;
            look.delete(check);
          };
          look.add(check);
          check();
        }),
    };
  }

  async close(): Promise<void> {
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
    rmSync(this.folder, { recursive: true, force: true });
  }

  #spawn(lines: string, env: Record<string, string>, [shell, ...flags]: readonly string[]): ChildProcess {
    const child = spawn(shell!, [...flags, lines], {
      cwd: this.folder,
      env: { ...userEnvironment(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.#shells.add(child);
    return child;
  }
}

/** The machine's environment without what would configure the program, and without the test runner's own. */
export function userEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(PAYMENTS_|VITEST|NODE_ENV$|NODE_OPTIONS$)/.test(name) ? [] : [[name, value]],
  );
  return { ...Object.fromEntries(own), PATH: `${BIN}${delimiter}${process.env.PATH}` };
}

/** Ports of this machine that nobody listens on. */
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
