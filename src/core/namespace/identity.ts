import type * as z from "zod/mini";
import type { NamespaceIdentity, namespaceRequestSchema } from "../schema/control.js";
import type { WebhookOption } from "./options.js";

/** What a namespace is made with; all of it may be left out. */
export type NewNamespace = z.infer<typeof namespaceRequestSchema>;

export const DEFAULT_NAMESPACE = "default";
const AUTO_KEY = /^sk_(?:test|live)_ns_(.*)$/s;

/** The API keys of a namespace: of test mode and of live mode. */
export function apiKeysOf(name: string, { api_key }: NamespaceIdentity): [string, string] {
  const apiKey = api_key ?? `sk_test_ns_${name}`;
  return [apiKey, apiKey.replace("sk_test_", "sk_live_")];
}

/** The namespace that an API key names, if it names one. */
export function nameInKey(apiKey: string): string | undefined {
  return AUTO_KEY.exec(apiKey)?.[1];
}

/** A receiver whose address says `{namespace}` is each namespace's; any other is the default one's only. */
export function inherited(webhooks: readonly WebhookOption[], name: string): WebhookOption[] {
  return webhooks.flatMap((webhook) => {
    const url = webhook.url?.replace(/\{namespace\}|%7Bnamespace%7D/gi, name);
    return url !== webhook.url || name === DEFAULT_NAMESPACE ? [{ ...webhook, url }] : [];
  });
}
