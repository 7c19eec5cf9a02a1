import type * as z from "zod/mini";
import type { OUTPUTS } from "../../core/schema/outputs.js";
import { ACCESS_OPERATIONS } from "./access.js";
import { ATTENTION_OPERATIONS } from "./attention.js";
import { BALANCE_OPERATIONS, RATE_OPERATIONS } from "./balances.js";
import { CHARGE_CONTROL_OPERATIONS } from "./charges.js";
import { CHECKOUT_OPERATIONS, QUOTE_OPERATIONS } from "./checkouts.js";
import { CLOCK_OPERATIONS } from "./clock.js";
import type { ControlOperation } from "./control-operation.js";
import { DELIVERY_OPERATIONS, EVENT_OPERATIONS } from "./deliveries.js";
import { ENDPOINT_OPERATIONS, MAILBOX_OPERATIONS } from "./endpoints.js";
import { FAILED_TEST_OPERATIONS, INSIGHT_OPERATIONS } from "./insight.js";
import { LEASE_OPERATIONS, NAMESPACE_OPERATIONS } from "./namespaces.js";
import { RECONCILIATION_OPERATIONS } from "./reconciliation.js";
import { REQUEST_OPERATIONS } from "./requests.js";
import { SANDBOX_OPERATIONS, STATE_OPERATIONS } from "./sandbox.js";
import { FAULT_OPERATIONS, SCENARIO_OPERATIONS } from "./scenarios.js";
import { NEXT_OPERATIONS, TASK_OPERATIONS } from "./tasks.js";
import { WAIT_OPERATIONS } from "./wait.js";
import { WITHDRAWAL_OPERATIONS } from "./withdrawals.js";

/** The calls of the control API by tag. The OpenAPI document lists the tags in this order. */
export const CONTROL_OPERATIONS_BY_TAG = {
  Sandbox: SANDBOX_OPERATIONS,
  Namespaces: NAMESPACE_OPERATIONS,
  State: STATE_OPERATIONS,
  Clock: CLOCK_OPERATIONS,
  Objects: [
    ...CHARGE_CONTROL_OPERATIONS,
    ...WITHDRAWAL_OPERATIONS,
    ...QUOTE_OPERATIONS,
    ...CHECKOUT_OPERATIONS,
    ...BALANCE_OPERATIONS,
    ...RATE_OPERATIONS,
  ],
  Access: ACCESS_OPERATIONS,
  Scenarios: [...SCENARIO_OPERATIONS, ...LEASE_OPERATIONS, ...FAULT_OPERATIONS],
  Webhooks: [...EVENT_OPERATIONS, ...DELIVERY_OPERATIONS, ...MAILBOX_OPERATIONS, ...ENDPOINT_OPERATIONS],
  Insight: [
    ...ATTENTION_OPERATIONS,
    ...INSIGHT_OPERATIONS,
    ...NEXT_OPERATIONS,
    ...TASK_OPERATIONS,
    ...FAILED_TEST_OPERATIONS,
    ...RECONCILIATION_OPERATIONS,
    ...WAIT_OPERATIONS,
    ...REQUEST_OPERATIONS,
  ],
} satisfies Readonly<Record<string, readonly ControlOperation[]>>;

export type ControlTag = keyof typeof CONTROL_OPERATIONS_BY_TAG;

type Row = (typeof CONTROL_OPERATIONS_BY_TAG)[ControlTag][number];

/** Input, without path parameters, and output of each operation by id. */
export type ControlTypes = {
  [One in Row as One["id"]]: {
    input: One extends { readonly input?: z.ZodMiniType<infer Input> } ? Input : never;
    output: z.infer<(typeof OUTPUTS)[One["output"]]>;
  };
};

export const CONTROL_OPERATIONS: readonly ControlOperation[] =
  Object.values(CONTROL_OPERATIONS_BY_TAG).flat();
