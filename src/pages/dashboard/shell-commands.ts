import { fillCall, type OperationCall } from "../../core/client/control-client.js";
import type { RequestView } from "../../core/schema/control-log-responses.js";
import { DEFAULT_PORT } from "../../core/schema/option-schemas.js";
import type { PageContext } from "./page-context.js";

/** An operation of the control API as a curl command. */
export function controlCurl({ origin, namespace }: PageContext, ...[id, input]: OperationCall): string {
  const { method, path, body } = fillCall(id, input);
  const isDefault = namespace === "default";
  const headers: Record<string, string> = isDefault ? {} : { "Sandbox-Namespace": namespace };
  return curlCommand(`${origin}${path}`, headers, body === undefined ? null : JSON.stringify(body), method);
}

/** An app's call as a curl command. Uses the namespace's key, because the app's is masked. */
export function requestCurl({ origin, sandbox }: PageContext, request: RequestView): string {
  const { request_body: sent, api_key, idempotency_key, method, path, query } = request;
  const key = api_key?.startsWith("sk_live_") ? sandbox.live_api_key : sandbox.api_key;
  const body = sent === null ? null : typeof sent === "string" ? sent : JSON.stringify(sent);
  const headers = {
    ...(api_key !== null && { Authorization: `Bearer ${key}` }),
    ...(idempotency_key !== null && { "Idempotency-Key": idempotency_key }),
    ...(body && { "Content-Type": "application/json" }),
  };
  const search = new URLSearchParams(query).toString();
  return curlCommand(`${origin}${path}${search && `?${search}`}`, headers, body, method);
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

/** A `payments-sandbox` command with the options for this URL and namespace. */
export function cliCommand({ origin, namespace }: PageContext, args: string): string {
  const isDefaultUrl = ["localhost", "127.0.0.1"].some((host) => origin === `http://${host}:${DEFAULT_PORT}`);
  const url = isDefaultUrl ? "" : ` --url ${origin}`;
  return `payments-sandbox ${args}${url}${namespace === "default" ? "" : ` --namespace ${namespace}`}`;
}
