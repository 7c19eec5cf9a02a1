import * as dns from "node:dns";
import * as http from "node:http";
import type { LookupFunction } from "node:net";
import { loadLazily } from "../schema/load-lazily.js";
import { isCloudMetadataAddress } from "../schema/receiver-url.js";

/** The idle timeout is short, because most servers close idle connections. */
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
 * @param connections pool to reuse; without it each call opens a connection
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

/** The error in one line. A failed call to `localhost` gives an AggregateError, with one error per address. */
export function networkErrorText(error: NodeJS.ErrnoException): string {
  const errors = (error as { errors?: unknown }).errors;
  if (Array.isArray(errors) && errors.length > 0)
    return errors.map((cause) => (cause instanceof Error ? cause.message : String(cause))).join("; ");
  return error.message || String(error.code ?? error);
}

const LOCALHOST: dns.LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** Node's default is 250 ms per address, too short for a busy machine. */
const CONNECT_TIMEOUT_MS = 600_000;

/**
 * Name resolution for all outgoing requests: to receivers and to the app under test. IP addresses are not looked up.
 *
 * @param resolve default: the machine's resolver
 */
export function lookupOptions(
  hostname: string,
  resolve?: LookupFunction,
): { lookup?: LookupFunction; autoSelectFamily?: true; autoSelectFamilyAttemptTimeout?: number } {
  if (hostname === "localhost")
    return {
      lookup: lookupLocalhost,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: CONNECT_TIMEOUT_MS,
    };
  if (/^[\d.]+$|^\[/.test(hostname)) return {};
  return { lookup: lookupChecked(resolve ?? (dns.lookup as LookupFunction)) };
}

/** `localhost` means both loopback addresses, regardless of the hosts file: an app may listen on either. */
const lookupLocalhost: LookupFunction = (_hostname, options, callback) => {
  if (options.all) callback(null, LOCALHOST);
  else callback(null, LOCALHOST[0]!.address, LOCALHOST[0]!.family);
};

/** Resolves a name, but refuses cloud metadata addresses. */
function lookupChecked(resolve: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    resolve(hostname, options, (error, result, family) => {
      const addresses = typeof result === "string" ? [result] : (result ?? []).map(({ address }) => address);
      const metadataAddress = error === null ? addresses.find(isCloudMetadataAddress) : undefined;
      if (metadataAddress === undefined) callback(error, result, family);
      else callback(new Error(`${hostname} is ${metadataAddress}, a cloud's metadata address`), "");
    });
}
