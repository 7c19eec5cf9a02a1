import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { Readable } from "node:stream";
import type { TrustFiles } from "../server/tls/trust-files.js";

const agents = new Map<string, Agent>();

/**
 * `fetch` for an HTTPS sandbox on this machine; Node's own accepts no certificate authority. Trusts the sandbox's certificate
 * under any host name: a certificate of the user may be for another one.
 */
export function fetchTrusting(trust: TrustFiles, url: string, init: RequestInit): Promise<Response> {
  const { method = "GET", headers, body, signal } = init;
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      agent: agentOf(trust),
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(signal ? { signal } : {}),
    });
    asked.once("error", reject);
    asked.once("response", (incoming) => {
      const { statusCode = 0, rawHeaders } = incoming;
      const pairs = rawHeaders.flatMap((name, at) =>
        at % 2 === 0 ? [[name, rawHeaders[at + 1]!] satisfies [string, string]] : [],
      );
      const hasBody = method !== "HEAD" && ![204, 205, 304].includes(statusCode);
      if (!hasBody) incoming.resume();
      const stream = hasBody ? (Readable.toWeb(incoming) as ReadableStream) : null;
      resolve(new Response(stream, { status: statusCode, headers: pairs }));
    });
    asked.end(body as string | Uint8Array | undefined);
  });
}

function agentOf({ caFile }: TrustFiles): Agent {
  let agent = agents.get(caFile);
  if (agent === undefined) {
    agent = new Agent({
      keepAlive: true,
      ca: readFileSync(caFile),
      allowPartialTrustChain: true,
      checkServerIdentity: () => undefined,
    });
    agents.set(caFile, agent);
  }
  return agent;
}
