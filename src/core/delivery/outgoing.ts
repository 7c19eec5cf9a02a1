import * as http from "node:http";
import { lazily } from "../schema/lazily.js";
import { lookupOptions } from "./lookups.js";

/** Connections are kept for the next request, but not for long: most servers close one that stays idle. */
export const AGENT_OPTIONS = { keepAlive: true, timeout: 1_000 };

/** Connections that stay open between calls, until they are closed. */
export class KeptConnections {
  readonly #agents = new Map<string, http.Agent>();

  agentFor(protocol: string, { Agent }: Pick<typeof http, "Agent">): http.Agent {
    const agent = this.#agents.get(protocol) ?? new Agent(AGENT_OPTIONS);
    this.#agents.set(protocol, agent);
    return agent;
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }
}

/**
 * How to call an address, redirects not followed.
 *
 * @param kept the connections to go by; without them each call has one of its own
 */
export async function callerOf(
  url: URL,
  kept?: KeptConnections,
): Promise<(options: http.RequestOptions) => http.ClientRequest> {
  const { request, Agent } = url.protocol === "https:" ? await lazily(() => import("node:https")) : http;
  const agent = kept?.agentFor(url.protocol, { Agent }) ?? false;
  const lookup = lookupOptions(url.hostname);
  return (options) => request(url, { agent, ...options, ...lookup });
}

/** A connection that was kept was cut before it was used again, which nobody has done on purpose. */
export function wasCutWhileIdle(request: http.ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  return request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
}

/** One line: the address family attempts of `localhost` come as an error of errors. */
export function networkErrorText(error: NodeJS.ErrnoException): string {
  const errors = (error as { errors?: unknown }).errors;
  if (Array.isArray(errors) && errors.length > 0)
    return errors.map((one) => (one instanceof Error ? one.message : String(one))).join("; ");
  return error.message || String(error.code ?? error);
}
