import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { buildIfMissing, ROOT, userEnvironment } from "./built.js";
import { ChildOutput, type Finished } from "./child-output.js";
import { temporaryFolder } from "./folders.js";

/** Paths of further Node versions to test, separated as in PATH. */
export const NODES = [
  process.execPath,
  ...(process.env.SANDBOX_TEST_NODES ?? process.env.PAYMENTS_SANDBOX_OTHER_NODE ?? "")
    .split(delimiter)
    .filter((path) => path !== ""),
];

/** A project with the packed package installed. */
export class Project {
  readonly folder = temporaryFolder();

  /** `dependencies` come from this checkout; `links` are folders of other packages, by name. */
  constructor(
    files: Record<string, string>,
    dependencies: readonly string[] = [],
    links: Readonly<Record<string, string>> = {},
  ) {
    buildIfMissing();
    const installed = join(this.folder, "node_modules", "payments-sandbox");
    const { files: published } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    for (const name of ["package.json", ...published].filter((one) => existsSync(join(ROOT, one))))
      cpSync(join(ROOT, name), join(installed, name), { recursive: true });
    const own = dependencies.map((name) => [name, join(ROOT, "node_modules", name)] as const);
    for (const [name, target] of [...own, ...Object.entries(links)]) {
      const place = join(this.folder, "node_modules", name);
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(target, place);
    }
    for (const [name, text] of Object.entries({ "package.json": "{}", ...files })) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true });
      writeFileSync(join(this.folder, name), text);
    }
  }

  /** Runs a script of the project or of one of its dependencies. */
  async run(
    args: readonly string[],
    env: Record<string, string> = {},
    node = process.execPath,
  ): Promise<Omit<Finished, "signal">> {
    const child = spawn(node, args, {
      cwd: this.folder,
      env: { ...userEnvironment(), NODE_ENV: "test", NO_COLOR: "1", CI: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 250_000,
    });
    const { signal: _signal, ...end } = await new ChildOutput(child).ended;
    return end;
  }
}
