import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { transformSync } from "rolldown/utils";
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
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue;
    const source = join(SOURCE, file);
    const compiled = join(COMPILED, file.replace(/ts$/, "js"));
    mkdirSync(dirname(compiled), { recursive: true });
    writeFileSync(compiled, compile(source));
  }
  process.once("exit", () => rmSync(COMPILED, { recursive: true, force: true }));
}

/** Returns a source as JavaScript with its source map, by which Vitest maps stack traces. */
function compile(source: string): string {
  const options = { target: "node20", sourcemap: true };
  const { code, errors, map } = transformSync(source, readFileSync(source, "utf8"), options);
  if (errors.length > 0) throw new AggregateError(errors, `${source} does not compile`);
  const encoded = Buffer.from(JSON.stringify({ ...map, sourcesContent: undefined })).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
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
