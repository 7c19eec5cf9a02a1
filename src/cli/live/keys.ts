import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { SandboxError } from "../../core/schema/refusals.js";
import { formatCount } from "../../core/schema/text-format.js";
import type { Sandbox } from "../../library/sandbox.js";
import { terminalInstant } from "../table.js";
import { paint } from "../text-layout.js";

const CTRL_C = "\u0003";
const CTRL_Z = "\u001a";
const ESC = "\u001b";

interface KeyContext {
  readonly sandbox: Sandbox;
  readonly quit: () => void;
  readonly print: (text: string) => void;
}

interface Key {
  readonly label: string;
  readonly press: (context: KeyContext) => Promise<string> | undefined;
}

/** The clock's mode before it was frozen. */
let runningMode = "real";

const KEYS: ReadonlyMap<string, Key> = new Map([
  ["p", { label: "freeze or resume", press: ({ sandbox }) => freezeOrResume(sandbox) }],
  ["a", { label: "+10 s", press: ({ sandbox }) => advance(sandbox) }],
  ["q", { label: "quit", press: ({ quit }) => void quit() }],
]);

export function keysHint(): string {
  const keys = [...KEYS].map(([key, { label }]) => `${paint("bold", key)} ${paint("dim", label)}`);
  return `  ${paint("dim", "Keys:")} ${keys.join(paint("dim", " · "))}\n`;
}

/**
 * Acts on single keys of the terminal, without Enter. Raw mode also turns off Ctrl-C and Ctrl-Z, which are handled
 * here.
 *
 * @returns a function that restores the terminal; undefined without a terminal or in the background
 */
export async function listenToKeys(context: KeyContext): Promise<(() => void) | undefined> {
  const { stdin } = process;
  if (stdin.isTTY !== true || !(await isInForeground())) return undefined;
  const listen = (): void => {
    stdin.setRawMode(true);
    stdin.resume();
  };
  const stop = (): void => {
    stdin.setRawMode(false);
    stdin.pause();
  };
  const resume = (): void => {
    void isInForeground().then((isInFront) => isInFront && listen());
  };
  stdin.setEncoding("utf8");
  stdin.on("data", (text: string) => {
    for (const key of keysIn(text)) {
      if (key === CTRL_C) process.kill(process.pid, "SIGINT");
      else if (key !== CTRL_Z) void press(key, context);
      else {
        stop();
        process.kill(process.pid, "SIGTSTP");
      }
    }
  });
  process.on("SIGCONT", resume);
  // The server goes on without the terminal.
  stdin.on("error", () => {});
  listen();
  return () => {
    process.off("SIGCONT", resume);
    stop();
  };
}

/** Splits input into keys. Leaves out the escape sequences of arrow and function keys. */
function keysIn(text: string): string[] {
  const [first = "", ...sequences] = text.split(ESC);
  return [...first, ...sequences.flatMap((sequence) => [...sequence.replace(/^(\[[\d;]*.|O.|.)/u, "")])];
}

async function press(pressed: string, context: KeyContext): Promise<void> {
  const key = KEYS.get(pressed.toLowerCase());
  if (key === undefined) return context.print(pressed === "\r" ? "\n" : keysHint());
  try {
    const line = await key.press(context);
    if (line !== undefined) context.print(`  ${paint("cyan", line)}\n`);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    context.print(`  ${paint("cyan", error.message)}\n`);
  }
}

async function freezeOrResume(sandbox: Sandbox): Promise<string> {
  const { mode } = await sandbox.run("getClock");
  const isFrozen = mode === "manual";
  if (!isFrozen) runningMode = mode;
  await sandbox.run("setClock", { mode: isFrozen ? runningMode : "manual" });
  return isFrozen ? "the clock runs" : "the clock is frozen";
}

async function advance(sandbox: Sandbox): Promise<string> {
  const { to, fired_total } = await sandbox.run("advanceClock", {
    by: "10s",
  });
  return `advanced 10s to ${terminalInstant(to, to.slice(0, 10))}; ${formatCount(fired_total, "step")} ran`;
}

/** Returns false for a background process, which the system would stop when it reads from its terminal. */
async function isInForeground(): Promise<boolean> {
  if (process.platform === "win32") return true;
  try {
    // Fields: pid (name) state parent group session terminal foreground-group. The name may hold brackets and spaces.
    const stat = readFileSync("/proc/self/stat", "utf8");
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return group === foreground;
  } catch {
    return new Promise((resolve) =>
      execFile("ps", ["-o", "stat=", "-p", String(process.pid)], (error, stdout) =>
        resolve(error === null && stdout.includes("+")),
      ),
    );
  }
}
