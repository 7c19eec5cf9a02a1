// Bundles dist/ with rolldown in two passes. Loading a file costs a start as much as parsing 10 kB of it, so what
// a start reaches is one file (`core`), and everything that is loaded only when it is asked for stays apart. It is
// CommonJS, which both `import` and `require` load, and a start sooner than ES modules.
import { join } from "node:path";
import { rolldown } from "rolldown";
import { parseAst } from "rolldown/parseAst";
import { withoutWords } from "./words.mjs";

/** In what is bundled a reader of the files stands in the place of the module that makes the OpenAPI documents. */
const readsDocuments = {
  name: "reads-documents",
  resolveId: (source, importer) =>
    source === "./openapi-documents.js" && importer !== undefined
      ? join(importer, "../openapi-documents-built.ts")
      : undefined,
};

/** What is shipped carries no words of the documents, and reads the documents that the build has made. */
const SHIPPED = [withoutWords, readsDocuments];

/**
 * @param {string} root the package's folder
 * @param {Record<string, string>} input entry name → source file
 * @param {string} dir where to write
 * @param {string[]} startModules ends of the paths of the modules that every start runs
 * @returns {Promise<{ core: Set<string>, exported: Record<string, string[]> }>} the modules that a start reaches, and what
 *   each entry exports
 */
export async function bundle(root, input, dir, startModules) {
  const chunks = await chunksOf(await open(root, input, SHIPPED));
  const core = reachedBy(startModules, chunks);
  const control = reachedBy(["src/server/control/app.ts"], chunks);
  const bundled = await open(root, input, SHIPPED);
  const { output } = await bundled.write({
    ...COMMON_JS,
    dir,
    codeSplitting: { includeDependenciesRecursively: false, groups: groupsOf(core, control) },
  });
  await bundled.close();
  const entries = output.filter((one) => one.type === "chunk" && one.isEntry);
  return { core, exported: Object.fromEntries(entries.map(({ name, exports }) => [name, exports])) };
}

/**
 * What the build itself needs of the source, words and all.
 *
 * @param {string} root the package's folder
 * @param {Record<string, string>} input entry name → source file
 * @param {string} dir where to write
 */
export async function bundleTools(root, input, dir) {
  const bundled = await open(root, input, [], "silent");
  await bundled.write({ format: "esm", dir });
  await bundled.close();
}

/**
 * Entries over what is bundled already. An entry that awaits at its top would take all it reaches out of the core.
 *
 * @param {string} root the package's folder
 * @param {Record<string, string>} input entry name → source file
 * @param {string} dir where to write
 * @param {Record<string, string>} bundled source file → what it is imported as from there
 */
export async function bundleOver(root, input, dir, bundled) {
  const paths = Object.fromEntries(Object.entries(bundled).map(([file, path]) => [join(root, file), path]));
  const over = await rolldown({
    cwd: root,
    input,
    platform: "node",
    transform: { target: "node20" },
    external: (id) => id === "vitest" || id in paths,
    logLevel: "warn",
  });
  await over.write({ ...OUTPUT, dir, paths });
  await over.close();
}

/**
 * The command in parts for one file to carry, as CommonJS, with a module in the place of the package's folder.
 *
 * @param {string} root the package's folder
 * @param {string} inside what stands in for src/core/files/package.ts
 * @param {Set<string>} core what a start reaches, as `bundle` has found it
 * @returns {Promise<{ name: string, code: string, isForStart: boolean }[]>}
 */
export async function bundleInParts(root, inside, core) {
  const standsIn = {
    name: "stands-in",
    resolveId: (source, importer = root) =>
      join(importer, "..", source) === join(root, "src/core/files/package.js") ? inside : undefined,
  };
  const bundled = await open(root, { cli: "src/cli/main.ts" }, [...SHIPPED, standsIn]);
  const { output } = await bundled.generate({
    ...COMMON_JS,
    chunkFileNames: "[name]-[hash].cjs",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: "core", test: (id) => core.has(id) || id === inside }],
    },
  });
  await bundled.close();
  return output.map(({ fileName, code, isEntry, name, moduleIds }) => ({
    name: fileName,
    code,
    // The adapter to fetch-style requests is loaded by every start once its port is open.
    isForStart:
      isEntry ||
      ["core", "rolldown-runtime"].includes(name) ||
      moduleIds.some((id) => /@hono[\\/]node-server/.test(id)),
  }));
}

/** The library needs the core without the command line; the control API is loaded as one, a little later. */
function groupsOf(core, control) {
  const isCommand = (id) => /[\\/](commander|src[\\/]cli)[\\/]/.test(id);
  return [
    { name: "command", test: (id) => core.has(id) && isCommand(id) },
    { name: "core", test: (id) => core.has(id) && !isCommand(id) },
    { name: "control", test: (id) => control.has(id) && !core.has(id) },
  ];
}

const OUTPUT = {
  format: "esm",
  minify: true,
  chunkFileNames: "chunks/[name]-[hash].js",
  plugins: [{ name: "text", generateBundle: (_options, chunks) => rewrite(Object.values(chunks)) }],
};

const COMMON_JS = {
  ...OUTPUT,
  format: "cjs",
  strict: true,
  // Jest has no import() without a flag.
  dynamicImportInCjs: false,
  entryFileNames: "[name].cjs",
  chunkFileNames: "chunks/[name]-[hash].cjs",
};

/** Node shows the whole line an uncaught error was thrown in, so a line must not be the whole program. */
function rewrite(chunks) {
  for (const chunk of chunks) {
    if (chunk.type !== "chunk") continue;
    const { code } = chunk;
    const { ends, kept } = places(parseAst(code));
    const parts = [0, ...ends].map((from, index) => inAscii(code, from, ends[index] ?? code.length, kept));
    chunk.code = parts.join("\n");
  }
}

/** Where each statement and each member of a class ends, and the templates whose text must stay as it is written. */
function places(program) {
  const ends = new Set();
  const kept = [];
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    if (["Program", "BlockStatement", "StaticBlock", "ClassBody"].includes(node.type))
      for (const { end } of node.body) ends.add(end);
    if (node.type === "TaggedTemplateExpression") kept.push(node);
    for (const value of Object.values(node)) visit(value);
  };
  visit(program);
  return { ends: [...ends].sort((a, b) => a - b), kept };
}

/**
 * Code that is all ASCII takes half the memory and is read sooner. What is not stands in texts and patterns, which have
 * escapes for it; a template with a tag may be read as it is written.
 */
function inAscii(code, from, to, kept) {
  return code.slice(from, to).replace(/[^\0-\x7f]/g, (unit, at) => {
    const isKept = kept.some(({ start, end }) => start <= from + at && from + at < end);
    return isKept ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function open(root, input, plugins, logLevel = "warn") {
  return rolldown({
    cwd: root,
    input,
    plugins: [...plugins, cryptoWhenCalled(root)],
    platform: "node",
    // The test runner is the user's own.
    external: ["vitest", "payments-sandbox:inside"],
    transform: { target: "node20" },
    resolve: {
      // The ES module builds, for tree-shaking.
      mainFields: ["module", "main"],
      alias: {
        // The ES module build of yaml, for tree-shaking; its "node" condition is CommonJS.
        yaml: join(root, "node_modules/yaml/browser/index.js"),
        "node:http2": join(root, "scripts/http2-stub.mjs"),
      },
    },
    logLevel,
    preserveEntrySignatures: "allow-extension",
  });
}

/** node:crypto by its stand-in in all of ours but where certificates are read, which needs the classes of the real one. */
function cryptoWhenCalled(root) {
  return {
    name: "crypto-when-called",
    resolveId: (source, importer = "") =>
      source === "node:crypto" &&
      importer.startsWith(join(root, "src")) &&
      !/[\\/]http[\\/]tls\./.test(importer)
        ? join(root, "scripts/crypto-stub.mjs")
        : undefined,
  };
}

/** What comes out where nothing is grouped, by file name. */
async function chunksOf(bundled) {
  const { output } = await bundled.generate({ format: "esm" });
  await bundled.close();
  return new Map(output.filter((one) => one.type === "chunk").map((one) => [one.fileName, one]));
}

/** The modules that the chunks of those modules load statically. */
function reachedBy(modules, chunks) {
  const seen = new Set();
  const walk = (chunk) => {
    if (chunk === undefined || seen.has(chunk)) return;
    seen.add(chunk);
    for (const name of chunk.imports) walk(chunks.get(name));
  };
  for (const chunk of chunks.values())
    if (modules.some((end) => chunk.facadeModuleId?.endsWith(end))) walk(chunk);
  // zod's JSON Schema writer stands in files that a start's schemas touch and never call.
  return new Set([...seen].flatMap((chunk) => chunk.moduleIds).filter((id) => !/json-schema/.test(id)));
}
