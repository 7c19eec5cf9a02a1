import type { SandboxOptions } from "../../../src/library/index.js";
import { START } from "../../support/api-client.js";
import { type ChargeWish, type Client, openShop } from "../../support/receiver-client.js";
import { accept, type Handler, Receiver } from "../../support/receiver-server.js";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** Webhooks of a charge, one, three and five seconds after its creation. */
export const THREE = ["charge.awaiting_payment", "charge.processing", "charge.completed"];
export const ONLY_COMPLETED = { events: ["charge.completed"] };

export async function shopFor(webhooks: SandboxOptions["webhooks"] = [], options: SandboxOptions = {}) {
  const shop = await openShop({ webhooks, ...options });
  /** Creates a charge, advances the clock, and returns the charge's id. */
  const sell = async (by: string, wish?: ChargeWish): Promise<string> => {
    const charge = await shop.client.pay(wish);
    await shop.sandbox.advance(by);
    return charge;
  };
  return { ...shop, sell };
}

/** Starts a shop and the receiver of its webhooks. */
export async function shopAndReceiver(
  handler: Handler = accept,
  endpoint: { readonly events?: string[] } = {},
) {
  const receiver = await Receiver.open(handler);
  return { receiver, ...(await shopFor([{ url: receiver.url, ...endpoint }])) };
}

/** Creates a scenario with these webhook rules. */
export async function useRules(
  client: Client,
  webhooks: readonly object[],
  { name = "mishaps", activate = true } = {},
): Promise<void> {
  const { status, text } = await client.ask(`PUT /_sandbox/scenarios/${name}`, { webhooks });
  if (status !== 200) throw new Error(text);
  if (activate) await client.ask(`POST /_sandbox/scenarios/${name}/activate`);
}

/** Milliseconds of sandbox time since START. */
export function since(instant: string): number {
  return Date.parse(instant) - Date.parse(START);
}

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
export type Json = any;

/** Returns the deliveries, oldest first. */
export async function deliveries(client: Client, query = ""): Promise<Json[]> {
  const { status, json } = await client.ask(`GET /_sandbox/deliveries?limit=100${query}`);
  if (status !== 200) throw new Error(JSON.stringify(json));
  return json.items.reverse();
}

/** Polls until the condition holds. */
export async function eventually(holds: () => boolean | Promise<boolean>, limitMs = 100_000): Promise<void> {
  const until = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`not within ${limitMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
