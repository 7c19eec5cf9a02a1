import type { PathField } from "../../core/client/control-client.js";
import type { AsOf } from "../../core/engine/stale-reads.js";
import type { Caller } from "../../core/engine/transaction.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { OperationId } from "../../core/schema/operation-ids.js";
import type { OutputName } from "../../core/schema/outputs.js";
import {
  type CallText,
  type Fields,
  type OperationResult,
  type OperationRow,
  type RoutedRow,
  withRoute,
} from "../http/operation-row.js";

/** API key requirement. An `optional` key limits the response to the key's organization. */
export type KeyRequirement = "required" | "optional" | "none";

interface CallerByNeed {
  readonly required: Caller;
  readonly optional: Caller | undefined;
  readonly none: undefined;
}

export interface ServiceCall<Need extends KeyRequirement = "required", Input = unknown, Parameter = string> {
  readonly namespace: Namespace;
  readonly caller: CallerByNeed[Need];
  readonly input: Input;
  readonly url: string;
  /** The earlier time that a stale-read fault sets; undefined reads the current state. */
  readonly asOf: AsOf | undefined;
  param(name: Parameter): string;
  header(name: string): string | null;
}

interface ServiceRow<
  Call extends CallText = CallText,
  Input = unknown,
  Output extends OutputName = OutputName,
  Need extends KeyRequirement = KeyRequirement,
> extends OperationRow<Call, Input, Output> {
  readonly id: OperationId;
  readonly tag: ServiceTag;
  /** The sandbox's assumptions, which the interface of the service does not state. */
  readonly assumed?: string;
  readonly notFound?: string;
  readonly headers?: readonly ("Idempotency-Key" | "Sandbox-Scenario")[];
  /** Default: required. */
  readonly key?: Need;
  run(call: ServiceCall<Need, Input, PathField<Call>>): OperationResult<Output>;
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

export type Operation = RoutedRow & ServiceRow & { readonly key: KeyRequirement };

/** Makes an operation. Its `run` gets a validated call. */
export function defineOperation<
  const Call extends CallText,
  const Output extends OutputName,
  Input = Fields,
  Need extends KeyRequirement = "required",
>(row: ServiceRow<Call, Input, Output, Need>): Operation {
  // The cast is safe: handle.ts validates key and input before it calls `run`.
  return { key: "required", ...withRoute(row) } as object as Operation;
}
