import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { buildIfMissing, ROOT, userEnvironment } from "../../support/built.js";
import { ChildOutput } from "../../support/child-output.js";
import { temporaryFolder } from "../../support/folders.js";

interface Manifest {
  readonly files?: readonly string[];
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Less than a test's timeout, so that no process outlives its test. */
const TIME_LIMIT_MS = 600_000;

const GUARD = join(ROOT, "test/examples/support/offline.cjs");
/** Runs `npx` and `npm test` without npm's start time. */
const BIN = join(ROOT, "test/docs/support/bin");

export function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** A copy of an example with its packages installed. */
export class Example {
  readonly folder: string;
  readonly #offlineLog: string;

  constructor(name: string) {
    buildIfMissing();
    this.folder = join(temporaryFolder(), name);
    this.#offlineLog = join(this.folder, "..", "offline.log");
    writeFileSync(this.#offlineLog, "");
    const source = join(ROOT, "examples", name);
    cpSync(source, this.folder, { recursive: true, filter: (path) => !path.includes("node_modules") });
    const { dependencies, devDependencies } = manifestIn(this.folder);
    for (const dependency of Object.keys({ ...dependencies, ...devDependencies })) this.#install(dependency);
  }

  /** Links our package as packed, and others from the repository. */
  #install(dependency: string): void {
    const target = join(this.folder, "node_modules", dependency);
    mkdirSync(dirname(target), { recursive: true });
    if (dependency === "payments-sandbox") {
      for (const file of ["package.json", ...manifestIn(ROOT).files!])
        if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(target, file), { recursive: true });
    } else {
      const installed = join(ROOT, "node_modules", dependency);
      if (!existsSync(installed)) throw new Error(`${dependency} is not installed in the repository`);
      symlinkSync(installed, target);
    }
    const { bin = {} } = manifestIn(target);
    const commands = typeof bin === "string" ? { [dependency]: bin } : bin;
    for (const [command, file] of Object.entries(commands)) {
      mkdirSync(join(this.folder, "node_modules/.bin"), { recursive: true });
      if (dependency === "payments-sandbox") chmodSync(join(target, file), 0o755);
      symlinkSync(join(target, file), join(this.folder, "node_modules/.bin", command));
    }
  }

  /** Returns the commands of the README's first block. */
  get commands(): string[] {
    const readme = readFileSync(join(this.folder, "README.md"), "utf8");
    const block = /```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
    return block.split("\n").filter((line) => line !== "" && line !== "npm install");
  }

  edit(file: string, change: (text: string) => string): void {
    const path = join(this.folder, file);
    const before = readFileSync(path, "utf8");
    const after = change(before);
    if (after === before) throw new Error(`nothing to change in ${file}`);
    writeFileSync(path, after);
  }

  /** Keeps only the test files whose names begin with the prefix. */
  keep(beginning: string): void {
    const folder = join(this.folder, "tests");
    for (const name of readdirSync(folder))
      if (name.endsWith(".test.js") && !name.startsWith(beginning)) rmSync(join(folder, name));
  }

  /** Runs it as its README says, without network access. */
  async test() {
    const [command, ...others] = this.commands;
    if (command === undefined || others.length > 0)
      throw new Error(`the README has ${this.commands.length} commands that test`);
    return this.run(command);
  }

  async run(command: string): Promise<{ readonly code: number | null; readonly output: string }> {
    const env = this.#environment();
    const child = spawn("sh", ["-c", command], { cwd: this.folder, env, timeout: TIME_LIMIT_MS });
    const { code, stdout, stderr } = await new ChildOutput(child).ended;
    return { code, output: stdout + stderr };
  }

  /** Returns the connections to other machines that were tried. */
  get wentOut(): string[] {
    return readFileSync(this.#offlineLog, "utf8").split("\n").filter(Boolean);
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      ...userEnvironment(),
      NO_COLOR: "1",
      NODE_OPTIONS: `--require ${JSON.stringify(GUARD)}`,
      OFFLINE_LOG: this.#offlineLog,
      PATH: `${BIN}${delimiter}${process.env.PATH}`,
    };
  }
}
