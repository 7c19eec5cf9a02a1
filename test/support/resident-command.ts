import { type ChildProcess, fork } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { buildIfMissing, cleanEnvironment } from "./built.js";
import type { Finished } from "./child-output.js";
import { atEndOfFile } from "./lifetime.js";

const PROGRAM = fileURLToPath(new URL("resident.mjs", import.meta.url));
/** Idle processes of this worker. */
const idle: ChildProcess[] = [];

/** Runs a command in a resident process; see `run`. */
export function carryOut(
  args: readonly string[],
  {
    cwd = tmpdir(),
    env,
  }: { readonly cwd?: string | undefined; readonly env?: Record<string, string> | undefined } = {},
): Promise<Finished> {
  const child = idle.pop() ?? begin();
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`the process ended over: ${args.join(" ")}`));
    child.once("exit", onExit);
    child.once("message", ({ isLast, ...finished }: Finished & { isLast: boolean }) => {
      child.off("exit", onExit);
      if (!isLast) idle.push(child);
      resolve(finished);
    });
    child.send({ args, cwd, env: { ...cleanEnvironment(), ...env } });
  });
}

function begin(): ChildProcess {
  buildIfMissing();
  const child = fork(PROGRAM, {
    execArgv: [],
    env: cleanEnvironment(),
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  atEndOfFile(async () => {
    idle.splice(0);
    child.kill();
    await ended;
  });
  return child;
}
