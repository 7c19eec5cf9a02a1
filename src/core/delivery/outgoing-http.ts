import * as http from "node:http";
import { loadLazily } from "../schema/load-lazily.js";
import { lookupOptions } from "./dns-lookup.js";

/** Short idle timeout: most servers close idle connections. */
export const AGENT_OPTIONS = { keepAlive: true, timeout: 1_000 };

/** Reuses connections between calls until closed. */
export class ConnectionPool {
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
 * Returns a function that sends requests to the URL without following redirects.
 *
 * @param connections reused connections; without it each call opens one
 */
export async function createRequester(
  url: URL,
  connections?: ConnectionPool,
): Promise<(options: http.RequestOptions) => http.ClientRequest> {
  const { request, Agent } = url.protocol === "https:" ? await loadLazily(() => import("node:https")) : http;
  const agent = connections?.agentFor(url.protocol, { Agent }) ?? false;
  const lookup = lookupOptions(url.hostname);
  return (options) => request(url, { agent, ...options, ...lookup });
}

/** Returns true if a reused connection was closed by the other side while idle. */
export function wasCutWhileIdle(request: http.ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  return request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
}

/** One line: failures of `localhost` addresses come as an AggregateError. */
export function networkErrorText(error: NodeJS.ErrnoException): string {
  const errors = (error as { errors?: unknown }).errors;
  if (Array.isArray(errors) && errors.length > 0)
    return errors.map((cause) => (cause instanceof Error ? cause.message : String(cause))).join("; ");
  return error.message || String(error.code ?? error);
}
