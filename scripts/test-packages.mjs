// Installs npm packages that single tests need (test/packages.json), each set in a folder apart, so that a clone does
// without them. A test installs its own set at first use; all sets, as .ci/run does:
//   PAYMENTS_SANDBOX_TEST_PACKAGES=FOLDER node scripts/test-packages.mjs
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cache = process.env.PAYMENTS_SANDBOX_TEST_PACKAGES ?? join(root, "node_modules/.cache/test-packages");
/** @type {Record<string, Record<string, string>>} set → its dependencies, as in a package.json */
const sets = JSON.parse(readFileSync(join(root, "test/packages.json"), "utf8"));

/**
 * @param {string} name of a set
 * @returns {Promise<string>} its `node_modules`
 */
export async function installSet(name) {
  const manifest = JSON.stringify({ private: true, dependencies: sets[name] });
  const hash = createHash("sha256").update(manifest).digest("hex").slice(0, 8);
  const folder = join(cache, `${name}-${hash}`);
  if (!existsSync(folder)) {
    // Several test files may install one set at a time; the first to finish gives it its name.
    const unfinished = `${folder}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    writeFileSync(join(unfinished, "package.json"), manifest);
    try {
      await install(unfinished, name);
      renameSync(unfinished, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  return join(folder, "node_modules");
}

/** @returns {Promise<void>} */
function install(cwd, name) {
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline"];
  return new Promise((resolve, reject) => {
    const child = spawn("npm", ["install", ...flags], { cwd, shell: process.platform === "win32" });
    let said = "";
    for (const output of [child.stdout, child.stderr])
      output.setEncoding("utf8").on("data", (text) => {
        said += text;
      });
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`npm could not install the set "${name}" of test/packages.json:\n${said}`)),
    );
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const name of Object.keys(sets)) await installSet(name);
