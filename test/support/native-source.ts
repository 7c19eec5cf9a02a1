import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Plugin } from "vitest/config";

const ROOT = join(import.meta.dirname, "../..");
const SOURCE = join(ROOT, "src");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
/** One folder per run, so that concurrent runs do not overwrite each other. */
const RUNS = join(ROOT, "node_modules/.cache/test-source");
const COMPILED = join(RUNS, String(process.pid));

/** Compiles the source once per run, which is faster than Vitest's transforms. */
export function nativeSource(): Plugin {
  let isOn = false;
  return {
    name: "native-source",
    enforce: "pre",
    config: async () => {
      const { writePageAssets } = await import(join(ROOT, "scripts/page-assets.mjs"));
      await writePageAssets(ROOT);
      return { test: { server: { deps: { external: [/\/node_modules\/\.cache\/test-source\//] } } } };
    },
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
  // Vitest maps stack traces with the source maps.
  const flags = [
    "--emitDeclarationOnly",
    "false",
    "--declaration",
    "false",
    "--inlineSourceMap",
    "--noCheck",
  ];
  execFileSync(process.execPath, [TSC, "-p", "tsconfig.build.json", "--outDir", COMPILED, ...flags], {
    cwd: ROOT,
    stdio: "inherit",
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
