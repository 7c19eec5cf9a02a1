import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

let root: string | undefined;
let version: string | undefined;

/** The folder the package lies in, whether this runs from src or from the bundle. */
export function packageRoot(): string {
  return (root ??= findRoot());
}

function findRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "fixtures", "default.yaml"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the package's fixtures folder is missing");
    folder = parent;
  }
  return folder;
}

/** The package's version, from the one place that says it. */
export function packageVersion(): string {
  version ??= (JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as { version: string })
    .version;
  return version;
}
