import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { buildIfMissing, ROOT } from "../../support/process-command.js";
import { freePort } from "../../support/servers.js";
import { UserProject } from "../../support/user-project.js";
import { type Block, blocksOf, blocksOfKind, markedBlock, pageText } from "./pages.js";

/** Ports on the pages, which may be in use here. */
const PORTS = ["4402", "3000", "3001"];
/** Output after which the next block can run. */
const READY = /is ready|listens on port \d+\n|charge\.completed|event: hello/;

/** Runs a page's blocks in sequence, as a reader would. */
export class PageRun {
  readonly project = new UserProject();
  /** `terminal: NAME` keeps running, `run: NAME` succeeds, `breaks: NAME` fails. */
  readonly steps: readonly Block[];
  readonly environment: Record<string, string> = {};
  readonly #page: string;
  #ports: readonly number[] = [];

  constructor(page: string) {
    this.#page = page;
    this.steps = blocksOf(page).filter(({ marker }) => /^(terminal|run|breaks): /.test(marker ?? ""));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#ports[0]}`;
  }

  /** Chooses free ports and writes the page's files. */
  async prepare(): Promise<void> {
    buildIfMissing();
    this.#ports = await Promise.all(PORTS.map(freePort));
    this.environment.PAYMENTS_SANDBOX_URL = this.url;
    for (const { name, code } of blocksOfKind(this.#page, "file"))
      this.project.write(name, this.#withFreePorts(code));
  }

  codeOf(marker: string, page = this.#page): string {
    return this.#withFreePorts(markedBlock(page, marker).code);
  }

  /** Starts a process that runs until the session ends. */
  async begin(lines: string): Promise<void> {
    const env = { ...this.environment, PAYMENTS_SANDBOX_PORT: String(this.#ports[0]) };
    await this.project.terminal(lines, env).printed(READY);
  }

  /** Resolves with the output of a block that ends. */
  async carryOut({ marker, code, printed, ending }: Block): Promise<string> {
    const [kind] = marker!.split(": ");
    const lines = this.#withFreePorts(code);
    if (kind === "terminal") {
      await this.begin(lines);
      return "";
    }
    const end = await this.project.shell(lines, this.environment);
    const told = end.stdout + end.stderr;
    expect(end.code, told).toBe(kind === "breaks" ? 1 : 0);
    if (printed !== undefined) expect(end.stdout).toMatch(asPrinted(printed));
    if (ending !== undefined) expect(lastLines(end.stdout, ending)).toMatch(asPrinted(ending));
    if (kind === "breaks")
      expect(end.stdout.trimEnd().split("\n").at(-1)).toBe(
        /ends with `([^`]+)`/.exec(pageText(this.#page))![1],
      );
    return end.stdout;
  }

  #withFreePorts(text: string): string {
    return PORTS.reduce((all, port, index) => all.replaceAll(port, String(this.#ports[index])), text);
  }
}

function lastLines(text: string, ending: string): string {
  return text.split("\n").slice(-ending.split("\n").length).join("\n");
}

/** Matches the page's output, in which `…` replaces values that vary. */
function asPrinted(text: string): RegExp {
  const parts = text.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".+")}$`);
}

/** Runs a block as a file in a package that has this build installed. */
export function runBlock(
  name: string,
  code: string,
): Promise<{ stdout: string; stderr: string; code: number }> {
  const file = join(ROOT, `.docs-${process.pid}-${name}`);
  writeFileSync(file, code);
  return new Promise((resolve) => {
    execFile(process.execPath, [file], { cwd: ROOT, timeout: 250_000 }, (error, stdout, stderr) => {
      rmSync(file, { force: true });
      resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code ?? 1) });
    });
  });
}
