import { spawn } from "node:child_process";
import { once } from "node:events";

/** The apps of this folder, each NAME.mjs with a flow NAME.yaml, and whether it receives webhooks. */
export const RIGHT_APPS = {
  polling: { hasReceiver: false },
  queue: { hasReceiver: true },
  cron: { hasReceiver: true },
  worker: { hasReceiver: true },
  payouts: { hasReceiver: true },
  hosted: { hasReceiver: true },
  keys: { hasReceiver: true },
};

/** Runs a program that prints its port, and explores it with a sandbox of its own. */
export async function exploreApp(createSandbox, { program, flow, hasReceiver, stderr = "inherit" }, options) {
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
    const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", stderr] });
    try {
      const started = once(child.stdout, "data");
      const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
      const [port] = await Promise.race([started, ended]);
      const app = `http://127.0.0.1:${Number(port)}`;
      if (hasReceiver)
        await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: `${app}/webhooks` });
      return await sandbox.explore(flow, { app, ...options });
    } finally {
      child.kill("SIGKILL");
    }
  } finally {
    await sandbox.close();
  }
}
