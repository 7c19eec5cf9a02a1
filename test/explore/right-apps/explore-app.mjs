import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** The apps of this folder; true if the app receives webhooks. */
export const RIGHT_APPS = {
  polling: { hasReceiver: false },
  queue: { hasReceiver: true },
  cron: { hasReceiver: true },
  worker: { hasReceiver: true },
  payouts: { hasReceiver: true },
  hosted: { hasReceiver: true },
  keys: { hasReceiver: true },
};

/** Apps in other languages and frameworks. They listen on `PORT`. */
export const FRAMEWORK_APPS = {
  "two-payouts.rb": { hasReceiver: true },
  "retries.mjs": { hasReceiver: true },
  "thread.py": { hasReceiver: true },
  "refunds.py": { hasReceiver: true },
  "pays-back.php": { hasReceiver: true },
  "locks.mjs": { hasReceiver: true },
  "repeats.rb": { hasReceiver: true },
  "imports.php": { hasReceiver: false },
  "backoff.mjs": { hasReceiver: false },
};

/** Commands that run a program of each language. */
const COMMANDS = {
  ".mjs": (program) => [process.execPath, program],
  ".py": (program) => ["python3", program],
  ".rb": (program) => ["ruby", program],
  ".php": (program, port) => ["php", "-q", "-S", `127.0.0.1:${port}`, program],
};

async function findFreePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function isListening(port) {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

async function waitForListener(port) {
  while (!(await isListening(port))) await setTimeout(20);
  return [port];
}

/** Starts a program and explores it with a new sandbox. */
export async function exploreApp(
  createSandbox,
  { program, flow, hasReceiver, takesPort = false, stderr = "inherit" },
  options,
) {
  const sandbox = await createSandbox({ clock: "manual", rateLimit: "off" });
  try {
    const { url } = await sandbox.listen();
    await sandbox.control("POST", "/_sandbox/balances", { currency: "KES", amount: "1000000.00" });
    const env = {
      ...process.env,
      PAYMENTS_BASE_URL: url,
      PAYMENTS_API_KEY: sandbox.apiKey,
      PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
    };
    const data = await mkdtemp(join(tmpdir(), "right-app-"));
    const wanted = takesPort ? await findFreePort() : undefined;
    const [command, ...args] = COMMANDS[extname(program)](program, wanted);
    Object.assign(env, { PORT: wanted, APP_DATA: data, PHP_CLI_SERVER_WORKERS: "8" });
    // PHP's server starts workers, which a process group includes.
    const child = spawn(command, args, { env, detached: true, stdio: ["ignore", "pipe", stderr] });
    try {
      const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
      const started = takesPort ? waitForListener(wanted) : once(child.stdout, "data");
      const [port] = await Promise.race([started, ended]);
      const app = `http://127.0.0.1:${Number(port)}`;
      if (hasReceiver)
        await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: `${app}/webhooks` });
      return await sandbox.explore(flow, { app, throws: false, ...options });
    } finally {
      if (child.exitCode === null) process.kill(-child.pid, "SIGKILL");
      await rm(data, { recursive: true });
    }
  } finally {
    await sandbox.close();
  }
}
