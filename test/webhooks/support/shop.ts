import { afterEach } from "vitest";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../../src/index.js";
import { Client } from "../../support/receiver-client.js";
import { accept, type Handler, Receiver } from "../../support/receiver-server.js";

/** The instant the sandboxes of these tests start at, and stand still at until they are told otherwise. */
export const START = "2026-03-01T09:00:00.000Z";
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

/** Closed after the test, in the reverse order. */
export function closeAfterTest<Thing extends AsyncDisposable>(thing: Thing): Thing {
  open.push(thing);
  return thing;
}

export async function receive(handler: Handler = accept): Promise<Receiver> {
  return closeAfterTest(await Receiver.open(handler));
}

export interface Shop {
  readonly sandbox: Sandbox;
  readonly client: Client;
}

export async function shopFor(
  webhooks: SandboxOptions["webhooks"] = [],
  options: SandboxOptions = {},
): Promise<Shop> {
  const sandbox = closeAfterTest(
    await createSandbox({ clock: "manual", startTime: START, webhooks, ...options }),
  );
  return { sandbox, client: Client.of(sandbox) };
}

/** Sandbox time since START, in milliseconds. */
export function since(instant: string): number {
  return Date.parse(instant) - Date.parse(START);
}

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the wire says
export type Json = any;

/** The deliveries the control API lists, oldest first. */
export async function deliveries(client: Client, query = ""): Promise<Json[]> {
  const { status, json } = await client.call("GET", `/_sandbox/deliveries?limit=100${query}`);
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
