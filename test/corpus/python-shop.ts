import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import { atEnd } from "../support/lifetime.js";
import { hearWebhooks, type RunningShop, type ShopOptions } from "./start-shop.js";

/** Why there is no such shop on this machine; undefined where there is. */
export const PYTHON_MISSING: string | undefined =
  spawnSync("python3", ["--version"]).status === 0 ? undefined : "python3 is not on this machine";

/** The shop of `shop.py`, in a process of its own; it ends with the test, or by `close()`. */
export async function startPythonShop(
  kind: "right" | "acts_twice",
  { baseUrl, apiKey, secret = DEFAULT_WEBHOOK_SECRET, patienceMs = 2_000 }: ShopOptions,
): Promise<RunningShop> {
  const child = spawn("python3", [join(import.meta.dirname, "shop.py"), kind], {
    env: {
      ...process.env,
      PAYMENTS_BASE_URL: baseUrl,
      PAYMENTS_API_KEY: apiKey,
      PAYMENTS_WEBHOOK_SECRET: secret,
      PATIENCE_MS: String(patienceMs),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const close = () => {
    child.kill("SIGKILL");
    return ended;
  };
  atEnd(close);
  const port = await new Promise<number>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the shop ended with ${code}`)));
    child.stdout.setEncoding("utf8").once("data", (text: string) => resolve(Number(text)));
  });
  const url = `http://127.0.0.1:${port}`;
  await hearWebhooks(url, { baseUrl, apiKey, secret });
  return { url, close };
}
