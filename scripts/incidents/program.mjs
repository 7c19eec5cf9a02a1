import { spawn } from "node:child_process";

/**
 * Starts the program of an incident at a free port and has the webhooks of a sandbox sent to it.
 *
 * @param {string} program
 * @param {import("payments-sandbox").Sandbox} sandbox
 */
export async function startProgram(program, sandbox) {
  const { url } = await sandbox.listen();
  const child = spawn(program.endsWith(".py") ? "python3" : process.execPath, [program], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      PORT: "0",
      PAYMENTS_BASE_URL: url,
      PAYMENTS_API_KEY: sandbox.apiKey,
      PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
    },
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = () => {
    child.kill("SIGKILL");
    return ended;
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

/** Reads the port from the line that the program prints when it listens. */
function portOf(child) {
  return new Promise((resolve, reject) => {
    let [output, errors] = ["", ""];
    child.stderr.on("data", (text) => {
      errors += text;
    });
    child.stdout.on("data", (text) => {
      output += text;
      const [, port] = /^listening on port (\d+)$/m.exec(output) ?? [];
      if (port !== undefined && output.endsWith("\n")) resolve(port);
    });
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`it ended with ${code}\n${errors}`)));
  });
}
