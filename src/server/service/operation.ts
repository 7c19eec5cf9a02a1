import type { AsOf } from "../../core/engine/stale-reads.js";
import type { Caller } from "../../core/engine/transaction.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { OperationId } from "../../core/schema/operation-ids.js";
import type { Refusal } from "../../core/schema/refusals.js";
import type { CallInput, DocumentedSpec, OperationDocs, OperationSpec } from "../http/operation-spec.js";
import type { Reply } from "../http/reply.js";

/** API key requirement. An `optional` key limits the response to the key's organization. */
export type KeyRequirement = "required" | "optional" | "none";

interface CallerByNeed {
  readonly required: Caller;
  readonly optional: Caller | undefined;
  readonly none: undefined;
}

/** A validated call of the service. */
export interface ServiceCall<
  Need extends KeyRequirement = "required",
  Query = unknown,
  Body = Record<string, unknown>,
> extends CallInput<Query, Body> {
  readonly namespace: Namespace;
  readonly caller: CallerByNeed[Need];
  readonly url: string;
  /** The earlier time that a stale-read fault sets; undefined reads the current state. */
  readonly asOf: AsOf | undefined;
  param(name: string): string;
  header(name: string): string | null;
}

interface ServiceSpec<Need extends KeyRequirement, Query, Body>
  extends OperationSpec<Query, Body>,
    Pick<DocumentedSpec<ServiceDocs>, "response" | "docs"> {
  readonly id: OperationId;
  /** Request headers besides the key. */
  readonly headers?: readonly ("Idempotency-Key" | "Sandbox-Scenario")[];
  /** Default: required. */
  readonly key?: Need;
}

export interface ServiceDocs extends OperationDocs {
  readonly tag: ServiceTag;
  /** The kind of object that a 404 refers to. */
  readonly notFound?: string;
}

export const SERVICE_TAGS = {
  Catalogue: "Payment methods, currencies and rails.",
  Payments: "Quotes, checkouts and charges.",
  Account: "The organization and its balances.",
  Payouts: "Withdrawals and their destinations. All of this is assumed, except the minimum amounts.",
  Webhooks: "Webhook endpoints. Registration is assumed.",
  Events: "What is sent to registered receivers. Names, shape and signature are assumed.",
} as const;
export type ServiceTag = keyof typeof SERVICE_TAGS;

export const ASSUMED_CALL_NOTE =
  "The interface names this operation without showing it: path, parameters and bodies are assumed.";

/** A specification with its handler. */
export interface Operation extends ServiceSpec<KeyRequirement, unknown, unknown> {
  readonly key: KeyRequirement;
  handle(call: ServiceCall<KeyRequirement, unknown, unknown>): Reply | Refusal;
}

/** Makes an operation. Calls reach the handler only after validation by the specification. */
export function defineOperation<
  Query,
  Body = Record<string, unknown>,
  Need extends KeyRequirement = "required",
>(
  spec: ServiceSpec<Need, Query, Body> & {
    readonly handle: (call: ServiceCall<Need, Query, Body>) => Reply | Refusal;
  },
): Operation {
  // The cast is safe: handle.ts validates key and input before it calls this handler.
  return { key: "required", ...spec } as object as Operation;
}
