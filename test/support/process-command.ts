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
  /** Its standard input; empty by default. */
  readonly input?: string;
  /** Run on a terminal so many columns wide, where `type` presses keys. */
  readonly columns?: number;
  /** In a process group of its own, as a shell starts a job. */
  readonly isJob?: boolean;
  /** How many files it may have open, where a shell can say so. */
  readonly openFiles?: number;
  /** The Node that runs it; default: the one that runs the tests. */
  readonly node?: string | undefined;
  /** The file that Node runs; default: the package's command. */
  readonly file?: string | undefined;
  /** Command that starts it. */
  readonly through?: readonly string[];
}

/** Output of `start --json` (contract section 1). */
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

/** The command as a user starts it: a process of its own, killed with the test that forgot it. */
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
    const line = [...through, node, file, ...args];
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

  /** Closes its output. */
  hangUp(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  /** Presses keys of the terminal it runs on. */
  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Acts as a terminal's Ctrl-C: the system signals every process of the job's group. */
  signalGroup(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      // The last process of the group may have ended a moment ago.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Finished> {
    this.signal(signal);
    return this.ended;
  }
}

/**
 * Runs the command to its end; most commands in a process that carries out others too, which is a tenth of the work. A
 * process of its own is for what that is asked about, and for `start` and `exec`, which do things with theirs.
 */
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

/**
 * True if the sandbox of that seed responds at a port of this machine. Only its own seed proves it: a closed port can
 * be a neighbour's within the moment.
 */
export async function isServing(port: number, seed: string): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/_sandbox`);
    return (await response.text()).includes(seed);
  } catch {
    return false;
  }
}
