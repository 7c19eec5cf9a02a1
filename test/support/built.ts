import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The environment without variables that configure the command. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => name !== "NODE_EXTRA_CA_CERTS" && !/^(PAYMENTS_|VITEST|GITHUB_)/.test(name),
    ),
  );
}

/** A user's environment, without variables of Node, npm and the test run. */
export function userEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(PAYMENTS_|VITEST|NODE_|npm_|TEST$|CI$|FORCE_COLOR$)/i.test(name),
    ),
  );
}

/** Builds if necessary; `npm test` builds first. */
export function buildIfMissing(): void {
  const isBuilt = () => ["dist/cli.cjs", "dist/shipped.json"].every((file) => existsSync(join(ROOT, file)));
  const lock = join(ROOT, "node_modules/.payments-sandbox-build");
  if (isBuilt() && !existsSync(lock)) return;
  try {
    mkdirSync(lock);
  } catch {
    // Another test file is building, so this thread waits.
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let tries = 0; existsSync(lock) && tries < 600; tries++) Atomics.wait(pause, 0, 0, 100);
    return;
  }
  try {
    if (!isBuilt()) execFileSync(process.execPath, [join(ROOT, "scripts/build.mjs")], { stdio: "inherit" });
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
