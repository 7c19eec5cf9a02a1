import type { JournalEntry } from "../../core/namespace/served-request.js";
import { DEFAULT_PORT } from "../../core/schema/options.js";
import { quoted } from "./parts.js";
import type { Scene } from "./scene.js";

/** A control API call as a curl command. */
export function controlCurl({ origin, namespace }: Scene, line: string, body?: unknown): string {
  const [method = "GET", path = ""] = line.split(" ");
  const parts = ["curl"];
  if (method !== "GET") parts.push("-X", method);
  parts.push(quoted(`${origin}${path}`));
  if (namespace.name !== "default") parts.push("-H", quoted(`Sandbox-Namespace: ${namespace.name}`));
  if (body !== undefined) parts.push("-d", quoted(JSON.stringify(body)));
  return parts.join(" ");
}

/** Repeats an app's call as a curl command, with the namespace's key: the journal masks the original. */
export function requestCurl({ origin, namespace }: Scene, entry: JournalEntry): string {
  const { requestBody: body } = entry;
  const { apiKey, liveApiKey } = namespace.info;
  const key = entry.apiKey?.startsWith("sk_live_") ? liveApiKey : apiKey;
  const parts = ["curl"];
  if (entry.method !== "GET") parts.push("-X", entry.method);
  parts.push(quoted(`${origin}${pathOf(entry)}`));
  if (entry.apiKey !== null) parts.push("-H", quoted(`Authorization: Bearer ${key}`));
  if (entry.idempotencyKey !== null) parts.push("-H", quoted(`Idempotency-Key: ${entry.idempotencyKey}`));
  if (body !== null && body !== "")
    parts.push("-H", quoted("Content-Type: application/json"), "-d", quoted(body));
  return parts.join(" ");
}

/** Path and query of a call. The journal stores an absolute URL for calls over a port. */
export function pathOf({ url }: JournalEntry): string {
  const { pathname, search } = new URL(url, "http://sandbox");
  return `${pathname}${search}`;
}

/** A `payments-sandbox` command with the options for this URL and namespace. */
export function command({ origin, namespace }: Scene, args: string): string {
  const isDefaultUrl = ["localhost", "127.0.0.1"].some((host) => origin === `http://${host}:${DEFAULT_PORT}`);
  const url = isDefaultUrl ? "" : ` --url ${origin}`;
  return `payments-sandbox ${args}${url}${namespace.name === "default" ? "" : ` --namespace ${namespace.name}`}`;
}
