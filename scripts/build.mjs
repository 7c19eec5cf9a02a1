// Builds dist/: the command and the library, each with everything it needs in a few files, so that a start
// reads little; the shipped YAML, checked and compiled; and the type declarations. With --if-stale it does nothing
// if no source is newer: npm prepares a clone at each `npm ci`, and at its first `npx payments-sandbox`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, bundleOver } from "./bundle.mjs";
import { oneFile } from "./one-file.mjs";
import { OPERATIONS_FILE, operationsText } from "./operations.mjs";
import { writePageAssets } from "./page-assets.mjs";
import { withSource } from "./source.mjs";
import { readDescribed } from "./type-words.mjs";
import { writeTypes } from "./types.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
if (process.argv.includes("--if-stale") && isFresh()) process.exit();
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await writePageAssets(root);

await withSource(
  root,
  {
    shipped: "src/tools/scenario/shipped.ts",
    schema: "src/tools/scenario/json-schema.ts",
    opening: "src/library/opening.ts",
    documents: "src/library/openapi-documents.ts",
    operations: "src/server/control/operations.ts",
  },
  async ({ shipped, schema, opening, documents, operations }) => {
    const { COMPILED_FILES_PATH, compileShippedFiles } = shipped;
    writeFileSync(join(root, COMPILED_FILES_PATH), JSON.stringify(await compileShippedFiles()));
    // Three written files are kept with the source; a test compares each with what the source says.
    writeFileSync(join(root, OPERATIONS_FILE), operationsText(operations.CONTROL_OPERATIONS));
    const { SCENARIO_SCHEMA_FILE, scenarioJsonSchemaText } = schema;
    writeFileSync(join(root, SCENARIO_SCHEMA_FILE), scenarioJsonSchemaText());
    // Whoever asks for an OpenAPI document is spared the making.
    for (const api of ["service", "control"]) {
      const document = await documents.openApiDocumentOf(api, opening.openSandbox);
      writeFileSync(join(dist, `openapi-${api}.json`), JSON.stringify(document));
    }
  },
);

const { core, exported } = await bundle(
  root,
  {
    cli: "src/cli/main.ts",
    "compiled-code": "src/core/files/compiled-code.ts",
    index: "src/library/index.ts",
    testing: "src/testing/common-js.ts",
    "testing-setup": "src/testing/setup.ts",
  },
  dist,
  ["src/cli/main.ts", "src/cli/start.ts"],
);
// The doors for `import` stand before the same modules that `require` loads.
writeFileSync(join(dist, "index.js"), `export { ${exported.index.join(", ")} } from "./index.cjs";\n`);
await bundleOver(root, { testing: "src/testing/index.ts" }, dist, {
  "src/testing/setup.ts": "./testing-setup.cjs",
});

writeFileSync(join(dist, "payments-sandbox.mjs"), await oneFile(root, core), { mode: 0o755 });

// Mutants need not type-check: npm run mutants builds without.
if (!process.argv.includes("--no-types")) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const emitted = join(dist, "emitted");
  // Several threads each look at what they share: half as much work again, and the order of a union is their luck.
  const project = join(root, "tsconfig.build.json");
  execFileSync(process.execPath, [tsc, "-p", project, "--outDir", emitted, "--singleThreaded"], {
    stdio: "inherit",
  });
  const doors = { index: "library/index.d.ts", testing: "testing/index.d.ts" };
  writeTypes(emitted, doors, join(dist, "types"), await readDescribed(root));
  rmSync(emitted, { recursive: true });
}

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
process.stdout.write(`built payments-sandbox ${version}\n`);

/** Compares the last file of a build with the source, except package.json, which packing rewrites. */
function isFresh() {
  const last = join(dist, "types/index.d.ts");
  if (!existsSync(last)) return false;
  const sources = ["src", "scripts", "scenarios", "fixtures"].flatMap((folder) => [
    folder,
    ...readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
  ]);
  const builtMs = statSync(last).mtimeMs;
  return [...sources, "package-lock.json", "tsconfig.build.json"].every(
    (name) => statSync(join(root, name)).mtimeMs <= builtMs,
  );
}
