import { readdirSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { buildSync } from "esbuild";
import type { Plugin } from "vitest/config";

const ROOT = join(import.meta.dirname, "../..");
const SOURCE = join(ROOT, "src");
/** A folder a run, so that two at a time do not overwrite each other's. */
const RUNS = join(ROOT, "node_modules/.cache/test-source");
const COMPILED = join(RUNS, String(process.pid));

/**
 * Tests import the source as Node loads it by itself: compiled once for a whole run. Vitest would transform its hundreds
 * of modules, and hand each of them to each worker in a message. Where files are watched it still does.
 */
export function nativeSource(): Plugin {
  let isOn = false;
  return {
    name: "native-source",
    enforce: "pre",
    config: () => ({ test: { server: { deps: { external: [/\/node_modules\/\.cache\/test-source\//] } } } }),
    configureVitest({ vitest }) {
      isOn = !vitest.config.watch;
      if (isOn) compileOnce();
    },
    resolveId(specifier, importer) {
      if (!isOn || importer === undefined || !specifier.startsWith(".")) return null;
      const file = resolve(dirname(importer), specifier);
      return file.startsWith(SOURCE + sep) ? join(COMPILED, relative(SOURCE, file)) : null;
    },
  };
}

function compileOnce(): void {
  for (const run of namesIn(RUNS))
    if (!isAlive(Number(run))) rmSync(join(RUNS, run), { recursive: true, force: true });
  buildSync({
    entryPoints: readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join(SOURCE, file)),
    outbase: SOURCE,
    outdir: COMPILED,
    format: "esm",
    target: "node20",
    // Vitest finds the lines of the source by it.
    sourcemap: "inline",
    sourcesContent: false,
  });
  process.once("exit", () => rmSync(COMPILED, { recursive: true, force: true }));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
