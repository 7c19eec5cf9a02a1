import type { Mode } from "../../schema/common.js";
import { invalid, type Refusal, refuse } from "../../schema/errors.js";
import { withinTime } from "../../schema/time.js";
import type { Signature } from "../../schema/webhooks.js";
import type { Caller } from "../caller.js";
import { visibleEndpoints } from "../queries.js";
import type { Endpoint } from "../records.js";
import type { State } from "../state.js";
import type { Command, Transaction } from "../transaction.js";

export interface NewEndpoint {
  /** Where it is, or the name of its mailbox. */
  readonly url: string | null;
  readonly mailbox?: string | null;
  /** Of a mailbox: it goes when nobody has looked into it for so long, by wall time. */
  readonly leaseMs?: number | undefined;
  readonly unreachable?: "hold" | "fail" | undefined;
  readonly mode: Mode;
  readonly organizationId: string | null;
  readonly events: readonly string[];
  /** Omitted: one is made from the seed. */
  readonly secret?: string;
  readonly signature?: Signature | undefined;
}

/** Where an endpoint is, and whose it is: there is one of that. */
type Place = Pick<NewEndpoint, "url" | "mailbox" | "mode" | "organizationId">;

/**
 * The endpoint that is meant when somebody registers that place. The sandbox's own start options come for every
 * organization; who registers the same URL means that one.
 */
export function endpointAt(state: State, { url, mailbox = null, mode, organizationId }: Place) {
  return state
    .endpoints()
    .find(
      (one) =>
        one.url === url &&
        one.mailbox === mailbox &&
        one.mode === mode &&
        (one.organization_id === null || one.organization_id === organizationId),
    );
}

/** Registers an endpoint. Registered again by the same owner, a URL updates its endpoint. */
export function registerEndpoint(wanted: NewEndpoint): Command<Endpoint> {
  return (tx) => {
    const known = endpointAt(tx.state, wanted);
    const endpoint: Endpoint = {
      webhook_id: known?.webhook_id ?? tx.id("webhook"),
      seq: known?.seq ?? tx.next("webhook_seq"),
      url: wanted.url,
      mailbox: wanted.mailbox ?? null,
      ...(wanted.leaseMs === undefined ? {} : { lease_ms: wanted.leaseMs }),
      unreachable: wanted.unreachable ?? known?.unreachable ?? tx.settings.unreachable,
      mode: wanted.mode,
      organization_id: known === undefined ? wanted.organizationId : known.organization_id,
      events: wanted.events,
      secret: wanted.secret ?? known?.secret ?? newSecret(tx),
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

/** For how long a rotated secret still signs besides the new one. */
const ROTATION_MS = 24 * 60 * 60 * 1000;

/** The caller's endpoint of that id; without a caller (the control API) anybody's. */
function owned(tx: Transaction, caller: Caller | undefined, webhookId: string): Endpoint | Refusal {
  const visible = caller === undefined ? tx.state.endpoints() : visibleEndpoints(tx.state, caller);
  return visible.find((one) => one.webhook_id === webhookId) ?? refuse("NOT_FOUND", "Webhook not found");
}

export interface EndpointPatch {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  readonly unreachable?: "hold" | "fail" | undefined;
  readonly signature?: Signature | undefined;
}

export function updateEndpoint(
  caller: Caller | undefined,
  webhookId: string,
  patch: EndpointPatch,
): Command<Endpoint | Refusal> {
  return (tx) => {
    const endpoint = owned(tx, caller, webhookId);
    if ("refused" in endpoint) return endpoint;
    const url = patch.url ?? endpoint.url;
    const { mailbox, mode, organization_id: organizationId } = endpoint;
    const other =
      url === endpoint.url ? undefined : endpointAt(tx.state, { url, mailbox, mode, organizationId });
    if (other !== undefined)
      return invalid({ url: `is the URL of ${other.webhook_id} already; change or delete that one` });
    const next: Endpoint = {
      ...endpoint,
      url,
      events: patch.events ?? endpoint.events,
      enabled: patch.enabled ?? endpoint.enabled,
      unreachable: patch.unreachable ?? endpoint.unreachable,
      signature: patch.signature ?? endpoint.signature,
    };
    tx.put("endpoints", webhookId, next);
    return next;
  };
}

/** What still waits for it is dropped when its turn comes. */
export function deleteEndpoint(caller: Caller | undefined, webhookId: string): Command<Endpoint | Refusal> {
  return (tx) => {
    const endpoint = owned(tx, caller, webhookId);
    if (!("refused" in endpoint)) tx.remove("endpoints", webhookId);
    return endpoint;
  };
}

/** A new secret; the old one signs too for a day, so that a receiver can change over without missing an event. */
export function rotateSecret(caller: Caller | undefined, webhookId: string): Command<Endpoint | Refusal> {
  return (tx) => {
    const endpoint = owned(tx, caller, webhookId);
    if ("refused" in endpoint) return endpoint;
    const next: Endpoint = {
      ...endpoint,
      secret: newSecret(tx),
      previous_secret: endpoint.secret,
      previous_secret_until_ms: withinTime(tx.atMs + ROTATION_MS),
    };
    tx.put("endpoints", webhookId, next);
    return next;
  };
}

function newSecret(tx: Transaction): string {
  return `whsec_${tx.digest("secret").toString("base64")}`;
}
