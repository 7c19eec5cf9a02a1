import { spawn, spawnSync } from "node:child_process";
import { extname } from "node:path";
import { atEnd } from "./lifetime.js";

/** True if a program is installed and succeeds with the arguments. */
export function isHere(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args.length > 0 ? args : ["--version"], { stdio: "ignore" }).status === 0;
}

/** Commands that succeed when this machine can run the language. */
const PROBES: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  ".mjs": ["node", "--version"],
  ".py": ["python3", "-c", "import flask"],
  ".php": ["php", "--version"],
  ".rb": ["ruby", "-e", "require 'sinatra/base'"],
};
const runnable = new Map<string, boolean>();

/** True if this machine can run the program. */
export function isRunnable(program: string): boolean {
  const language = extname(program);
  if (!runnable.has(language)) runnable.set(language, isHere(...PROBES[language]!));
  return runnable.get(language)!;
}

/** Starts a program that prints its port, and stops it after the test. */
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
