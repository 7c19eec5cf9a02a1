// A copy of the tree in a temporary folder, where files can be changed and tests run.
import { spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";

/** @typedef {{ file: string, ms: number, isGreen: boolean }} Suite a test file and how it went */
/** @typedef {{ status: "killed" | "survived" | "limit", by?: string, why?: string, ms: number, suites: Suite[] }} Outcome */

const NOT_COPIED = new Set(["node_modules", ".git", "dist", "release"]);
const CACHES = new Set([".cache", ".vite"]);
const BUILD_MS = 5 * 60_000;

/** Removed when the process ends, with all that runs in it. */
export class TreeCopy {
  #running;

  constructor(root) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "mutants-")));
    process.once("exit", () => this.#remove());
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
    cpSync(root, this.folder, { recursive: true, filter: (file) => !NOT_COPIED.has(basename(file)) });
    // Not one link for the whole folder: vitest.config.ts compiles src into node_modules/.cache.
    mkdirSync(join(this.folder, "node_modules"));
    for (const name of readdirSync(join(root, "node_modules")).filter((one) => !CACHES.has(one)))
      symlinkSync(join(root, "node_modules", name), join(this.folder, "node_modules", name));
  }

  read(file) {
    return readFileSync(join(this.folder, file), "utf8");
  }

  write(file, text) {
    writeFileSync(join(this.folder, file), text);
  }

  /** @returns {string[]} paths of all test files */
  tests() {
    return readdirSync(join(this.folder, "test"), { recursive: true, encoding: "utf8" })
      .map((file) => `test/${file.replaceAll("\\", "/")}`)
      .filter((file) => file.endsWith(".test.ts"));
  }

  /** @returns {Promise<boolean>} whether dist/ was built */
  async build() {
    return (await this.#run(["scripts/build.mjs", "--no-types"], BUILD_MS)) === 0;
  }

  /** @param {string[]} files all tests if empty @param {number} limitMs the limit of a test is a third of it @returns {Promise<Outcome>} */
  async test(files, limitMs, ...flags) {
    const report = join(this.folder, "report.json");
    rmSync(report, { force: true });
    const limits = ["test", "hook"].map((what) => `--${what}Timeout=${limitMs / 3}`);
    const output = ["--reporter=json", `--outputFile=${report}`];
    const vitest = ["node_modules/vitest/vitest.mjs", "run", "--maxWorkers=1"];
    const begin = Date.now();
    const code = await this.#run([...vitest, ...files, ...limits, ...output, ...flags], limitMs);
    const ms = Date.now() - begin;
    if (code === "limit") return { status: "limit", ms, suites: [] };
    const { suites, ...failure } = this.#results(report);
    return { status: code === 0 ? "survived" : "killed", ...(code !== 0 && failure), ms, suites };
  }

  /** @returns {{ by: string, why: string, suites: Suite[] }} */
  #results(report) {
    let results = [];
    try {
      results = JSON.parse(readFileSync(report, "utf8")).testResults;
    } catch {
      // Vitest ended before it wrote one.
    }
    const isFailed = ({ status }) => status === "failed";
    const suite = results.find(isFailed);
    const test = suite?.assertionResults.find(isFailed);
    return {
      by: suite === undefined ? "vitest ended" : `${this.#path(suite.name)}: ${test?.fullName ?? "no test"}`,
      why: (test?.failureMessages[0] ?? suite?.message ?? "").split("\n")[0],
      suites: results.map(({ name, startTime, endTime, status }) => ({
        file: this.#path(name),
        ms: endTime - startTime,
        isGreen: status === "passed",
      })),
    };
  }

  #path(file) {
    return relative(this.folder, file).replaceAll("\\", "/");
  }

  /** @returns {Promise<number | "limit">} the exit code of Node */
  #run(args, limitMs) {
    return new Promise((resolve) => {
      // A process group, to kill it with all that tests started.
      const child = spawn(process.execPath, args, { cwd: this.folder, stdio: "ignore", detached: true });
      this.#running = child.pid;
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        this.#kill();
      }, limitMs);
      child.once("close", (code) => {
        clearTimeout(timer);
        this.#kill();
        this.#running = undefined;
        resolve(isLate ? "limit" : (code ?? 1));
      });
    });
  }

  #kill() {
    try {
      if (this.#running !== undefined) process.kill(-this.#running, "SIGKILL");
    } catch {
      // The group has ended.
    }
  }

  #remove() {
    this.#kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
