import { fillCall, type OperationCall } from "../../core/client/control-client.js";
import type { RequestEntry } from "../../core/namespace/request-journal.js";
import { DEFAULT_PORT } from "../../core/schema/option-schemas.js";
import type { PageContext } from "./page-context.js";

/** An operation of the control API as a curl command. */
export function controlCurl({ origin, namespace }: PageContext, ...[id, input]: OperationCall): string {
  const { method, path, body } = fillCall(id, input);
  const isDefault = namespace.name === "default";
  const headers: Record<string, string> = isDefault ? {} : { "Sandbox-Namespace": namespace.name };
  return curlCommand(`${origin}${path}`, headers, body === undefined ? null : JSON.stringify(body), method);
}

/** An app's call as a curl command. Uses the namespace's key, because the journal masks the app's key. */
export function requestCurl({ origin, namespace }: PageContext, entry: RequestEntry): string {
  const { requestBody: body } = entry;
  const { apiKey, liveApiKey } = namespace.info;
  const key = entry.apiKey?.startsWith("sk_live_") ? liveApiKey : apiKey;
  const headers = {
    ...(entry.apiKey !== null && { Authorization: `Bearer ${key}` }),
    ...(entry.idempotencyKey !== null && { "Idempotency-Key": entry.idempotencyKey }),
    ...(body && { "Content-Type": "application/json" }),
  };
  return curlCommand(`${origin}${requestPath(entry)}`, headers, body, entry.method);
}

/** @param method value of option -X. "GET" omits the option: curl then sends POST if there is a body, or else GET */
export function curlCommand(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | null,
  method = "GET",
): string {
  const parts = ["curl", ...(method === "GET" ? [] : ["-X", method]), shellQuote(url)];
  for (const [name, value] of Object.entries(headers)) parts.push("-H", shellQuote(`${name}: ${value}`));
  if (body) parts.push("-d", shellQuote(body));
  return parts.join(" ");
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Path and query of a call. The journal stores an absolute URL for calls over a port. */
function requestPath({ url }: RequestEntry): string {
  const { pathname, search } = new URL(url, "http://sandbox");
  return `${pathname}${search}`;
}

/** A `payments-sandbox` command with the options for this URL and namespace. */
export function cliCommand({ origin, namespace }: PageContext, args: string): string {
  const isDefaultUrl = ["localhost", "127.0.0.1"].some((host) => origin === `http://${host}:${DEFAULT_PORT}`);
  const url = isDefaultUrl ? "" : ` --url ${origin}`;
  return `payments-sandbox ${args}${url}${namespace.name === "default" ? "" : ` --namespace ${namespace.name}`}`;
}
