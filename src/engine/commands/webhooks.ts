import type { Mode } from "../../schema/common.js";
import type { Signature } from "../../schema/webhooks.js";
import type { Endpoint } from "../records.js";
import type { Command } from "../transaction.js";

export interface NewEndpoint {
  readonly url: string;
  readonly mode: Mode;
  readonly organizationId: string | null;
  readonly events: readonly string[];
  /** Omitted: one is made from the seed. */
  readonly secret?: string;
  readonly signature?: Signature;
}

/** Registers an endpoint. Registered again by the same owner, a URL updates its endpoint. */
export function registerEndpoint(wanted: NewEndpoint): Command<Endpoint> {
  return (tx) => {
    const known = tx.state
      .endpoints()
      .find(
        (one) =>
          one.url === wanted.url && one.mode === wanted.mode && one.organization_id === wanted.organizationId,
      );
    const endpoint: Endpoint = {
      webhook_id: known?.webhook_id ?? tx.id("webhook"),
      seq: known?.seq ?? tx.next("webhook_seq"),
      url: wanted.url,
      mode: wanted.mode,
      organization_id: wanted.organizationId,
      events: wanted.events,
      secret: wanted.secret ?? known?.secret ?? `whsec_${tx.digest("secret").toString("base64")}`,
      previous_secret: known?.previous_secret ?? null,
      previous_secret_until_ms: known?.previous_secret_until_ms ?? 0,
      signature: wanted.signature ?? known?.signature ?? tx.settings.signature,
      enabled: true,
      created_at: known?.created_at ?? tx.at,
    };
    tx.put("endpoints", endpoint.webhook_id, endpoint);
    return endpoint;
  };
}
