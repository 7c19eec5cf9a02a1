import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import Module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { buildIfMissing, ROOT } from "../support/built.js";
import { run } from "../support/process-command.js";

const isKeptByNode = "enableCompileCache" in Module;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A copy of the built package. */
class Package {
  readonly compiled: string;
  readonly folder = mkdtempSync(join(tmpdir(), "payments-sandbox-test-"));

  constructor() {
    folders.push(this.folder);
    buildIfMissing();
    // Excludes compiled code from other tests.
    const filter = (path: string) => path !== join(ROOT, "dist/compiled");
    for (const part of ["bin", "dist", "fixtures", "scenarios", "package.json"])
      cpSync(join(ROOT, part), join(this.folder, part), { recursive: true, filter });
    this.compiled = join(this.folder, "dist/compiled");
  }

  version(env: Record<string, string> = {}) {
    return run(["--version"], { file: join(this.folder, "bin/payments-sandbox.js"), env });
  }

  /** Returns each stored file with its inode and time, to detect rewriting. */
  kept(): Map<string, string> {
    const files = readdirSync(this.compiled, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    return new Map(
      files.map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        const { ino, mtimeMs, size } = statSync(path);
        return [path.slice(this.compiled.length + 1), [ino, mtimeMs, size].join()];
      }),
    );
  }
}

const VERSION = { code: 0, stdout: "0.1.0\n", stderr: "" };

describe.skipIf(isKeptByNode)("compiled code, when Node does not cache it", () => {
  it("caches compiled code and uses it at the next start", async () => {
    const own = new Package();
    expect(await own.version()).toMatchObject(VERSION);
    const kept = own.kept();
    const folder = `${process.version}-${process.platform}-${process.arch}`;
    expect([...kept.keys()]).toContainEqual(expect.stringMatching(`^${folder}/core-.*\\.cjs$`));
    expect(await own.version()).toMatchObject(VERSION);
    // V8 would reject incompatible code and rewrite the file.
    expect(own.kept()).toEqual(kept);
  });

  it("runs from the cache without reading the source again", async () => {
    const own = new Package();
    const start = join(own.folder, "start.cjs");
    const chunk = join(own.folder, "dist/chunks/one.cjs");
    writeFileSync(
      start,
      `const keep = require("./dist/compiled-code.cjs").cacheCompiledCode();
       process.stdout.write(require(${JSON.stringify(chunk)}).said);
       keep();`,
    );
    for (const text of ["first", "other"]) {
      writeFileSync(chunk, `exports.said = "${text}";`);
      expect(await run([], { file: start })).toMatchObject({ code: 0, stdout: "first", stderr: "" });
    }
  });

  it("rewrites a corrupt cache file", async () => {
    const own = new Package();
    await own.version();
    const kept = own.kept();
    const core = [...kept.keys()].find((path) => path.includes("core-"))!;
    truncateSync(join(own.compiled, core), 1000);
    expect(await own.version()).toMatchObject(VERSION);
    const mended = own.kept();
    expect(mended.get(core)).not.toBe(kept.get(core));
    expect(statSync(join(own.compiled, core)).size).toBeGreaterThan(100_000);
    expect([...mended.keys()]).toEqual([...kept.keys()]);
  });

  it("skips the cache silently when the package is not writable", async () => {
    const own = new Package();
    writeFileSync(own.compiled, "");
    expect(await own.version()).toMatchObject(VERSION);
  });

  it("skips the cache with NODE_DISABLE_COMPILE_CACHE", async () => {
    const own = new Package();
    expect(await own.version({ NODE_DISABLE_COMPILE_CACHE: "1" })).toMatchObject(VERSION);
    expect(existsSync(own.compiled)).toBe(false);
  });
});

it.runIf(isKeptByNode)("stores no compiled code on a Node version with its own cache", async () => {
  const own = new Package();
  expect(await own.version()).toMatchObject(VERSION);
  expect(existsSync(own.compiled)).toBe(false);
});

it("the bundle contains only ASCII", () => {
  buildIfMissing();
  const chunks = join(ROOT, "dist/chunks");
  const core = readdirSync(chunks).filter((name) => name.startsWith("core-"));
  expect(core).toHaveLength(1);
  const text = readFileSync(join(chunks, core[0]!), "latin1");
  expect([...text].filter((unit) => unit > "\x7f")).toEqual([]);
  expect(text).toContain("\\u2026");
});
