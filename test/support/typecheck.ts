import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./built.js";

/** Returns the output of a `tsc`, by default the newest. */
export function typeComplaints(
  folder: string,
  args: readonly string[],
  tsc = join(ROOT, "node_modules/typescript/bin/tsc"),
): string {
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, "--pretty", "false", ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  return stdout + stderr;
}
