import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";

/** Commands that run a program of each language. */
const COMMANDS = {
  ".mjs": [process.execPath],
  ".py": ["python3"],
  ".rb": ["ruby"],
  ".php": ["php", "-S", "127.0.0.1:0"],
};

/** End the programs that run. Each has its own process group, so a signal to this one does not reach it. */
const running = new Set();
process.on("exit", () => {
  for (const kill of running) kill();
});

/** Runs `work` beside a sandbox and a program that have just started. */
export async function withProgram(createSandbox, program, work) {
  const sandbox = await createSandbox({ clock: "manual", rateLimit: "off" });
  try {
    const { app, url, stop } = await startProgram(program, sandbox);
    try {
      return await work({ sandbox, app, url });
    } finally {
      await stop();
    }
  } finally {
    await sandbox.close();
  }
}

/**
 * Starts the program of an incident at a free port and has the webhooks of a sandbox sent to it.
 *
 * @param {string} program
 * @param {import("payments-sandbox").Sandbox} sandbox
 */
export async function startProgram(program, sandbox) {
  const { url } = await sandbox.listen();
  const data = mkdtempSync(join(tmpdir(), "incident-"));
  const [command, ...args] = COMMANDS[extname(program)];
  const child = spawn(command, [...args, program], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true, // PHP's server starts workers
    env: {
      ...process.env,
      PORT: "0",
      PHP_CLI_SERVER_WORKERS: "8",
      APP_DATA: data,
      PAYMENTS_BASE_URL: url,
      PAYMENTS_API_KEY: sandbox.apiKey,
      PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
    },
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const kill = () => {
    if (child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  };
  running.add(kill);
  const stop = async () => {
    kill();
    running.delete(kill);
    await ended;
    rmSync(data, { recursive: true });
  };
  try {
    const app = `http://127.0.0.1:${await portOf(child)}`;
    await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: `${app}/webhooks` });
    return { app, url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Reads the port from the line that the program, or PHP's server, prints when it listens. */
function portOf(child) {
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (text) => {
      output += text;
      const [, port] = /(?:listening on port |http:\/\/127\.0\.0\.1:)(\d+)\b.*\n/.exec(output) ?? [];
      if (port !== undefined) resolve(port);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`it ended with ${code}\n${output}`)));
  });
}
