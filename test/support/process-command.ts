import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfMissing, cleanEnvironment, ROOT } from "./built.js";
import { ChildOutput, type Finished } from "./child-output.js";
import { atEnd } from "./lifetime.js";
import { carryOut } from "./resident-command.js";

export { buildIfMissing, ROOT } from "./built.js";
export type { Finished } from "./child-output.js";

const BIN = join(ROOT, "bin/payments-sandbox.js");
const ON_TERMINAL = join(ROOT, "test/support/on-terminal.py");

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** Standard input; empty by default. */
  readonly input?: string;
  /** Width of the terminal that the command runs on. */
  readonly columns?: number;
  /** True if it runs in its own process group, as a shell job does. */
  readonly isJob?: boolean;
  /** Maximum number of open files, where the shell supports a limit. */
  readonly openFiles?: number;
  /** Node binary, or the words that start another runtime; default: the Node that runs the tests. */
  readonly node?: string | readonly string[] | undefined;
  /** File that Node runs; default: the package's command. */
  readonly file?: string | undefined;
  /** Command that starts the process. */
  readonly through?: readonly string[];
}

/** Output of `start --json`. */
export interface ReadyLine {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly api_key: string;
  readonly live_api_key: string;
  readonly webhook_secret: string;
  readonly control_url: string;
  readonly dashboard_url: string;
  readonly seed: string;
}

/** A separate process of the command, killed after the test. */
export class Command extends ChildOutput {
  readonly #child: ChildProcess;

  constructor(
    args: readonly string[],
    {
      cwd = tmpdir(),
      env = {},
      input,
      columns,
      isJob = false,
      openFiles,
      node = process.execPath,
      file = BIN,
      through = columns === undefined ? [] : ["python3", ON_TERMINAL, String(columns)],
    }: CommandOptions = {},
  ) {
    buildIfMissing();
    const line = [...through, ...[node].flat(), file, ...args];
    if (openFiles !== undefined) line.unshift("sh", "-c", `ulimit -n ${openFiles}; exec "$0" "$@"`);
    const child = spawn(line[0]!, line.slice(1), {
      cwd,
      env: { ...cleanEnvironment(), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: isJob,
    });
    super(child);
    this.#child = child;
    atEnd(() => this.stop("SIGKILL"));
    child.stdin?.on("error", () => {});
    if (columns === undefined) child.stdin?.end(input ?? "");
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Resolves when standard output matches. */
  override printed(pattern: RegExp): Promise<RegExpExecArray> {
    return super.printed(pattern, "stdout");
  }

  async ready(): Promise<ReadyLine> {
    return JSON.parse((await this.printed(/^(\{.*\})\n/m))[1]!);
  }

  /** Closes the command's output streams. */
  hangUp(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  /** Presses keys on the command's terminal. */
  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends the signal to the whole group, as Ctrl-C does. */
  signalGroup(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      // The last process of the group may have ended.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Finished> {
    this.signal(signal);
    return this.ended;
  }
}

/** Runs a command until it exits, if possible in a shared process, which is faster. */
export function run(args: readonly string[], options: CommandOptions = {}): Promise<Finished> {
  const { cwd, env, ...ofProcess } = options;
  const isOwn =
    ["start", "exec"].includes(args[0] ?? "start") ||
    Object.values(ofProcess).some((value) => value !== undefined) ||
    Object.keys(env ?? {}).some((name) => name.startsWith("NODE_"));
  return isOwn ? new Command(args, options).ended : carryOut(args, { cwd, env });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** True if the sandbox with that seed responds at the port. */
export async function isServing(port: number, seed: string): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/_sandbox`);
    return (await response.text()).includes(seed);
  } catch {
    return false;
  }
}
