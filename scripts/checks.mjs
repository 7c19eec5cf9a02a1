// Build, types and lint beside each other: one after the other they leave a second core idle for most of the time.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const cwd = join(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * @param {string} script one of package.json's
 * @returns {Promise<boolean>} whether it went well; what it says comes in one piece, when it is over
 */
function passes(script) {
  return new Promise((resolve) => {
    const child = spawn(`npm run -s ${script}`, { cwd, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    const said = [];
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ])
      from.on("data", (chunk) => said.push(() => to.write(chunk)));
    child.once("error", (error) => said.push(() => process.stderr.write(`${script}: ${error.message}\n`)));
    child.once("close", (code) => {
      for (const say of said) say();
      resolve(code === 0);
    });
  });
}

const passed = await Promise.all(["build", "typecheck", "lint"].map(passes));
if (passed.includes(false)) process.exitCode = 1;
