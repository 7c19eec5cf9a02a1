import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const READY_TIMEOUT_MS = 20_000;
const running = new Set();

/** The built checkout under measurement. */
export const ROOT = process.env.BENCH_ROOT ?? fileURLToPath(new URL("..", import.meta.url));

export function requireBuild(root = ROOT) {
  if (!existsSync(join(root, "dist", "shipped.json"))) throw new Error(`no build in ${root}: npm run build`);
}

/** The shipped command of a build, without a rate limit. */
export function sandbox(options = [], root = ROOT) {
  const program = join(root, "bin", "payments-sandbox.js");
  return {
    name: "sandbox",
    args: [program, "start", "--port", "0", "--json", "--rate-limit", "off", ...options],
  };
}

/** A core for servers and one for the load generator; undefined without `taskset` or a second core. */
export function findCores() {
  if (process.platform !== "linux") return undefined;
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "";
  const [server, client] = list.split(",").flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  if (client === undefined || spawnSync("taskset", ["-c", `${server}`, "true"]).status !== 0)
    return undefined;
  return { server, client };
}

/** Command line that runs Node on a core, or on any core if undefined. */
export function nodeCommand(core, args) {
  return core === undefined
    ? [process.execPath, args]
    : ["taskset", ["-c", `${core}`, process.execPath, ...args]];
}

/**
 * Starts a server and waits for its first line, which has the port. `stop` kills the server; `end` sends SIGTERM and
 * resolves to the exit code.
 */
export function start({ name, args }, { cwd, core, env = {} }) {
  const [command, commandArgs] = nodeCommand(core, args);
  const child = spawn(command, commandArgs, {
    cwd,
    env: { ...cleanEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.once("close", () => running.delete(child));
  let errors = "";
  child.stderr.on("data", (chunk) => (errors = (errors + chunk).slice(-4_000)));
  const send = (signal) => {
    child.kill(signal);
    return ended;
  };
  return new Promise((resolve, reject) => {
    const fail = (why) => {
      child.kill("SIGKILL");
      reject(new Error(`${name} ${why}\n${errors}`));
    };
    const timer = setTimeout(() => fail("was not ready in time"), READY_TIMEOUT_MS);
    child.once("error", (error) => fail(`cannot be started: ${error.message}`));
    ended.then((code) => fail(`ended with ${code} before it was ready`));
    let line = "";
    child.stdout.on("data", (chunk) => {
      line += chunk;
      if (!line.includes("\n")) return;
      clearTimeout(timer);
      child.stdout.removeAllListeners("data").resume();
      const port = Number(/\d+/.exec(/"port":\s*\d+/.exec(line)?.[0] ?? line)[0]);
      resolve({ port, pid: child.pid, stop: () => send("SIGKILL"), end: () => send("SIGTERM") });
    });
  });
}

/** Environment without the user's settings of Node and of the sandbox; NODE_EXTRA_CA_CERTS slows each start. */
function cleanEnvironment() {
  const drop = /^(NODE_EXTRA_CA_CERTS|NODE_OPTIONS|NODE_COMPILE_CACHE|PAYMENTS_SANDBOX_.*)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !drop.test(name)));
}

/** Calls `work` with an empty folder; kills all servers and removes the folder at the end. */
export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "payments-sandbox-bench-"));
  const clear = () => {
    for (const child of running) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => {
      clear();
      process.exit(130);
    });
  try {
    return await work(folder);
  } finally {
    clear();
  }
}

/** CPU time of all threads of a process; undefined where /proc does not have it. */
export function cpuMs(pid) {
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

export function residentMb(pid) {
  try {
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1_024;
  } catch {
    return undefined;
  }
}
