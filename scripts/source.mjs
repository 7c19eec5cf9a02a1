// Reads the source for the scripts that write files from it: the build and the docs.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleTools } from "./bundle.mjs";

/**
 * @template Result
 * @param {string} root the package's folder
 * @param {Record<string, string>} files name → source file
 * @param {(modules: Record<string, any>) => Promise<Result>} use is given the module of each file, by name
 * @returns {Promise<Result>}
 */
export async function withSource(root, files, use) {
  // In the package itself, whose own files the source finds above it.
  const folder = mkdtempSync(join(root, ".source-"));
  try {
    await bundleTools(root, files, folder);
    const modules = {};
    for (const name of Object.keys(files))
      modules[name] = await import(pathToFileURL(join(folder, `${name}.js`)).href);
    return await use(modules);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
