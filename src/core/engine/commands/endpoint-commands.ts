import type { Mode } from "../../schema/common.js";
import { isRefusal, type Refusal, refuse, refuseInvalid } from "../../schema/refusals.js";
import { type Signature, secretErrorMessage } from "../../schema/signature-schemes.js";
import { clampInstant } from "../../schema/time.js";
import { listVisibleEndpoints } from "../queries.js";
import type { Endpoint } from "../records.js";
import type { State } from "../state.js";
import type { Caller, Command, Transaction } from "../transaction.js";

interface NewEndpoint {
  /** Null for a mailbox. */
  readonly url: string | null;
  readonly mailbox?: string | null;
  /** Wall time after which an unread mailbox is deleted. */
  readonly leaseMs?: number | undefined;
  readonly unreachable?: "hold" | "fail" | undefined;
  readonly mode: Mode;
  readonly organizationId: string | null;
  readonly events: readonly string[];
  /** Signing secret; by default derived from the seed. */
  readonly secret?: string;
  readonly signature?: Signature | undefined;
}

type EndpointAddress = Pick<NewEndpoint, "url" | "mailbox" | "mode" | "organizationId">;

/** Finds an endpoint by its address. An endpoint without an organization matches every organization. */
export function endpointAt(state: State, { url, mailbox = null, mode, organizationId }: EndpointAddress) {
  const isThere = (endpoint: Endpoint) =>
    endpoint.url === url &&
    endpoint.mailbox === mailbox &&
    endpoint.mode === mode &&
    (endpoint.organization_id === null || endpoint.organization_id === organizationId);
  return state.endpoints().find(isThere);
}

/** Endpoints of a namespace. An event makes a delivery for each in one change, which holds the process. */
const MAX_ENDPOINTS = 500;

/** Registers an endpoint, or updates the endpoint that has the same address. */
export function registerEndpoint(values: NewEndpoint): Command<Endpoint | Refusal> {
  return (tx) => {
    const existing = endpointAt(tx.state, values);
    if (existing === undefined && tx.state.endpoints().length >= MAX_ENDPOINTS)
      return refuseInvalid({
        [values.url === null ? "mailbox" : "url"]:
          `is one too many: a namespace has at most ${MAX_ENDPOINTS} webhook endpoints; delete one first`,
      });
    const endpoint = dropUnusableSecret({
      webhook_id: existing?.webhook_id ?? tx.id("webhook"),
      seq: existing?.seq ?? tx.next("webhook_seq"),
      url: values.url,
      mailbox: values.mailbox ?? null,
      ...(values.leaseMs === undefined ? {} : { lease_ms: values.leaseMs }),
      unreachable: values.unreachable ?? existing?.unreachable ?? tx.settings.unreachable,
      mode: values.mode,
      organization_id: existing === undefined ? values.organizationId : existing.organization_id,
      events: values.events,
      secret: values.secret ?? existing?.secret ?? newSecret(tx),
      previous_secret: existing?.previous_secret ?? null,
      previous_secret_until_ms: existing?.previous_secret_until_ms ?? 0,
      signature: values.signature ?? existing?.signature ?? tx.settings.signature,
      enabled: true,
      created_at: existing?.created_at ?? tx.at,
    });
    tx.put("endpoints", endpoint.webhook_id, endpoint);
    return endpoint;
  };
}

/** Drops the secret before the last rotation if the endpoint's signature, changed since, cannot use it. */
function dropUnusableSecret(endpoint: Endpoint): Endpoint {
  const { previous_secret, signature } = endpoint;
  if (previous_secret === null || secretErrorMessage(signature, previous_secret) === undefined)
    return endpoint;
  return { ...endpoint, previous_secret: null, previous_secret_until_ms: 0 };
}

/** Period after a rotation in which the old secret signs too. */
const ROTATION_MS = 24 * 60 * 60 * 1000;

/** Finds an endpoint of the caller; the control API has no caller and finds any endpoint. */
function findEndpoint(tx: Transaction, caller: Caller | undefined, webhookId: string): Endpoint | Refusal {
  const visible = caller === undefined ? tx.state.endpoints() : listVisibleEndpoints(tx.state, caller);
  const found = visible.find(({ webhook_id }) => webhook_id === webhookId);
  return found ?? refuse("NOT_FOUND", "Webhook not found");
}

/** Replaces an endpoint by the one that `change` returns; a refusal changes nothing. */
function changeEndpoint(
  caller: Caller | undefined,
  webhookId: string,
  change: (tx: Transaction, endpoint: Endpoint) => Endpoint | Refusal,
): Command<Endpoint | Refusal> {
  return (tx) => {
    const endpoint = findEndpoint(tx, caller, webhookId);
    const next = isRefusal(endpoint) ? endpoint : change(tx, endpoint);
    if (!isRefusal(next)) tx.put("endpoints", webhookId, next);
    return next;
  };
}

interface EndpointPatch {
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
  return changeEndpoint(caller, webhookId, (tx, endpoint) => {
    if (patch.url !== undefined && endpoint.mailbox !== null)
      return refuseInvalid({ url: "is not for a mailbox" });
    const url = patch.url ?? endpoint.url;
    const { mailbox, mode, organization_id: organizationId } = endpoint;
    const other =
      url === endpoint.url ? undefined : endpointAt(tx.state, { url, mailbox, mode, organizationId });
    if (other !== undefined)
      return refuseInvalid({ url: `is the URL of ${other.webhook_id} already; change or delete that one` });
    return dropUnusableSecret({
      ...endpoint,
      url,
      events: patch.events ?? endpoint.events,
      enabled: patch.enabled ?? endpoint.enabled,
      unreachable: patch.unreachable ?? endpoint.unreachable,
      signature: patch.signature ?? endpoint.signature,
    });
  });
}

/** Pending deliveries to the deleted endpoint are dropped when due. */
export function deleteEndpoint(caller: Caller | undefined, webhookId: string): Command<Endpoint | Refusal> {
  return (tx) => {
    const endpoint = findEndpoint(tx, caller, webhookId);
    if (!isRefusal(endpoint)) tx.remove("endpoints", webhookId);
    return endpoint;
  };
}

/** Replaces the secret. For ROTATION_MS the old secret signs too, so receivers miss no event. */
export function rotateSecret(caller: Caller | undefined, webhookId: string): Command<Endpoint | Refusal> {
  return changeEndpoint(caller, webhookId, (tx, endpoint) => ({
    ...endpoint,
    secret: newSecret(tx),
    previous_secret: endpoint.secret,
    previous_secret_until_ms: clampInstant(tx.atMs + ROTATION_MS),
  }));
}

function newSecret(tx: Transaction): string {
  return `whsec_${Buffer.from(tx.digest("secret"), "hex").toString("base64")}`;
}
