// The beginning and the end of the one file, as text: `load` is written into it as it stands.

/**
 * What carries the one file: `chunks` are functions, `packed` are chunks and files as base64 of brotli, unpacked when
 * they are asked for; `small` has all short chunks.
 */
function load({ chunks, packed, require, own, unpack }) {
  const loaded = new Map();
  let small;
  const text = (name) =>
    packed[name] === undefined ? (small ??= JSON.parse(unpack(packed.small)))[name] : unpack(packed[name]);
  const files = (path) => {
    if (packed[path] === undefined) throw new Error(`${path} is not in the one file`);
    return text(path);
  };
  const chunk = (name) => {
    if (loaded.has(name)) return loaded.get(name).exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const carryOut =
      chunks[name] ??
      new Function("exports", "require", "module", `${text(name)}\n//# sourceURL=payments-sandbox/${name}`);
    carryOut(module.exports, requireIn(name), module);
    return module.exports;
  };
  const requireIn = (from) => (name) => {
    if (name === "payments-sandbox:inside") return { files, own };
    if (!name.startsWith(".")) return require(name);
    return chunk(new URL(name, `inside:/${from}`).pathname.slice(1));
  };
  return chunk;
}

const OLDEST = 20;

/** The end of the file, after the chunks. */
const MAIN = `
if (Number.parseInt(process.versions.node, 10) < ${OLDEST}) {
  process.stderr.write("payments-sandbox needs Node ${OLDEST} or newer; this is " + process.version + "\\n");
  process.exitCode = 1;
} else load({ chunks, packed, require, own, unpack })("cli.cjs").main(process.argv);
`;

const UNPACK = `const unpack = (text) =>
  require("node:zlib").brotliDecompressSync(Buffer.from(text, "base64")).toString("utf8");
`;

const MODULE = `#!/usr/bin/env node
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
const require = createRequire(import.meta.url);
const own = [process.execPath, ...(process.versions.deno ? ["run", "-A"] : []), fileURLToPath(import.meta.url)];
`;

/** A module that any Node, Bun or Deno runs. */
export const asModule = (body) => `${MODULE}${UNPACK}${load}\n${body}${MAIN}`;

/** The same as a script for a binary that is Node and this in one: it starts itself again. */
export function asBinary(module) {
  if (!module.startsWith(MODULE)) throw new Error("this is no file that asModule made");
  return `"use strict";\nconst own = [process.execPath];\n${module.slice(MODULE.length)}`;
}
