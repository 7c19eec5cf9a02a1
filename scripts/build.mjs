// Builds dist/: the command and the library, each with everything it needs in a few files, so that a start
// reads little; the shipped YAML, checked and compiled; and the type declarations.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

await build({
  absWorkingDir: root,
  entryPoints: {
    cli: "src/cli/main.ts",
    index: "src/index.ts",
    shipped: "src/runtime/shipped.ts",
    schema: "src/schema/scenario-json-schema.ts",
  },
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minify: true,
  chunkNames: "chunks/[name]-[hash]",
  logLevel: "warning",
  // The ES module build of yaml, for named exports and tree-shaking; its "node" condition is CommonJS.
  alias: {
    yaml: join(root, "node_modules/yaml/browser/index.js"),
    "node:http2": join(root, "scripts/http2-stub.mjs"),
  },
  // Some CommonJS dependencies ask for require() of Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});

const { compileShipped, COMPILED_FILE } = await import(pathToFileURL(join(dist, "shipped.js")).href);
writeFileSync(join(root, COMPILED_FILE), JSON.stringify(await compileShipped()));
rmSync(join(dist, "shipped.js"));

// The editors' schema is kept with the scenarios; a test holds it against what the source says.
const { scenarioJsonSchemaText, SCENARIO_SCHEMA_FILE } = await import(
  pathToFileURL(join(dist, "schema.js")).href
);
writeFileSync(join(root, SCENARIO_SCHEMA_FILE), scenarioJsonSchemaText());
rmSync(join(dist, "schema.js"));

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript")), "..", "bin", "tsc");
execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], { stdio: "inherit" });

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
process.stdout.write(`built payments-sandbox ${version}\n`);
