// dist/payments-sandbox.mjs: the whole command in one file, which a release carries beside the package. What a start
// reaches is plain code in it; all else is packed, and unpacked when it is asked for.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { bundleInParts } from "./bundle.mjs";
import { asModule } from "./one-file/loader.mjs";

/** Files of the package that the command reads. */
const FILES = [
  "package.json",
  "dist/shipped.json",
  "dist/pages.json",
  "dist/openapi-service.json",
  "dist/openapi-control.json",
  "fixtures/compare.yaml",
];

/** Shorter chunks are packed together, in half the space. */
const MIN_CHUNK = 4_000;

/**
 * @param {string} root the package's folder, dist/ built
 * @param {Set<string>} core the modules that a start reaches
 * @returns {Promise<string>} the text of the one file
 */
export async function oneFile(root, core) {
  const inside = join(root, "scripts/one-file/package.mjs");
  const parts = await bundleInParts(root, inside, core);
  const plain = parts.filter(({ isForStart }) => isForStart);
  const others = parts.filter(({ isForStart }) => !isForStart).map(({ name, code }) => [name, code]);
  const packed = others.filter(([, code]) => code.length >= MIN_CHUNK);
  packed.push([
    "small",
    JSON.stringify(Object.fromEntries(others.filter(([, code]) => code.length < MIN_CHUNK))),
  ]);
  for (const file of FILES) packed.push([file, readFileSync(join(root, file), "utf8")]);
  packed.push(["flows", JSON.stringify(flowsOf(root))]);
  const body = [
    "const chunks = {",
    ...plain.map(({ name, code }) => `${JSON.stringify(name)}: (exports, require, module) => {\n${code}\n},`),
    "};",
    "const packed = {",
    ...packed.map(([name, text]) => `${JSON.stringify(name)}: "${pack(text)}",`),
    "};",
    "",
  ].join("\n");
  return asModule(body);
}

function flowsOf(root) {
  const names = readdirSync(join(root, "scenarios")).filter((name) => /^flow_.*\.yaml$/.test(name));
  const paths = names.sort().map((name) => `scenarios/${name}`);
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

function pack(text) {
  const bytes = Buffer.from(text);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params }).toString("base64");
}
