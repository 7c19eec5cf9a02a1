import type { JournalEntry } from "../../../namespace/served-request.js";
import { quoted } from "./parts.js";
import type { Scene } from "./scene.js";

/** A call of the control API as a command line. */
export function controlCurl({ origin, namespace }: Scene, line: string, body?: unknown): string {
  const [method = "GET", path = ""] = line.split(" ");
  const parts = ["curl"];
  if (method !== "GET") parts.push("-X", method);
  parts.push(quoted(`${origin}${path}`));
  if (namespace.name !== "default") parts.push("-H", quoted(`Sandbox-Namespace: ${namespace.name}`));
  if (body !== undefined) parts.push("-d", quoted(JSON.stringify(body)));
  return parts.join(" ");
}

/** The app's call again; its key is the namespace's own, for that of the call is not kept in the open. */
export function requestCurl(
  { origin, namespace }: Scene,
  entry: JournalEntry,
  { path, body }: { readonly path: string; readonly body: string | null } = {
    path: entry.url,
    body: entry.requestBody,
  },
): string {
  const { apiKey, liveApiKey } = namespace.info;
  const key = entry.apiKey?.startsWith("sk_live_") ? liveApiKey : apiKey;
  const parts = ["curl"];
  if (entry.method !== "GET") parts.push("-X", entry.method);
  const { pathname, search } = new URL(path, origin);
  parts.push(quoted(`${origin}${pathname}${search}`));
  if (entry.apiKey !== null) parts.push("-H", quoted(`Authorization: Bearer ${key}`));
  if (entry.idempotencyKey !== null) parts.push("-H", quoted(`Idempotency-Key: ${entry.idempotencyKey}`));
  if (body !== null && body !== "")
    parts.push("-H", quoted("Content-Type: application/json"), "-d", quoted(body));
  return parts.join(" ");
}

/** A command of the command line, in this namespace. */
export function command({ namespace }: Scene, words: string): string {
  return `payments-sandbox ${words}${namespace.name === "default" ? "" : ` --namespace ${namespace.name}`}`;
}
