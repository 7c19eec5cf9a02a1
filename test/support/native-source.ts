import { readdirSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { buildSync } from "esbuild";
import type { Plugin } from "vitest/config";

const ROOT = join(import.meta.dirname, "../..");
const SOURCE = join(ROOT, "src");
/** One folder per run, so that concurrent runs do not overwrite each other. */
const RUNS = join(ROOT, "node_modules/.cache/test-source");
const COMPILED = join(RUNS, String(process.pid));

/** Compiles the source once per run, which is faster than Vitest's transforms. */
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
    // Vitest maps stack traces with it.
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
