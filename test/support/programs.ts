import { spawn, spawnSync } from "node:child_process";
import { atEnd } from "./lifetime.js";

/** True if a program is installed and succeeds with the arguments. */
export function isHere(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args.length > 0 ? args : ["--version"], { stdio: "ignore" }).status === 0;
}

/** Starts a program that prints its port; it is stopped after the test, or by `close()`. */
export async function startProgram(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const close = () => {
    child.kill("SIGKILL");
    return ended;
  };
  atEnd(close);
  const port = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${command} ended with ${code}`)));
    child.stdout.setEncoding("utf8").once("data", (text: string) => resolve(/\d+/.exec(text)![0]));
  });
  return { port, close };
}
