import type { SandboxFetch } from "../core/client/control-client.js";
import { callUrl } from "../core/delivery/outgoing-http.js";
import { normalizeWebhookUrl } from "../core/schema/receiver-url.js";
import { trimTrailingSlashes } from "../core/schema/text-format.js";
import { UserError } from "../core/schema/user-error.js";
import { ErrorWithFix } from "./errors.js";

export interface SandboxAddress {
  /** Without a final slash. */
  readonly url: string;
  readonly fetch: SandboxFetch;
}

/** Address of the sandbox at a URL, with or without a scheme. Undefined for an invalid URL. */
export function sandboxAddress(given: string): SandboxAddress | undefined {
  const address = normalizeWebhookUrl(given);
  if (address === undefined) return undefined;
  const url = trimTrailingSlashes(address);
  return {
    url,
    // Opens a connection per call: on a reused connection, a lost response looks like an idle close and is retried.
    fetch: async (path, { method = "GET", headers, body, signal }) =>
      callUrl(new URL(`${url}${path}`), {
        method,
        headers: headers as Record<string, string>,
        body: body as string | undefined,
        signal: signal ?? undefined,
      }),
  };
}

const START = "npx payments-sandbox start";

/** Text behind the URL in `noSandboxError`: the source of the URL, and how to name another. */
export const URL_SOURCES = {
  "--url": ";",
  PAYMENTS_SANDBOX_URL: ", which PAYMENTS_SANDBOX_URL names; unset it, or",
  default: ", the default: name another with --url, or",
} as const;

/** Error for an address without a sandbox. `source` follows the URL in the message. */
export function noSandboxError(url: string, source: string = URL_SOURCES["--url"]): ErrorWithFix {
  return new ErrorWithFix(`there is no sandbox at ${url}${source} start one with: ${START}`, {
    code: "NO_SANDBOX",
    fix: START,
    doc: "docs/start.md",
  });
}

/** The address's `fetch`; the error of a refused connection names the URL and the fix. */
export function fetchWithFix(address: SandboxAddress, source?: string): SandboxFetch {
  return (path, init) =>
    address.fetch(path, init).catch((error: NodeJS.ErrnoException | undefined) => {
      throw error?.code === "ECONNREFUSED" ? noSandboxError(address.url, source) : error;
    });
}

export function throwIfUntrustedCertificate(url: string, error: unknown): void {
  const { code = "" } = ((error as Error | undefined)?.cause ?? error ?? {}) as NodeJS.ErrnoException;
  if (/CERT|SELF_SIGNED|ISSUER/.test(code))
    throw new UserError(
      `the certificate of ${url} is not trusted (${code}): name its authority's file in NODE_EXTRA_CA_CERTS`,
    );
}
