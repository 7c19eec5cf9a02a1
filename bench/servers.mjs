import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeOn } from "./cores.mjs";

const READY_LIMIT_MS = 20_000;
const running = new Set();

/** The repository (or a copy of it, built: `BENCH_ROOT`) whose server is measured. */
export const ROOT = process.env.BENCH_ROOT ?? fileURLToPath(new URL("..", import.meta.url));

/** The sandbox as it is shipped. No limit of requests, for a load test is nothing but too many of them. */
export function sandbox(...options) {
  return sandboxOf(ROOT, "sandbox", ...options);
}

/** The sandbox of another build. */
export function sandboxOf(root, name, ...options) {
  const program = join(root, "bin", "payments-sandbox.js");
  return { name, args: [program, "start", "--port", "0", "--json", "--rate-limit", "off", ...options] };
}

export function bareHono(...args) {
  return { name: "bare Hono", args: [fileURLToPath(new URL("bare-hono.mjs", import.meta.url)), ...args] };
}

export function bareHttp(...args) {
  return {
    name: "bare node:http",
    args: [fileURLToPath(new URL("bare-http.mjs", import.meta.url)), ...args],
  };
}

/**
 * Starts a server as a child of its own and waits until it says where it listens.
 *
 * @param {{ name: string, args: string[] }} server
 * @param {{ cwd: string, core?: number, env?: Record<string, string> }} where an empty folder: a configuration file must
 *   not have a say
 * @returns {Promise<Running>}
 *
 * @typedef {{ port: number, pid: number, ready: Record<string, unknown>, stop(): Promise<void>,
 *   end(): Promise<number | null> }} Running `stop` kills it, `end` asks it to end and tells its exit code
 */
export function start({ name, args }, { cwd, core, env = {} }) {
  const [command, commandArgs] = nodeOn(core, args);
  const child = spawn(command, commandArgs, {
    cwd,
    env: { ...cleanEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.once("close", () => running.delete(child));
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors = (errors + chunk).slice(-4_000);
  });
  return new Promise((resolve, reject) => {
    const refuse = (why) => {
      child.kill("SIGKILL");
      reject(new Error(`${name} ${why}\n${errors}`));
    };
    const timer = setTimeout(() => refuse("was not ready in time"), READY_LIMIT_MS);
    child.once("error", (error) => refuse(`cannot be started: ${error.message}`));
    ended.then((code) => refuse(`ended with ${code} before it was ready`));
    let line = "";
    child.stdout.on("data", (chunk) => {
      line += chunk;
      if (!line.includes("\n")) return;
      clearTimeout(timer);
      child.stdout.removeAllListeners("data").resume();
      const ready = JSON.parse(line);
      // Killed, not asked: what a server does on its way out (a snapshot of 100,000 charges) is not measured here.
      const stop = () => {
        child.kill("SIGKILL");
        return ended;
      };
      const end = () => {
        child.kill("SIGTERM");
        return ended;
      };
      resolve({ port: ready.port, pid: child.pid, ready, stop, end });
    });
  });
}

/** Whatever happens, no server is left behind. */
export function stopAll() {
  for (const child of running) child.kill("SIGKILL");
}

/**
 * The user's own settings of Node and of the sandbox stay out. NODE_EXTRA_CA_CERTS above all: where it is set,
 * Node reads the file at each start, and every ratio of start-up times shrinks.
 */
function cleanEnvironment() {
  const drop = /^(NODE_EXTRA_CA_CERTS|NODE_OPTIONS|NODE_COMPILE_CACHE|PAYMENTS_SANDBOX_.*)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !drop.test(name)));
}

/**
 * Processor time the process has used so far, all its threads; undefined where the system does not say it in
 * /proc. Steadier than the wall clock when the machine has other things to do as well.
 */
export function processorMs(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const ranNs = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
    );
    return ranNs.reduce((sum, one) => sum + one, 0) / 1e6;
  } catch {
    return undefined;
  }
}

/** Memory that is really in use, in MB; undefined where the system does not say it in /proc. */
export function residentMb(pid) {
  try {
    const kilobytes = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}
