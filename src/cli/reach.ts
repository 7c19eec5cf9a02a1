import type { SandboxFetch } from "../control-client.js";
import { withoutEndSlashes } from "../core/schema/printable.js";
import { webhookUrl } from "../core/schema/receiver-url.js";
import { UserError } from "../core/schema/user-error.js";
import { isLoopback } from "../server/http/hosts.js";
import { findTrust, type Trust } from "../server/tls/trust.js";

/** How a sandbox that runs already is reached. */
export interface Reach {
  /** Without a slash at the end. */
  readonly url: string;
  readonly fetch: SandboxFetch;
  /** What it is trusted by, where it serves HTTPS on this machine. */
  readonly trust: Trust | undefined;
}

/**
 * The sandbox at a URL, whose scheme may be missing; undefined where it is none. One on this machine is trusted by what
 * it has written down of itself, and found to speak HTTPS by that; it is looked for until it is there.
 */
export function reach(given: string): Reach | undefined {
  const address = webhookUrl(given);
  if (address === undefined) return undefined;
  const { hostname, port } = new URL(address);
  const isPlain = /^http:/i.test(given) || !isLoopback(hostname.replace(/^\[|\]$/g, ""));
  let found: Trust | undefined;
  return {
    get trust() {
      return (found ??= isPlain ? undefined : findTrust(Number(port || 443)));
    },
    get url() {
      return withoutEndSlashes(this.trust === undefined ? address : address.replace(/^http:/i, "https:"));
    },
    async fetch(path, init) {
      const { trust, url } = this;
      if (trust === undefined) return fetch(`${url}${path}`, init);
      const { fetchTrusting } = await import("./trusting-fetch.js");
      return fetchTrusting(trust, `${url}${path}`, init);
    },
  };
}

/** Tells a certificate that is not trusted from a sandbox that is not there. */
export function refuseUntrusted(url: string, error: unknown): void {
  const { code = "" } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  if (/CERT|SELF_SIGNED|ISSUER/.test(code))
    throw new UserError(
      `the certificate of ${url} is not trusted (${code}): name its authority's file in NODE_EXTRA_CA_CERTS`,
    );
}
