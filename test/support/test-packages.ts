import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type sets from "../packages.json";
import { ROOT } from "./built.js";
import { refuseInQuick } from "./quick.js";

type SetName = keyof typeof sets;

/** Installs a set of test/packages.json at its first use; returns its `node_modules`. */
export async function installSet(name: SetName): Promise<string> {
  refuseInQuick("packages of test/packages.json");
  const { installSet } = await import(join(ROOT, "scripts/test-packages.mjs"));
  return installSet(name);
}

/** Imports a package of a set; `Module` is the part of it that the test uses. */
export async function importFrom<Module>(set: SetName, name: string): Promise<Module> {
  const { resolve } = createRequire(join(await installSet(set), "importer.js"));
  return import(pathToFileURL(resolve(name)).href);
}
