import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// The single-file release has no package folder; scripts/one-file/package.mjs replaces this module there.

let root: string | undefined;
let version: string | undefined;

function packageRoot(): string {
  return (root ??= findRoot());
}

function findRoot(): string {
  let folder = import.meta.dirname ?? dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "fixtures", "default.yaml"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the package's fixtures folder is missing");
    folder = parent;
  }
  return folder;
}

/** @param path relative to the package */
export function readPackageFile(path: string): string {
  return readFileSync(join(packageRoot(), path), "utf8");
}

export function listPackageFiles(folder: string): string[] {
  return readdirSync(join(packageRoot(), folder)).sort();
}

export function listShippedFlows(): string[] {
  return listPackageFiles("scenarios")
    .filter((name) => /^flow_.*\.yaml$/.test(name))
    .map((name) => `scenarios/${name}`);
}

export function packageVersion(): string {
  version ??= (JSON.parse(readPackageFile("package.json")) as { version: string }).version;
  return version;
}

/** Executable and script that start this command, without its arguments. */
export function cliLaunchCommand(): readonly string[] {
  return [process.execPath, join(packageRoot(), "bin/payments-sandbox.js")];
}
