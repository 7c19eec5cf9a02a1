import { ACCESS } from "./access.js";
import { BALANCES } from "./balances.js";
import { BOOKS } from "./books.js";
import { CHARGES } from "./charges.js";
import { CHECKOUTS } from "./checkouts.js";
import { CLOCK } from "./clock.js";
import { DELIVERIES } from "./deliveries.js";
import { ENDPOINTS } from "./endpoints.js";
import { EVENTS } from "./events.js";
import { FAILED_TESTS } from "./failed-tests.js";
import { FAULTS } from "./faults.js";
import { INSIGHT } from "./insight.js";
import { LEASE } from "./lease.js";
import { MAILBOXES } from "./mailboxes.js";
import { NAMESPACES } from "./namespaces.js";
import { NEXT } from "./next.js";
import type { ControlOperation } from "./operation.js";
import { QUOTES } from "./quotes.js";
import { RATES } from "./rates.js";
import { REQUESTS } from "./requests.js";
import { SANDBOX } from "./sandbox.js";
import { SCENARIOS } from "./scenarios.js";
import { STATE } from "./state.js";
import { TASKS } from "./tasks.js";
import { WAIT } from "./wait.js";
import { WITHDRAWALS } from "./withdrawals.js";

/** The control API, a row a call. */
export const CONTROL_OPERATIONS: readonly ControlOperation[] = [
  ...SANDBOX,
  ...NAMESPACES,
  ...STATE,
  ...CLOCK,
  ...CHARGES,
  ...INSIGHT,
  ...NEXT,
  ...TASKS,
  ...FAILED_TESTS,
  ...WITHDRAWALS,
  ...QUOTES,
  ...CHECKOUTS,
  ...BALANCES,
  ...BOOKS,
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
