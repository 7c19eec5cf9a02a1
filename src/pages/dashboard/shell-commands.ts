import type { RequestEntry } from "../../core/namespace/served-request.js";
import { DEFAULT_PORT } from "../../core/schema/option-schemas.js";
import { shellQuote } from "./components.js";
import type { PageContext } from "./page-context.js";

/** A control API call as a curl command. */
export function controlCurl({ origin, namespace }: PageContext, line: string, body?: unknown): string {
  const [method = "GET", path = ""] = line.split(" ");
  const parts = ["curl"];
  if (method !== "GET") parts.push("-X", method);
  parts.push(shellQuote(`${origin}${path}`));
  if (namespace.name !== "default") parts.push("-H", shellQuote(`Sandbox-Namespace: ${namespace.name}`));
  if (body !== undefined) parts.push("-d", shellQuote(JSON.stringify(body)));
  return parts.join(" ");
}

/** Repeats an app's call as a curl command, with the namespace's key, because the journal masks the app's key. */
export function requestCurl({ origin, namespace }: PageContext, entry: RequestEntry): string {
  const { requestBody: body } = entry;
  const { apiKey, liveApiKey } = namespace.info;
  const key = entry.apiKey?.startsWith("sk_live_") ? liveApiKey : apiKey;
  const parts = ["curl"];
  if (entry.method !== "GET") parts.push("-X", entry.method);
  parts.push(shellQuote(`${origin}${requestPath(entry)}`));
  if (entry.apiKey !== null) parts.push("-H", shellQuote(`Authorization: Bearer ${key}`));
  if (entry.idempotencyKey !== null) parts.push("-H", shellQuote(`Idempotency-Key: ${entry.idempotencyKey}`));
  if (body !== null && body !== "")
    parts.push("-H", shellQuote("Content-Type: application/json"), "-d", shellQuote(body));
  return parts.join(" ");
}

/** Path and query of a call. The journal stores an absolute URL for calls over a port. */
export function requestPath({ url }: RequestEntry): string {
  const { pathname, search } = new URL(url, "http://sandbox");
  return `${pathname}${search}`;
}

/** A `payments-sandbox` command with the options for this URL and namespace. */
export function cliCommand({ origin, namespace }: PageContext, args: string): string {
  const isDefaultUrl = ["localhost", "127.0.0.1"].some((host) => origin === `http://${host}:${DEFAULT_PORT}`);
  const url = isDefaultUrl ? "" : ` --url ${origin}`;
  return `payments-sandbox ${args}${url}${namespace.name === "default" ? "" : ` --namespace ${namespace.name}`}`;
}
