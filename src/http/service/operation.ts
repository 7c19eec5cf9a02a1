import type { AsOf } from "../../engine/as-of.js";
import type { Caller } from "../../engine/caller.js";
import type { Namespace } from "../../namespace/namespace.js";
import type { Refusal } from "../../schema/errors.js";
import type { OperationId } from "../../schema/operation-ids.js";
import type { Asked, CallWords, DescribedRow, Row } from "../operation.js";
import type { Reply } from "../reply.js";

/** Whether a call needs an API key: `optional` is one that answers more to whoever has one. */
export type KeyNeed = "required" | "optional" | "none";

interface WhoAsks {
  readonly required: Caller;
  readonly optional: Caller | undefined;
  readonly none: undefined;
}

/** A call of the service that has passed every check. */
export interface Call<Need extends KeyNeed = "required", Query = unknown, Body = Record<string, unknown>>
  extends Asked<Query, Body> {
  readonly namespace: Namespace;
  readonly caller: WhoAsks[Need];
  readonly url: string;
  /** Whose state a read answers with, as a fault has it; undefined for that of now. */
  readonly asOf: AsOf | undefined;
  param(name: string): string;
  header(name: string): string | null;
}

interface ServiceRow<Need extends KeyNeed, Query, Body>
  extends Row<Query, Body>,
    Pick<DescribedRow<ServiceWords>, "answer" | "says"> {
  readonly id: OperationId;
  /** Request headers it heeds besides the key. */
  readonly headers?: readonly ("Idempotency-Key" | "Sandbox-Scenario")[];
  /** Required unless it says otherwise. */
  readonly key?: Need;
}

export interface ServiceWords extends CallWords {
  readonly tag: Tag;
  /** What there may be none of by the path's id. */
  readonly missing?: string;
}

export const TAGS = {
  Catalogue: "Payment methods, currencies and rails.",
  Payments: "Quotes, checkouts and charges.",
  Account: "The organization and its balances.",
  Payouts: "Withdrawals and their destinations. All of this is assumed, except the minimum amounts.",
  Webhooks: "Webhook endpoints. Registration is assumed.",
  Events: "What is sent to registered receivers. Names, shape and signature are assumed.",
} as const;
export type Tag = keyof typeof TAGS;

/** Of a call that the interface only names. */
export const UNSHOWN_CALL =
  "The interface names this operation without showing it: path, parameters and bodies are assumed.";

/** A call of the service as it is routed: its row and its work. */
export interface Operation extends ServiceRow<KeyNeed, unknown, unknown> {
  readonly key: KeyNeed;
  handle(call: Call<KeyNeed, unknown, unknown>): Reply | Refusal;
}

/** A call of the service: its row, and the work of one that has passed the row's checks. */
export function operation<Query, Body = Record<string, unknown>, Need extends KeyNeed = "required">(
  row: ServiceRow<Need, Query, Body>,
  handle: (call: Call<Need, Query, Body>) => Reply | Refusal,
): Operation {
  // Whoever serves the call has checked what the row asks for, the key too.
  return { key: "required", ...row, handle: handle as Operation["handle"] } as Operation;
}
