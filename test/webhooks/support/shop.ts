import type { SandboxOptions } from "../../../src/index.js";
import { START } from "../../support/api-client.js";
import { type Client, openShop } from "../../support/receiver-client.js";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

export function shopFor(webhooks: SandboxOptions["webhooks"] = [], options: SandboxOptions = {}) {
  return openShop({ webhooks, ...options });
}

/** Sandbox time since START, in milliseconds. */
export function since(instant: string): number {
  return Date.parse(instant) - Date.parse(START);
}

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the wire says
export type Json = any;

/** The deliveries the control API lists, oldest first. */
export async function deliveries(client: Client, query = ""): Promise<Json[]> {
  const { status, json } = await client.ask(`GET /_sandbox/deliveries?limit=100${query}`);
  if (status !== 200) throw new Error(JSON.stringify(json));
  return json.items.reverse();
}

/** Resolves when that holds; looked at again every few milliseconds of wall time. */
export async function eventually(holds: () => boolean | Promise<boolean>, limitMs = 100_000): Promise<void> {
  const until = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`not within ${limitMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
