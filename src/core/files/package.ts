import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// In the one file of a release scripts/one-file/package.mjs stands in for this module: there is no folder then.

let root: string | undefined;
let version: string | undefined;

/** The folder the package lies in, whether this runs from src or from the bundle. */
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

/** The text of one of the package's own files, by its path in the package. */
export function packageText(path: string): string {
  return readFileSync(join(packageRoot(), path), "utf8");
}

/** The names of the files in one of the package's folders, sorted. */
export function packageFiles(folder: string): string[] {
  return readdirSync(join(packageRoot(), folder)).sort();
}

/** The flows that are shipped, by their paths in the package. */
export function packageFlows(): string[] {
  return packageFiles("scenarios")
    .filter((name) => /^flow_.*\.yaml$/.test(name))
    .map((name) => `scenarios/${name}`);
}

/** The package's version, from the one place that says it. */
export function packageVersion(): string {
  version ??= (JSON.parse(packageText("package.json")) as { version: string }).version;
  return version;
}

/** What starts this command again, before its own words. */
export function ownCommand(): readonly string[] {
  return [process.execPath, join(packageRoot(), "bin/payments-sandbox.js")];
}
