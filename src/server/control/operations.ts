import { BALANCES, RATES } from "./balances.js";
import { CHARGES } from "./charges.js";
import { CHECKOUTS, QUOTES } from "./checkouts.js";
import { CLOCK } from "./clock.js";
import type { ControlOperation } from "./control-operation.js";
import { DELIVERIES, EVENTS } from "./deliveries.js";
import { ENDPOINTS, MAILBOXES } from "./endpoints.js";
import { FAILED_TESTS } from "./failed-tests.js";
import { INSIGHT } from "./insight.js";
import { LEASE } from "./lease.js";
import { ACCESS, NAMESPACES } from "./namespaces.js";
import { RECONCILIATION } from "./reconciliation.js";
import { REQUESTS } from "./requests.js";
import { SANDBOX } from "./sandbox.js";
import { FAULTS, SCENARIOS } from "./scenarios.js";
import { STATE } from "./state.js";
import { NEXT_OPERATIONS, TASKS } from "./tasks.js";
import { WAIT } from "./wait.js";
import { WITHDRAWALS } from "./withdrawals.js";

/** All calls of the control API, in the order of the OpenAPI document. */
export const CONTROL_OPERATIONS: readonly ControlOperation[] = [
  ...SANDBOX,
  ...NAMESPACES,
  ...STATE,
  ...CLOCK,
  ...CHARGES,
  ...INSIGHT,
  ...NEXT_OPERATIONS,
  ...TASKS,
  ...FAILED_TESTS,
  ...WITHDRAWALS,
  ...QUOTES,
  ...CHECKOUTS,
  ...BALANCES,
  ...RECONCILIATION,
  ...WAIT,
  ...SCENARIOS,
  ...LEASE,
  ...FAULTS,
  ...REQUESTS,
  ...EVENTS,
  ...DELIVERIES,
  ...MAILBOXES,
  ...ENDPOINTS,
  ...RATES,
  ...ACCESS,
];
