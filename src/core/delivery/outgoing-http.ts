import * as dns from "node:dns";
import * as http from "node:http";
import type { LookupFunction } from "node:net";
import { type HttpResponse, isSuccessStatus } from "../schema/http-response.js";
import { isCloudMetadataAddress } from "../schema/receiver-url.js";
import { loadLazily } from "../time/load-lazily.js";

/** The idle timeout is short, because most servers close idle connections. */
const AGENT_OPTIONS = { keepAlive: true, timeout: 1_000 };

/** Reuses connections between calls until closed. */
export class ConnectionPool {
  readonly #agents = new Map<string, http.Agent>();

  agentFor(protocol: string, { Agent }: Pick<typeof http, "Agent">): http.Agent {
    let agent = this.#agents.get(protocol);
    if (agent === undefined) this.#agents.set(protocol, (agent = new Agent(AGENT_OPTIONS)));
    return agent;
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }
}

export type Requester = (options: http.RequestOptions) => http.ClientRequest;

/**
 * Returns a function that sends requests to the URL without following redirects. Loads TLS only for the first HTTPS
 * URL, because loading takes 2 ms.
 *
 * @param connections pool to reuse; without it each call opens a connection
 * @param resolve name resolver; default: the machine's
 */
export async function createRequester(
  url: URL,
  connections?: ConnectionPool,
  resolve?: LookupFunction,
): Promise<Requester> {
  const { request, Agent } = url.protocol === "https:" ? await loadLazily(() => import("node:https")) : http;
  const agent = connections?.agentFor(url.protocol, { Agent }) ?? false;
  const lookup = lookupOptions(url.hostname, resolve);
  return (options) => request(url, { agent, ...options, ...lookup });
}

/** Returns true if a reused connection was closed by the other side while idle. */
function wasCutWhileIdle(request: http.ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  return request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
}

const LOCALHOST: dns.LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** Timeout of connecting to one address: in effect none, since Node's 250 ms is too short on a busy machine. */
const CONNECT_TIMEOUT_MS = 600_000;

/** Name resolution for requests to receivers and to the app under test. IP addresses are not looked up. */
function lookupOptions(
  hostname: string,
  resolve = dns.lookup as LookupFunction,
): { lookup?: LookupFunction; autoSelectFamily?: true; autoSelectFamilyAttemptTimeout?: number } {
  if (hostname === "localhost")
    return {
      lookup: lookupLocalhost,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: CONNECT_TIMEOUT_MS,
    };
  if (/^[\d.]+$|^\[/.test(hostname)) return {};
  return { lookup: lookupChecked(resolve) };
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

interface OutgoingHttpCall {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Connections to reuse; if absent, the call opens a connection. */
  readonly connections?: ConnectionPool | undefined;
  /** Options of `https.request`. */
}

/**
 * Calls the app under test, or a sandbox; does not follow redirects. Does not use `fetch`, which takes 0.3 s for a
 * process's first call, hides the resolved address from checks and accepts no certificate authority.
 */
export async function callUrl(url: URL, call: OutgoingHttpCall): Promise<HttpResponse> {
  const { method, headers, body, signal, connections } = call;
  const request = await createRequester(url, connections);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      method,
      ...(signal === undefined ? {} : { signal }),
      headers: {
        accept: "*/*",
        "accept-encoding": "identity",
        "user-agent": "payments-sandbox",
        // For methods other than DELETE, Node adds content-length by itself.
        ...(body !== undefined && method === "DELETE" ? { "content-length": Buffer.byteLength(body) } : {}),
        ...headers,
      },
    });
    let isAnswered = false;
    outgoing.on("error", (error) => {
      if (isAnswered || !wasCutWhileIdle(outgoing, error)) reject(error);
      else resolve(callUrl(url, { ...call, connections: undefined }));
    });
    outgoing.on("response", (response) => {
      isAnswered = true;
      const status = response.statusCode!;
      resolve({
        ok: isSuccessStatus(status),
        status,
        headers: headersOf(response),
        text: () => readText(response),
        body: {
          [Symbol.asyncIterator]: () => response[Symbol.asyncIterator](),
          cancel: async () => {
            response.destroy();
          },
        },
      });
    });
    outgoing.end(body);
  });
}

/** Lower-cases names and joins repeated headers except set-cookie; much faster than `Headers`. */
function headersOf({ rawHeaders }: http.IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value] = [rawHeaders[index]!.toLowerCase(), rawHeaders[index + 1]!];
    const previous = name === "set-cookie" ? undefined : headers.get(name);
    headers.set(name, previous === undefined ? value : `${previous}, ${value}`);
  }
  return headers;
}

/** Rejects if the body is cut off. */
function readText(response: http.IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => resolve(new TextDecoder().decode(Buffer.concat(chunks))));
    response.on("error", reject);
  });
}
